# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx as Debian ships it, on loopback ports of its own, with a configuration and keys made for the occasion.

One nginx has a port per kind of key. The accelerated one is the same program with the same configuration, started by
`octuple run`, which is what a user would type.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Self

from lab import counters, process
from lab.programs import Build, answers, clean_environment, free_ports
from . import conf

KEYS = {
    "rsa2048": ["-newkey", "rsa:2048"],
    "rsa3072": ["-newkey", "rsa:3072"],
    "rsa4096": ["-newkey", "rsa:4096"],
    "ecdsa-p256": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "ecdsa-p384": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"],
    "ed25519": ["-newkey", "ed25519"],
}

HYBRIDS = ("X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024")
CLASSICAL = ("X25519", "P-256", "P-384", "P-521")


class ServerError(Exception):
    """nginx cannot be used; the text says why, and what it said itself."""


def make_keys(folder: Path, kinds: list[str]) -> None:
    """Self-signed certificates, with the openssl command."""
    folder.mkdir(mode=0o755, exist_ok=True)
    for kind in kinds:
        command = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost", *KEYS[kind],
                   "-keyout", f"{folder}/{kind}.key", "-out", f"{folder}/{kind}.crt"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ServerError(f"openssl could not make a key of kind {kind}: {done.stderr.strip()}")


def hybrid_groups(launcher: list[str], environment: dict[str, str]) -> list[str]:
    """Those that OpenSSL has for a program that is started so. nginx does not start with a group that OpenSSL lacks."""
    def has(group: str) -> bool:
        """A client refuses a name that it does not know before it connects, here to nobody."""
        command = [*launcher, "openssl", "s_client", "-groups", group, "-connect", "127.0.0.1:1"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment,
                              stdin=subprocess.DEVNULL)
        return "SSL_CONF_cmd" not in done.stderr and "connect" in done.stderr
    return [group for group in HYBRIDS if has(group)]


def find_nginx() -> str:
    """nginx's own path: /usr/sbin is not in everybody's PATH."""
    path = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if not path:
        raise ServerError("nginx is not installed: apt-get install nginx")
    return path


class Running:
    """What has start() and stop(). Use it in a `with` statement: it ends there."""

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_exception) -> None:
        self.stop()


class Nginx(Running):
    """One running nginx with one worker."""

    program = "nginx"

    def __init__(self, name: str, folder: Path, keys: Path, kinds: list[str], cpu: int, build: Build | None = None):
        self.name, self.folder, self.keys, self.cpu, self.build = name, folder, keys, cpu, build
        self.ports = dict(zip(kinds, free_ports(len(kinds))))
        self.address = "127.0.0.1"
        self.main, self.settings = "", {}  # lines in front of nginx's configuration; of its environment
        self.workers, self.events, self.listen = 1, "", "backlog=4096"  # words of the configuration
        self.hybrids: list[str] = []  # groups, known when it runs
        self.counters_folder = folder / "counters"
        self.master: subprocess.Popen | None = None
        self.worker = 0

    def command(self) -> list[str]:
        return [*self.launcher(), find_nginx(), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")]

    def launcher(self) -> list[str]:
        return [str(self.build.octuple), "run", "--"] if self.build else []

    def write_config(self) -> None:
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        self.counters_folder.mkdir(exist_ok=True)
        self.counters_folder.chmod(0o1777)  # a worker that is not root writes there too
        self.hybrids = hybrid_groups(self.launcher(), self.environment())
        groups = f" ssl_ecdh_curve {':'.join((*self.hybrids, *CLASSICAL))};" if self.hybrids else ""
        text = conf.nginx(self.folder, self.servers(), http=conf.TLS + groups, main=self.main, workers=self.workers,
                          events=self.events)
        (self.folder / "nginx.conf").write_text(text)

    def server(self, port: int, key: str, *content: str) -> str:
        return conf.server(f"listen {self.address}:{port} ssl {self.listen};", conf.certificate(self.keys, key),
                           *content)

    def servers(self) -> list[str]:
        return [self.server(port, kind, conf.ANSWER) for kind, port in self.ports.items()]

    def said(self) -> str:
        """What nginx has written so far."""
        texts = [(self.folder / name).read_text(errors="replace") for name in ("output", "error.log")
                 if (self.folder / name).exists()]
        return "\n".join(texts).strip()

    def environment(self) -> dict[str, str]:
        environment = clean_environment()
        if self.build:
            environment["OCTUPLE_COUNTERS"] = str(self.counters_folder)
        return environment | self.settings

    def start(self) -> None:
        self.write_config()
        with open(self.folder / "output", "wb") as output:
            self.master = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                           env=self.environment(), preexec_fn=self.prepare_child)
        self.wait_until_ready(time.monotonic() + process.PATIENCE)

    def prepare_child(self) -> None:
        """Between fork and exec: the server's CPU, and as many descriptors as it may have."""
        os.sched_setaffinity(0, {self.cpu})
        _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    def wait_until_ready(self, deadline: float) -> None:
        while time.monotonic() < deadline:
            if self.master.poll() is not None:
                ended = self.master.returncode
                raise ServerError(f"{self.name} {self.program} ended with status {ended}: {self.said()}")
            workers = process.children(self.master.pid)
            if workers and all(answers(port, self.address) for port in self.ports.values()):
                self.worker = workers[0]
                return
            time.sleep(0.02)
        ports = sorted(self.ports.values())
        raise ServerError(f"{self.name} {self.program} does not answer on {ports}: {self.said()}")

    def stop(self) -> None:
        if self.master and self.master.poll() is None:
            self.master.send_signal(signal.SIGTERM)
            try:
                self.master.wait(10)
            except subprocess.TimeoutExpired:
                for pid in process.children(self.master.pid):
                    os.kill(pid, signal.SIGKILL)
                self.master.kill()
                self.master.wait()

    def cpu_times(self) -> tuple[float, float]:
        return process.cpu_times(self.worker)

    def memory_kb(self) -> dict[str, int]:
        return process.memory_kb(self.worker)

    def counters(self) -> dict[str, counters.Operation]:
        """Of the worker; empty for the stock server."""
        return counters.read(self.counters_folder / f"{self.worker}.octuple")
