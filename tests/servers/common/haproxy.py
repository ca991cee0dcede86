# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Debian's own HAProxy under the shim: in the foreground, as a child, on a loopback port, ended by its pid."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil

from lab.servers import conf
from lab.servers.conf import HAPROXY_ANSWER as ANSWER
from tests.servers.common import clients, rig

SAYS_FAULT = ("[ALERT]", "FATAL", "BUG", "panic", "AddressSanitizer")


def program() -> str:
    return shutil.which("haproxy", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin") or "haproxy"


def pem(where: Path, keys: Path, name: str) -> None:
    """Key and certificate in one file, as HAProxy wants them."""
    (where / f"{name}.pem").write_text("".join((keys / f"{name}{end}").read_text() for end in (".key", ".crt")))


class HAProxy:
    """One HAProxy. `main`, `bind`, `frontend` and `more` go into its configuration, with {folder} for its folder, where
    the keys are that it uses: `key` and those in `also`. `master`: with a master process."""

    def __init__(self, keys: Path, build: rig.Build | None, key: str = "rsa2048", *, main: str = "nbthread 1",
                 bind: str = "", frontend: str = ANSWER, more: str = "", also: tuple[str, ...] = (),
                 master: bool = False):
        self.folder = rig.folder("haproxy")
        self.port, self.master = rig.free_ports(1)[0], master
        for name in (key, *also):
            pem(self.folder, keys, name)
        self.conf = self.folder / "haproxy.cfg"
        bound = (f"bind 127.0.0.1:{self.port} backlog 4096 ssl crt {self.folder}/{key}.pem ssl-min-ver TLSv1.2 {bind}")
        text = conf.haproxy(conf.frontend("it", bound, frontend), more, main=main)
        self.conf.write_text(text.replace("{folder}", str(self.folder)))
        self.env = rig.shim_environment(self.folder, build) if build else rig.clean_environment()
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        return [program(), *(["-W"] if self.master else []), "-db", "-f", str(self.conf)]

    def start(self, *more: str) -> "HAProxy":
        with open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen([*self.command(), *more], env=self.env, stdout=output, stderr=output)
        try:
            rig.wait_port(self.port, self.process)
        except rig.LabError as error:
            self.stop()
            raise rig.LabError(f"{error}: {self.said()}") from error
        return self

    def said(self) -> str:
        return (self.folder / "output").read_text(errors="replace")

    def __enter__(self) -> "HAProxy":
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        ended, said = self.stop(), self.said()
        shutil.rmtree(self.folder, ignore_errors=True)
        faults = [line for line in said.splitlines()
                  if any(word in line for word in SAYS_FAULT) and "code 143 (Terminated)" not in line]
        if kind is None and (ended not in (0, 130, 143, -signal.SIGTERM) or faults):
            raise rig.LabError(f"HAProxy ended with {ended} and said: {said}")

    def stop(self) -> int:
        assert self.process is not None
        return rig.end_process(self.process)

    def worker_pids(self) -> list[int]:
        """Newest last."""
        assert self.process is not None
        if not self.master:
            return [self.process.pid]
        return [child.pid for child in psutil.Process(self.process.pid).children()]

    def reload(self) -> None:
        """Returns when the old worker has ended. A master that has just started loses the signal."""
        assert self.process is not None
        rig.wait_until(self.worker_pids, "the first worker starts")
        [old], before = self.worker_pids(), self.said().count("Reloading")

        def reloads() -> bool:
            self.process.send_signal(signal.SIGUSR2)
            time.sleep(0.5)
            return self.said().count("Reloading") > before

        rig.wait_until(reloads, "the master reloads")
        rig.wait_until(lambda: self.worker_pids() and old not in self.worker_pids(), "the old worker ends")

    def idle_fds(self) -> int:
        """When it has served somebody: it listens before it has all that it needs."""
        clients.fetch(self.port, rig.client_context())
        time.sleep(0.2)
        return self.fds()

    def fds(self) -> int:
        return psutil.Process(self.worker_pids()[-1]).num_fds()

    def counters(self) -> dict[str, rig.Counts]:
        return rig.read_counters(self.folder / "counters")
