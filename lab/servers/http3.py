# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers of HTTP/3 in a Debian that has them: nginx 1.30 and HAProxy 3.2 on OpenSSL 3.6, in a folder that
`bench/beside/in-debian` makes and enters. Those of one `Pair` run all the time, stock and by `octuple run`."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

from lab import process
from lab.debian import ENTER, as_root, cache, run
from lab.programs import Build, clean_environment, free_ports
from lab.servers.nginx import Running, ServerError

RELEASE = "forky"
PACKAGES = "nginx libnginx-mod-http-js haproxy openssl libjansson4 ca-certificates"
KEYS = {"rsa2048": "rsa2048", "p256": "ecdsa-p256", "p384": "ecdsa-p384"}  # by what the points call them
STARTS_WITHIN = 120  # seconds

NGINX = """\
daemon off;
user root;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    ssl_protocols TLSv1.3;
    server {{
        listen 127.0.0.1:{port} quic reuseport;
        ssl_certificate {keys}/{key}.crt;
        ssl_certificate_key {keys}/{key}.key;
        location / {{ return 200 "ok\\n"; }}
    }}
}}
"""
HAPROXY = """\
global
    nbthread 1
    maxconn 4000
defaults
    mode http
    timeout connect 5s
    timeout client 10s
    timeout server 10s
frontend it
    bind quic4@127.0.0.1:{port} ssl crt {keys}/{key}.pem alpn h3
    http-request return status 200 content-type text/plain string "ok\\n"
"""
CONFIGURATIONS = {"nginx": NGINX, "haproxy": HAPROXY}
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


class Pair(Running):
    """A server twice, stock and by `octuple run`, each on a port of its own and on one CPU."""

    def __init__(self, name: str, key: str, keys: Path, folder: Path, build: Build, cpu: int):
        self.name, self.key, self.keys, self.folder, self.build, self.cpu = name, key, keys, folder, build, cpu
        self.ports = dict(zip(("stock", "octuple"), free_ports(2)))
        self.process: subprocess.Popen | None = None
        self.workers: dict[str, int] = {}

    def command(self, side: str) -> str:
        place = self.folder / side
        place.mkdir(mode=0o755, parents=True, exist_ok=True)
        text = CONFIGURATIONS[self.name].format(folder=place, port=self.ports[side], key=KEYS[self.key], keys=self.keys)
        (place / "conf").write_text(text)
        started = COMMANDS[self.name].format(conf=place / "conf")
        return started if side == "stock" else f"{self.build.octuple} run -- {started}"

    def start(self) -> None:
        both = " & ".join(f"taskset -c {self.cpu} {self.command(side)}" for side in self.ports)
        command = [*as_root(), str(ENTER), "--see", str(self.build.folder), "--see", str(self.folder), "--see",
                   str(self.keys), str(cache()), RELEASE, "/bin/sh", "-c", f"{both} & wait"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=(self.folder / "said").open("w"), env=clean_environment())
        deadline = time.monotonic() + STARTS_WITHIN
        while len(self.workers) < len(self.ports):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise ServerError(f"{self.name} did not start in the Debian {RELEASE}: "
                                  f"{(self.folder / 'said').read_text().strip()}")
            time.sleep(0.2)
            self.find_workers()

    def find_workers(self) -> None:
        for side in self.ports:
            found = server_below(self.process.pid, self.name, self.folder / side / "conf")
            if found:
                self.workers[side] = found

    def cpu_seconds(self, side: str) -> float:
        return process.cpu_times(self.workers[side])[0]

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
