# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Debian's own HAProxy under the shim: in the foreground, as a child, on a loopback port, ended by its pid."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path

import psutil

import lab

CONF = """\
global
    {main}
defaults
    mode http
    timeout connect 5s
    timeout client 10s
    timeout server 10s
frontend it
    bind 127.0.0.1:{port} backlog 4096 ssl crt {pem} ssl-min-ver TLSv1.2 {bind}
    {frontend}
{more}
"""
ANSWER = 'http-request return status 200 content-type text/plain string "ok\\n"'
SAYS_FAULT = ("[ALERT]", "FATAL", "BUG", "panic", "AddressSanitizer")


def program() -> str:
    return shutil.which("haproxy", path="/usr/sbin:/usr/bin") or "haproxy"


def pem(where: Path, keys: Path, *names: str) -> Path:
    """Key and certificate in one file, as HAProxy wants them."""
    path = where / f"{names[0]}.pem"
    path.write_text("".join((keys / f"{name}{end}").read_text() for name in names for end in (".key", ".crt")))
    return path


class HAProxy:
    """One HAProxy. `main`, `bind`, `frontend` and `more` go into its configuration; `master`: with a master process."""

    def __init__(self, keys: Path, build: lab.Build | None, key: str = "rsa2048", *, main: str = "nbthread 1",
                 bind: str = "", frontend: str = ANSWER, more: str = "", master: bool = False, switches: str = "",
                 port: int = 0):
        self.folder = lab.folder("haproxy")
        self.port, self.master = port or lab.free_ports(1)[0], master
        self.conf = self.folder / "haproxy.cfg"
        self.conf.write_text(CONF.format(main=main, port=self.port, pem=pem(self.folder, keys, key), bind=bind,
                                         frontend=frontend, more=more))
        self.env = lab.shim_environment(self.folder, build, switches) if build else lab.clean_environment()
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        return [program(), *(["-W"] if self.master else []), "-db", "-f", str(self.conf)]

    def start(self, *more: str) -> "HAProxy":
        with open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen([*self.command(), *more], env=self.env, stdout=output, stderr=output)
        try:
            lab.wait_port(self.port, self.process)
        except lab.LabError as error:
            self.stop()
            raise lab.LabError(f"{error}: {self.said()}") from error
        return self

    def said(self) -> str:
        return (self.folder / "output").read_text(errors="replace")

    def __enter__(self) -> "HAProxy":
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        ended, said = self.stop(), self.said()
        shutil.rmtree(self.folder, ignore_errors=True)
        faults = [line for line in said.splitlines() if any(word in line for word in SAYS_FAULT)]
        if kind is None and (ended not in (0, 130, 143, -signal.SIGTERM) or faults):
            raise lab.LabError(f"HAProxy ended with {ended} and said: {said}")

    def stop(self) -> int:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            for child in psutil.Process(self.process.pid).children():
                child.kill()
            self.process.kill()
            return self.process.wait()

    def worker_pids(self) -> list[int]:
        """Newest last."""
        assert self.process is not None
        if not self.master:
            return [self.process.pid]
        return [child.pid for child in psutil.Process(self.process.pid).children()]

    def fds(self) -> int:
        return psutil.Process(self.worker_pids()[-1]).num_fds()

    def counters(self) -> dict[str, lab.Counts]:
        return lab.read_counters(self.folder / "counters")
