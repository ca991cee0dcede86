# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers other than nginx, as Debian ships them: on a loopback port, with a configuration made for the occasion.

Each runs in the foreground as a child, stock or by `octuple run`, and is ended by its pid. What stands behind those
that only end TLS is a small HTTP server that always answers the same.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from lab import counters, process
from lab.programs import Build, answers, clean_environment, free_ports
from . import conf
from .nginx import Running, ServerError

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n"
REQUEST = b"GET /answer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
CPUCLOCK_SCHED = 2


class Backend:
    """Answers every connection with the same bytes and closes it. Use it in a `with` statement."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = self.listener.getsockname()[1]

    def serve(self) -> None:
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(sock,), daemon=True).start()

    @staticmethod
    def answer(sock: socket.socket) -> None:
        with sock:
            try:
                if sock.recv(4096):
                    sock.sendall(ANSWER)
            except OSError:
                pass

    def __enter__(self) -> "Backend":
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_exception) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


HAPROXY = conf.template(conf.haproxy(
    conf.frontend("it", "bind 127.0.0.1:{port} backlog 4096 ssl crt {folder}/both.pem", conf.HAPROXY_ANSWER),
    main="nbthread {threads}\n    maxconn 4000"))
APACHE = """\
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule ssl_module {modules}/mod_ssl.so
ServerName localhost
PidFile {folder}/pid
ErrorLog {folder}/error.log
DefaultRuntimeDir {folder}
User {user}
Listen 127.0.0.1:{port} https
ListenBacklog 4096
StartServers 1
ServerLimit 1
ThreadsPerChild 64
MaxRequestWorkers 64
MinSpareThreads 1
MaxSpareThreads 64
DocumentRoot {folder}/site
SSLEngine on
SSLCertificateFile {folder}/both.pem
"""
LIGHTTPD = """\
server.modules = ("mod_openssl")
server.bind = "127.0.0.1"
server.port = {port}
server.document-root = "{folder}/site"
server.errorlog = "{folder}/error.log"
server.listen-backlog = 4096
server.max-fds = 8192
ssl.engine = "enable"
ssl.pemfile = "{folder}/both.pem"
"""
HITCH = """\
frontend = "[127.0.0.1]:{port}"
backend = "[127.0.0.1]:{backend}"
pem-file = "{folder}/both.pem"
workers = 1
backlog = 4096
ocsp-dir = ""
user = "{user}"
log-level = 0
"""
STUNNEL = """\
foreground = yes
pid =
syslog = no
debug = 3
[it]
accept = 127.0.0.1:{port}
connect = 127.0.0.1:{backend}
cert = {folder}/both.pem
"""
REDIS = """\
port 0
bind 127.0.0.1
tls-port {port}
tls-cert-file {folder}/both.pem
tls-key-file {folder}/both.pem
tls-auth-clients no
tcp-backlog 4096
save ""
dir {folder}
"""


@dataclass(frozen=True)
class Kind:
    """A server: its program, Debian's package, its configuration, and how it is started with it in the foreground."""

    name: str
    program: str
    package: str
    conf: str
    options: Callable[[Path], list[str]]
    request: bytes = REQUEST
    answer: bytes = b"ok\n"
    threads: int = 1

    def path(self) -> str | None:
        return shutil.which(self.program, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/bin")


KINDS = (
    Kind("haproxy", "haproxy", "haproxy", HAPROXY, lambda conf: ["-db", "-f", str(conf)]),
    Kind("haproxy, 2 threads", "haproxy", "haproxy", HAPROXY, lambda conf: ["-db", "-f", str(conf)], threads=2),
    Kind("lighttpd", "lighttpd", "lighttpd-mod-openssl", LIGHTTPD, lambda conf: ["-D", "-f", str(conf)]),
    Kind("hitch", "hitch", "hitch", HITCH, lambda conf: [f"--config={conf}"]),
    Kind("apache (event)", "apache2", "apache2-bin", APACHE, lambda conf: ["-DFOREGROUND", "-f", str(conf)]),
    Kind("redis", "redis-server", "redis-server", REDIS, lambda conf: [str(conf)],
         b"PING\r\nQUIT\r\n", b"+PONG\r\n+OK\r\n"),
    Kind("valkey", "valkey-server", "valkey-server", REDIS, lambda conf: [str(conf)],
         b"PING\r\nQUIT\r\n", b"+PONG\r\n+OK\r\n"),
    Kind("stunnel", "stunnel4", "stunnel4", STUNNEL, lambda conf: [str(conf)]),
)


def unprivileged() -> str:
    """Whom servers that are started by root are to become; nobody else can become anything."""
    return "www-data" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and what it has started, threads that have ended included."""
    clock = (~pid << 3) | CPUCLOCK_SCHED
    return time.clock_gettime(clock) + sum(cpu_seconds(child) for child in process.children(pid))


class Other(Running):
    """One running server of a kind. Use it in a `with` statement: it ends there."""

    def __init__(self, kind: Kind, folder: Path, keys: Path, key: str, backend: int, build: Build | None = None,
                 cpus: set[int] | None = None):
        self.kind, self.folder, self.build, self.cpus = kind, folder, build, cpus
        self.port = free_ports(1)[0]
        (folder / "site").mkdir(mode=0o755, parents=True)
        (folder / "site/answer").write_text("ok\n")
        (folder / "both.pem").write_text("".join((keys / f"{key}{end}").read_text() for end in (".key", ".crt")))
        self.conf = folder / "conf"
        self.conf.write_text(kind.conf.format(folder=folder, port=self.port, backend=backend, user=unprivileged(),
                                              threads=kind.threads, modules="/usr/lib/apache2/modules"))
        self.counters_folder = folder / "counters"
        self.counters_folder.mkdir()
        self.counters_folder.chmod(0o1777)  # a worker that is not root writes there too
        self.settings: dict[str, str] = {}  # of its environment
        self.before: list[str] = []  # of its command
        self.child: subprocess.Popen | None = None

    def start(self) -> None:
        environment = clean_environment()
        command = [self.kind.path() or self.kind.program, *self.kind.options(self.conf)]
        if self.build:
            environment["OCTUPLE_COUNTERS"] = str(self.counters_folder)
            command = [str(self.build.octuple), "run", "--", *command]
        environment |= self.settings
        command = [*self.before, *command]
        with open(self.folder / "output", "wb") as output:
            cpus = self.cpus or os.sched_getaffinity(0)
            self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                          stdout=output, stderr=output, env=environment,
                                          preexec_fn=lambda: os.sched_setaffinity(0, cpus), **self.account())
        self.wait_until_ready(time.monotonic() + process.PATIENCE)

    def account(self) -> dict:
        """How subprocess starts it as somebody else, for servers that root may not start."""
        return {}

    def wait_until_ready(self, deadline: float) -> None:
        while time.monotonic() < deadline and self.child.poll() is None:
            if answers(self.port):
                time.sleep(0.2)  # those that fork listen before their workers run
                return
            time.sleep(0.02)
        raise ServerError(f"{self.kind.name} does not answer: {self.said()}")

    def said(self) -> str:
        return "\n".join((self.folder / name).read_text(errors="replace") for name in ("output", "error.log")
                         if (self.folder / name).exists()).strip()

    def cpu_seconds(self) -> float:
        return cpu_seconds(self.child.pid)

    def counters(self) -> dict[str, counters.Operation]:
        return counters.total(counters.read(path) for path in self.counters_folder.glob("*.octuple"))

    def stop(self) -> None:
        if self.child is None or self.child.poll() is not None:
            return
        workers = process.children(self.child.pid)
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
            for pid in workers:
                os.kill(pid, 9)
