# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx 1.30 under Octuple, with HTTP/3 and TLS by TCP on one port, and HAProxy with HTTP/3: in the Debian that
`bench/experiment http3` makes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from lab import process
from lab.debian import ENTER, cache
from lab.programs import Build, clean_environment, free_ports
from lab.servers import conf, http3


def why_not() -> str:
    """Why it cannot run here; empty if it can."""
    if os.geteuid() != 0:
        return "it needs root, to enter another Debian"
    root = cache() / http3.RELEASE
    if not (root / "var/lib/octuple-ready").exists():
        return f"there is no Debian {http3.RELEASE} in {root}: bench/experiment http3 makes it"
    if not has("/usr/sbin/nginx"):
        return f"there is no nginx in {root}: bench/experiment http3 installs it"
    return ""


def has(path: str) -> bool:
    """That Debian has this file."""
    return (cache() / http3.RELEASE / path.lstrip("/")).exists()


class Server:
    """One that runs. Its folder and that of its keys are at the same places inside."""

    name: str
    command: list[str]  # before its configuration

    def __init__(self, build: Build, folder: Path, keys: Path, wanted: int = 1):
        self.build, self.folder, self.keys, self.wanted = build, folder, keys, wanted
        self.port, = free_ports(1)
        self.child: subprocess.Popen | None = None

    def __enter__(self) -> "Server":
        command = [str(ENTER), "--see", str(self.build.folder), "--see", str(self.folder), "--see", str(self.keys),
                   str(cache()), http3.RELEASE, str(self.build.octuple), "run", "--", *self.command,
                   str(self.folder / "conf")]
        self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=(self.folder / "said").open("w"), env=clean_environment())
        deadline = time.monotonic() + process.PATIENCE
        while len(self.workers()) < self.wanted:
            if time.monotonic() > deadline or self.child.poll() is not None:
                self.stop()
                raise AssertionError(f"{self.name} did not start: {self.said()}")
            time.sleep(0.2)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def said(self) -> str:
        return "".join(path.read_text() for path in (self.folder / "said", self.folder / "error.log") if path.exists())

    def master(self) -> int:
        """The first of that name; 0: there is none yet."""
        return next((pid for pid in http3.descendants(self.child.pid) if http3.command_of(pid)[0] == self.name), 0)

    def workers(self) -> list[int]:
        return [master] if (master := self.master()) else []

    def counted(self, operation: str, how: str = "done") -> list[int]:
        """How many of the operation ran in lanes in each worker, or otherwise."""
        done = subprocess.run([self.build.octuple, "top", "--once", "--json", *map(str, self.workers())],
                              env=clean_environment(), capture_output=True, text=True, check=True)
        said = json.loads(done.stdout)["processes"]
        return [one[how] for each in said for one in each["operations"] if one["name"] == operation]

    def inside(self, *command: str) -> subprocess.CompletedProcess:
        """A command beside the server, in its Debian."""
        return subprocess.run(["nsenter", "--target", str(self.master()), "--mount", "--root", "--wd=/", *command],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
                              env=clean_environment())

    def stop(self) -> None:
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        self.child.wait(60)


class Nginx(Server):
    name = "nginx"
    command = ["/usr/sbin/nginx", "-c"]

    def __init__(self, build: Build, folder: Path, keys: Path, server: str, *, http: str = "", modules: str = "",
                 workers: int = 1):
        super().__init__(build, folder, keys, workers)
        text = conf.server(f"listen 127.0.0.1:{self.port} quic reuseport;", f"listen 127.0.0.1:{self.port} ssl;",
                           "server_name localhost;", server, f"location / {{ {conf.ANSWER} }}")
        (folder / "conf").write_text(conf.nginx(folder, [text], http=f"ssl_protocols TLSv1.3; {http}",
                                                main=f"{modules}\nuser root;", workers=workers, log="error"))

    def workers(self) -> list[int]:
        return [pid for pid in process.children(self.master()) if http3.command_of(pid)[0] == self.name] \
            if self.master() else []


class HAProxy(Server):
    """That of the package, or one that was built and put into /usr/local/sbin there."""

    name = "haproxy"
    command = ["haproxy", "-db", "-f"]

    def __init__(self, build: Build, folder: Path, keys: Path, key: str):
        super().__init__(build, folder, keys)
        (folder / "conf").write_text(http3.configuration("haproxy", folder, self.port, keys, key))
        (keys / f"{key}.pem").write_text("".join((keys / f"{key}{end}").read_text() for end in (".crt", ".key")))
