# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx with the key of a set-up on each side, and what it has to stand."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from lab import counters, load, machine, process
from lab.programs import Build
from lab.servers import conf
from lab.servers.nginx import Nginx, ServerError
from tests.places.keys.setups import Setup

SIDES = {"stock": None, "octuple": "", "OCTUPLE_KEYS=16": "16"}
HANDSHAKE = load.named("tls13-rsa2048")
CONNECTIONS = 32
ABORTS_AT_A_TIME = 8
HANDSHAKES = 10
VERSIONS = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
class KeyNginx(Nginx):
    def __init__(self, name: str, folder: Path, setup: Setup, build: Build | None, threads: str | None):
        super().__init__(name, folder, setup.folder, ["tls"], 0, build)
        self.setup = setup
        self.cpu = min(os.sched_getaffinity(0))
        self.settings = setup.environment | {"OPENSSL_CONF": str(setup.conf)}
        if build and setup.by_hand:
            self.settings |= setup.with_octuple(build)
        if threads:
            self.settings["OCTUPLE_KEYS"] = threads

    def preload(self, library: Path) -> None:
        before = self.settings.get("LD_PRELOAD")
        self.settings["LD_PRELOAD"] = f"{before}:{library}" if before else str(library)

    def launcher(self) -> list[str]:
        return [] if self.setup.by_hand else super().launcher()

    @property
    def port(self) -> int:
        return self.ports["tls"]

    def write_config(self) -> None:
        self.folder.mkdir(mode=0o755, parents=True)
        self.counters_folder.mkdir()
        self.counters_folder.chmod(0o1777)
        kept = "".join(f"env {name};\n" for name in self.settings)
        one = conf.server(f"listen 127.0.0.1:{self.port} ssl backlog=4096;",
                          f"ssl_certificate {self.setup.certificate};", f'ssl_certificate_key "{self.setup.key}";',
                          conf.ANSWER)
        (self.folder / "nginx.conf").write_text(conf.nginx(self.folder, [one], main=kept))

    def reload(self) -> None:
        """Returns when a new worker serves; the old one may still be about."""
        before = set(process.children(self.master.pid))
        self.master.send_signal(signal.SIGHUP)
        end = time.monotonic() + 20
        while not (new := set(process.children(self.master.pid)) - before):
            if time.monotonic() > end:
                raise ServerError(f"no new worker after a reload: {self.said()}")
            time.sleep(0.02)
        self.worker = new.pop()

    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.worker}/task").iterdir()))

    def not_loaded(self) -> list[str]:
        """What the worker ought to have mapped and has not: the set-up's module, and Octuple."""
        maps = Path(f"/proc/{self.worker}/maps").read_text()
        wanted = [self.setup.module] + ([self.build.shim.name, self.build.provider.name] if self.build else [])
        return [f"{name} is not loaded" for name in wanted if f"/{name}" not in maps]

    def log(self) -> set[str]:
        """Its lines without times and numbers, which differ from run to run."""
        lines = (self.folder / "error.log").read_text(errors="replace").splitlines()
        return {re.sub(r"\d+", "N", re.sub(r"^\S+ \S+ ", "", line)) for line in lines}


def context(version: str, certificate: Path) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.load_verify_locations(certificate)
    made.minimum_version = made.maximum_version = VERSIONS[version]
    return made


def ask(port: int, tls: ssl.SSLContext) -> None:
    """One verified handshake and one answer, or an exception."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as raw, tls.wrap_socket(raw) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        got = b""
        while more := sock.recv(4096):
            got += more
    if b"200 OK" not in got:
        raise ServerError(f"no proper answer: {got!r}")


def abort_some(port: int, tls: ssl.SSLContext) -> None:
    """Clients that say hello and are gone, by a reset or not, while the device works."""
    sockets = []
    for number in range(ABORTS_AT_A_TIME):
        outgoing = ssl.MemoryBIO()
        client = tls.wrap_bio(ssl.MemoryBIO(), outgoing)
        try:
            client.do_handshake()
        except ssl.SSLWantReadError:
            pass
        sock = socket.create_connection(("127.0.0.1", port), timeout=20)
        if number % 2:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.sendall(outgoing.read())
        sockets.append(sock)
    time.sleep(0.001)
    for sock in sockets:
        sock.close()


def disturb(nginx: KeyNginx, tls: ssl.SSLContext, seconds: float, problems: list[str]) -> int:
    """Aborts, and a reload in the middle; how many aborts."""
    start, aborts = time.monotonic(), 0
    reloaded = not nginx.setup.reloads
    try:
        while time.monotonic() < start + seconds:
            abort_some(nginx.port, tls)
            aborts += ABORTS_AT_A_TIME
            if not reloaded and time.monotonic() > start + seconds / 2:
                nginx.reload()
                reloaded = True
            time.sleep(0.05)
    except (OSError, ServerError) as failure:
        problems.append(f"while clients went: {failure}")
    return aborts


def verified(nginx: KeyNginx, when: str, problems: list[str]) -> None:
    for version in VERSIONS:
        tls = context(version, nginx.setup.certificate)
        for number in range(HANDSHAKES):
            try:
                ask(nginx.port, tls)
            except (OSError, ServerError) as failure:
                problems.append(f"{when}, TLS {version}, number {number + 1}: {failure}")


def use(nginx: KeyNginx, build: Build, seconds: float, problems: list[str]) -> tuple[str, int]:
    """All that is done with one nginx; a line on it, and the threads of its worker."""
    tls = context("1.3", nginx.setup.certificate)
    verified(nginx, "at first", problems)
    problems += nginx.not_loaded()
    cpu = max(os.sched_getaffinity(0))
    quiet = load.run(build.load, nginx.port, cpu, HANDSHAKE, connections=CONNECTIONS, seconds=seconds)
    threads = nginx.threads()
    aborts = []
    crowd = threading.Thread(target=lambda: aborts.append(disturb(nginx, tls, seconds, problems)))
    crowd.start()
    rough = load.run(build.load, nginx.port, cpu, HANDSHAKE, connections=CONNECTIONS, seconds=seconds)
    crowd.join()
    verified(nginx, "at last", problems)
    failed = quiet["failed_total"] + rough["failed_total"]
    if failed or not quiet["completed"]:
        problems.append(f"{failed} of the load's handshakes failed, {quiet['completed']} did not")
    return (f"{quiet['completed'] / seconds:.0f} handshakes/s; {quiet['completed'] + rough['completed']} in all, "
            f"{failed} failed, {aborts[0]} aborted, {threads} thread{'s' if threads > 1 else ''}"), threads


def lanes(nginx: KeyNginx) -> int:
    files = nginx.counters_folder.glob("*.octuple")
    return counters.total(counters.read(path) for path in files)["rsa2048-private"].done


def judge_counted(way: str, counted: list[dict]) -> list[str]:
    """What is wrong with it."""
    begun, alone = (sum(numbers) for numbers in ([keys["begun"] for keys in counted],
                                                 [keys["inside"]["alone"] for keys in counted]))
    threads, pausing = (sum(keys[name] for keys in counted) for name in ("by_threads", "by_pausing"))
    good = {"threads": threads > begun / 2, "pausing": pausing > begun / 2, "alone": begun > 0 and alone == begun,
            "": begun == 0}[way]
    return [] if good else [f"{begun} operations, {threads} in helper threads, {pausing} paused, {alone} left alone"]


def one_side(setup: Setup, side: str, build: Build, seconds: float, stock: dict) -> bool:
    threads = SIDES[side]
    nginx = KeyNginx(side, setup.folder / side, setup, None if threads is None else build, threads)
    problems: list[str] = []
    if setup.preload:
        nginx.preload(build.folder / "lib" / setup.preload)
    with nginx:
        line, count = use(nginx, build, seconds, problems)
        ended = nginx.stop() or nginx.master.returncode
    said = nginx.log()
    if ended:
        problems.append(f"nginx ended with status {ended}")
    if side == "stock":
        stock.update(log=said, threads=count)
    if threads is not None and (lanes(nginx) > 0) == bool(setup.way):
        problems.append(f"{lanes(nginx)} signatures ran in lanes")  # of keys that are files alone
    if threads == "16":
        problems += judge_counted(setup.way, counters.of_keys(build.octuple, nginx.counters_folder))
    wanted = threads == "16" and setup.way == "threads"
    if (count > stock["threads"]) != wanted and setup.way != "pausing":  # the engine has a thread that completes jobs
        problems.append(f"{count} threads, and stock has {stock['threads']}")
    problems += [f"log: {text}" for text in sorted(said - stock["log"])]
    problems += [f"log: {text}" for text in sorted(said) if "exited on signal" in text]
    print(f"  {side}: {line}", *(f"    BAD: {text}" for text in problems), sep="\n", flush=True)
    return not problems


def run(kind: type[Setup], name: str, build: Build, seconds: float) -> bool:
    if kind.flag and kind.flag not in machine.cpu()[1]:
        print(f"{name}: skipped: the processor has no {kind.flag}", flush=True)
        return True
    folder = Path(tempfile.mkdtemp(prefix=f"octuple-keys-{name}-"))
    folder.chmod(0o755)
    setup = kind(folder / "setup")
    stock: dict = {}
    print(f"{name}:", flush=True)
    try:
        setup.start()
        good = [one_side(setup, side, build, seconds, stock) for side in SIDES]
    except (ServerError, load.LoadError, OSError, subprocess.CalledProcessError) as failure:
        print(f"  {failure}")
        good = [False]
    finally:
        setup.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{name}: {'good' if all(good) else 'BAD'}", flush=True)
    return all(good)
