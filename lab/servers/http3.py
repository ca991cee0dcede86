# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers of HTTP/3 in a Debian that has them: nginx 1.30 and HAProxy 3.2 on OpenSSL 3.6, in a folder that
`bench/beside/in-debian` makes and enters. Those of one `Pair` run all the time, stock and by `octuple run`."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lab import process
from lab.debian import ENTER, as_root, cache, run
from lab.programs import Build, clean_environment, free_ports
from lab.servers import conf
from lab.servers.nginx import Running, ServerError

RELEASE = "forky"
PACKAGES = "nginx libnginx-mod-http-js haproxy openssl libjansson4 ca-certificates"
KEYS = {"rsa2048": "rsa2048", "p256": "ecdsa-p256", "p384": "ecdsa-p384"}  # by what the points call them

COMMANDS = {"nginx": "/usr/sbin/nginx -c {conf}", "haproxy": "/usr/sbin/haproxy -db -f {conf}"}


def install(folder: Path | None = None) -> None:
    """Makes the Debian, which takes some minutes the first time."""
    run([*as_root(), str(ENTER), "--install", PACKAGES, str(folder or cache()), RELEASE, "true"])


def versions(name: str) -> dict[str, str]:
    """Of this server and of OpenSSL there, which are not those of the machine."""
    asked = f"/usr/sbin/{name} -v 2>&1 | head -n 1; openssl version"
    done = subprocess.run([*as_root(), str(ENTER), str(cache()), RELEASE, "/bin/sh", "-c", asked], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, check=False, env=clean_environment())
    said = done.stdout.splitlines()
    return dict(zip((name, "openssl"), (line.removeprefix("nginx version: ") for line in said[-2:])))


def descendants(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        found += process.children(parent)
    return found


def command_of(pid: int) -> tuple[str, str]:
    """The process's name, and its arguments."""
    try:
        return ((Path("/proc") / str(pid) / "comm").read_text().strip(),
                (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    except OSError:
        return "", ""


def server_below(parent: int, name: str, conf: Path) -> int:
    """The process below `parent` that serves with this configuration, or 0: nginx's has a master above it."""
    for pid in descendants(parent):
        called, arguments = command_of(pid)
        below = [one for one in process.children(pid) if command_of(one)[0] == called]
        if called.startswith(name) and str(conf) in arguments and (name != "nginx" or below):
            return below[0] if below else pid
    return 0


class Sides(Running):
    """Servers that all run all the time in a Debian of their own, on one CPU: one on each of `sides`."""

    def __init__(self, name: str, keys: Path, folder: Path, build: Build, cpu: int, sides: Iterable[Any]):
        self.name, self.keys, self.folder, self.build, self.cpu = name, keys, folder, build, cpu
        self.sides = tuple(sides)
        self.process: subprocess.Popen | None = None
        self.workers: dict[Any, int] = {}

    def conf(self, side: Any) -> Path:
        path = self.folder / str(side).replace(" ", "-") / "conf"
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        return path

    def command(self, side: Any) -> str:
        """Writes the configuration, and says how the shell starts the server with it."""
        raise NotImplementedError

    def sees(self) -> Iterable[Path]:
        """Folders that are at the same place in there."""
        return (self.build.folder, self.folder, self.keys)

    def debians(self) -> Path:
        return cache()

    def are_ready(self) -> bool:
        """Whether they, which have begun, can be asked."""
        return True

    def start(self) -> None:
        together = " & ".join(f"taskset -c {self.cpu} {self.command(side)}" for side in self.sides)
        seen = [word for path in self.sees() for word in ("--see", str(path))]
        command = [*as_root(), str(ENTER), *seen, str(self.debians()), RELEASE, "/bin/sh", "-c", f"{together} & wait"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=(self.folder / "said").open("w"), env=clean_environment())
        deadline = time.monotonic() + process.PATIENCE
        while len(self.workers) < len(self.sides) or not self.are_ready():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise ServerError(f"{self.name} did not start in the Debian {RELEASE}: "
                                  f"{(self.folder / 'said').read_text().strip()}")
            time.sleep(0.2)
            found = {side: server_below(self.process.pid, self.name, self.conf(side)) for side in self.sides}
            self.workers = {side: pid for side, pid in found.items() if pid}

    def cpu_seconds(self, side: Any) -> float:
        return process.cpu_times(self.workers[side])[0]

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def configuration(name: str, folder: Path, port: int, keys: Path, key: str) -> str:
    if name == "haproxy":
        bind = f"bind quic4@127.0.0.1:{port} ssl crt {keys}/{key}.pem alpn h3"
        return conf.haproxy(conf.frontend("it", bind, conf.HAPROXY_ANSWER))
    text = conf.server(f"listen 127.0.0.1:{port} quic reuseport;", conf.certificate(keys, key),
                       f"location / {{ {conf.ANSWER} }}")
    return conf.nginx(folder, [text], main="user root;", http="ssl_protocols TLSv1.3;", log="error")


class Pair(Sides):
    """A server twice, stock and by `octuple run`, each on a port of its own."""

    def __init__(self, name: str, key: str, keys: Path, folder: Path, build: Build, cpu: int):
        super().__init__(name, keys, folder, build, cpu, ("stock", "octuple"))
        self.key, self.ports = key, dict(zip(self.sides, free_ports(2)))

    def command(self, side: str) -> str:
        path = self.conf(side)
        path.write_text(configuration(self.name, path.parent, self.ports[side], self.keys, KEYS[self.key]))
        started = COMMANDS[self.name].format(conf=path)
        return started if side == "stock" else f"{self.build.octuple} run -- {started}"
