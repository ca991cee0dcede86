# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What the server tests share: the build under test, keys made for the occasion, and Debian's own nginx under the shim.

nginx is started as a child, on free loopback ports, with its configuration and its counters in a temporary folder, and
is ended by its pid. It runs unmodified: everything that makes it accelerated is in its environment.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from lab import counters as counter_files, openssl_conf
from lab.counters import Operation as Counts
from lab.process import PATIENCE
from lab.programs import Build, answers, clean_environment, free_ports
from lab.servers import conf
from lab.servers.conf import ANSWER

SAYS_FAULT = ("[alert]", "[crit]", "[emerg]", "exited on signal", "AddressSanitizer")


class LabError(Exception):
    """The test cannot go on; the text says why."""


def build_from_environment() -> Build:
    name = os.environ.get("OCTUPLE_BUILD")
    if not name:
        raise LabError("set OCTUPLE_BUILD to the build folder, for example OCTUPLE_BUILD=build/dev")
    return Build(Path(name).resolve())


def has_lanes() -> bool:
    """The features that the plainest table of vectors needs."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = next((line for line in lines if line.startswith("flags")), "").split()
    return {"avx2", "fma", "bmi2"} <= set(flags)


def openssl_version() -> tuple[int, ...]:
    """Of the openssl command, as (3, 0, 22)."""
    said = subprocess.run(["openssl", "version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in said.split()[1].split("."))


def has_async_jobs() -> bool:
    """False if OpenSSL was built no-async."""
    return ctypes.CDLL("libcrypto.so.3").ASYNC_is_capable() != 0


def folder(name: str) -> Path:
    """A temporary folder that a worker which has dropped its privileges can still enter."""
    path = Path(tempfile.mkdtemp(prefix=f"octuple-{name}-"))
    path.chmod(0o755)
    return path


# Switches of the provider with which a handshake pauses for its RSA operation and for nothing else.
RSA_ONLY = "x25519 = off\nec = off"


def maps_of(pid: int) -> str | None:
    """What a process has mapped; nothing if it has just ended, as the workers of before a reload do."""
    try:
        return Path(f"/proc/{pid}/maps").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None


def descriptors(pid: int, kind: str) -> int:
    """How many of a kind a process has open, as `socket:` or `timerfd`; one may be closed while we look."""
    found = 0
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found += kind in str(entry.readlink())
    return found


def write_openssl_conf(where: Path, build: Build) -> Path:
    """For clients without the shim, and programs that are asynchronous themselves."""
    path = where / "openssl.cnf"
    path.write_text(openssl_conf.served(build.provider))
    return path


def shim_environment(where: Path, build: Build, switches: str = "", **extra: str) -> dict[str, str]:
    """The environment of an accelerated program: one variable, and one for what is counted."""
    counters = where / "counters"
    counters.mkdir(exist_ok=True)
    env = clean_environment()
    env.update(LD_PRELOAD=str(build.shim), OCTUPLE_COUNTERS=str(counters))
    if switches:
        # Its switches alone: the shim loads it.
        section = f"module = {build.provider}\n{switches}"
        (where / "openssl.cnf").write_text(openssl_conf.text({"octuple": section}, default=False))
        env["OPENSSL_CONF"] = str(where / "openssl.cnf")
    if not has_lanes():
        env["OCTUPLE_TABLE"] = "c"
    elif "OCTUPLE_TEST_TABLE" in os.environ:  # the suites as on another CPU
        env["OCTUPLE_TABLE"] = os.environ["OCTUPLE_TEST_TABLE"]
    env.update(extra)
    return env


# By which of them clients of TLS 1.3 exchange keys when nobody names a group: from OpenSSL 3.5 on by the hybrid one.
EXCHANGES = ("x25519-derive", "x25519mlkem768-server", "x25519mlkem768-client")


def exchanges(counts: dict[str, Counts]) -> Counts:
    """Of keys, by the group that a client of this system's OpenSSL prefers."""
    return sum((counts[name] for name in EXCHANGES), Counts())


def read_counters(where: Path) -> dict[str, Counts]:
    """All processes that kept counters in this folder, ended ones included."""
    total = {name: Counts() for name in counter_files.NAMES}
    for path in where.glob("*.octuple"):
        for name, more in counter_files.read(path).items():
            total[name] = total.get(name, Counts()) + more
    return total


@dataclass
class Server:
    """A server block: `text` goes into it, `location` is what it answers."""

    key: str = "rsa2048"
    text: str = ""
    listen: str = ""
    location: str = ANSWER
    port: int = 0


class Detached:
    """A process whose parent has gone, with what the tests use of Popen.

    nginx refuses to be upgraded while its first parent lives."""

    def __init__(self, command: list[str], env: dict[str, str], output):
        shell = subprocess.run(["/bin/sh", "-c", '"$@" <&- >&2 & echo $!; sleep 0.3', "sh", *command], env=env,
                               stdout=subprocess.PIPE, stderr=output, text=True, check=True)
        self.pid = int(shell.stdout)
        self.returncode: int | None = None
        self.inner = psutil.Process(self.pid)

    def poll(self) -> int | None:
        self.returncode = 0 if has_ended(self.inner) else None
        return self.returncode

    def wait(self, timeout: float = PATIENCE) -> int:
        wait_until(lambda: self.poll() is not None, "the server ends", timeout)
        return 0

    def send_signal(self, number: int) -> None:
        self.inner.send_signal(number)

    def kill(self) -> None:
        self.inner.kill()


class Nginx:
    """One nginx. Use it in a `with` statement: it ends there, and must have had nothing grave to say."""

    def __init__(self, keys: Path, build: Build | None, servers: list[Server], *, workers: int = 1, main: str = "",
                 http: str = "", multi_accept: str = "off", log_level: str = "notice",
                 env: dict[str, str] | None = None, ports: list[int] | None = None, events: str = "",
                 own_certificate: bool = True, detached: bool = False, switches: str = "", by_command: bool = False,
                 connections: int = 4096):
        self.folder = folder("nginx")
        self.keys, self.build, self.servers, self.workers = keys, build, servers, workers
        for server, port in zip(servers, ports or free_ports(len(servers))):
            server.port = port
        blocks = [conf.server(f"listen 127.0.0.1:{s.port} ssl backlog=4096 {s.listen};",
                              conf.certificate(keys, s.key) if own_certificate else "", s.text,
                              f"location / {{ {s.location} }}") for s in servers]
        self.conf = self.folder / "nginx.conf"
        self.conf.write_text(conf.nginx(self.folder, blocks, http=f"{conf.TLS} ssl_ciphers ALL;\n    {http}", main=main,
                                        workers=workers or 1, log=log_level, connections=connections,
                                        events=f"multi_accept {multi_accept}; {events}"))
        self.env = shim_environment(self.folder, build, switches) if build else clean_environment()
        self.prefix: list[str] = []
        if build and by_command:  # `octuple run` has to find shim and provider itself
            self.prefix = [str(build.octuple), "run", "--"]
            del self.env["LD_PRELOAD"]
        self.env.update(env or {})
        self.detached = detached
        self.process: subprocess.Popen[bytes] | Detached | None = None
        self.may_say: tuple[str, ...] = ()
        self.idle_fds = 0

    @property
    def port(self) -> int:
        return self.servers[0].port

    @property
    def log(self) -> str:
        path = self.folder / "error.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def start(self) -> "Nginx":
        nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin") or "nginx"
        command = [*self.prefix, nginx, "-c", str(self.conf)]
        with open(self.folder / "output", "wb") as output:
            if self.detached:
                self.process = Detached(command, self.env, output)
            else:
                self.process = subprocess.Popen(command, env=self.env, stdout=output, stderr=output)
        try:
            for server in self.servers:
                wait_port(server.port, self.process)
            wait_until(lambda: len(self.worker_pids()) == self.workers, "the workers start")
        except LabError as error:
            self.stop()
            raise LabError(f"{error}: {(self.folder / 'output').read_text()}{self.log}") from error
        return self

    def __enter__(self) -> "Nginx":
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        ended = self.stop()
        said, faults = self.log, self.faults()
        shutil.rmtree(self.folder, ignore_errors=True)
        if kind is None and (ended != 0 or faults):
            raise LabError(f"nginx ended with {ended} and said: {faults or said}")

    def faults(self) -> list[str]:
        return [line for line in self.log.splitlines()
                if any(word in line for word in SAYS_FAULT) and not any(word in line for word in self.may_say)]

    def stop(self) -> int:
        return 0 if self.process is None else end_process(self.process)

    def master(self) -> psutil.Process:
        assert self.process is not None
        return psutil.Process(self.process.pid)

    def worker_pids(self) -> list[int]:
        """Without those that are shutting down."""
        names = [(child.pid, name_of(child)) for child in self.master().children()]
        return [pid for pid, name in names if "worker process" in name and "shutting" not in name]

    def worker(self) -> psutil.Process:
        return psutil.Process(self.worker_pids()[0])

    def signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def reload(self) -> None:
        """Returns when new workers serve; old ones may still be about."""
        before = set(self.worker_pids())
        self.signal(signal.SIGHUP)
        wait_until(lambda: len(set(self.worker_pids()) - before) == self.workers, "new workers start")

    def counters(self) -> dict[str, Counts]:
        return read_counters(self.folder / "counters")

    def resident_kb(self) -> int:
        return sum(psutil.Process(pid).memory_info().rss for pid in self.worker_pids()) // 1024

    def fd_counts(self) -> list[int]:
        return [psutil.Process(pid).num_fds() for pid in self.worker_pids()]

    def uses_shim(self) -> bool:
        maps = [text for pid in self.worker_pids() if (text := maps_of(pid))]
        return bool(maps) and all("liboctuple-async" in text for text in maps)


def has_ended(process: psutil.Process) -> bool:
    """Also where it does so between two questions, or nobody has asked for its status."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def name_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def end_process(process: subprocess.Popen[bytes] | Detached) -> int:
    """Asks it to end, and ends it and what it has started if it does not."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        return process.wait(20)
    except subprocess.TimeoutExpired:
        for child in psutil.Process(process.pid).children():
            child.kill()
        process.kill()
        return process.wait()


def wait_until(condition, what: str, seconds: float | None = None) -> None:
    end = time.monotonic() + (PATIENCE if seconds is None else seconds)
    while not condition():
        if time.monotonic() > end:
            raise LabError(f"in vain waited until {what}")
        time.sleep(0.01)


def wait_port(port: int, process: subprocess.Popen[bytes] | Detached) -> None:
    def open_now() -> bool:
        if process.poll() is not None:
            raise LabError(f"the server ended with {process.returncode}")
        return answers(port)

    wait_until(open_now, f"port {port} is open")


def client_context(version: str = "1.3", ciphers: str = "ALL", certificate: Path | None = None,
                   key: Path | None = None, curve: str = "") -> ssl.SSLContext:
    """`curve`: the only group that is offered."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    number = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}[version]
    context.minimum_version = context.maximum_version = number
    context.set_ciphers(ciphers)
    if certificate is not None:
        context.load_cert_chain(certificate, key)
    if curve:
        context.set_ecdh_curve(curve)
    return context
