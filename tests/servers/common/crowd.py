# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Crowds of clients for test programs, and what became of each: no outcome ends a test before all are known.

A program of a test is a TLS server that echoes lines. It is started as `COMMAND PORT KEYS`, ends when its standard
input does, and prints then what it has seen, as JSON. It runs as it is and with Octuple, and both must come to the
same verdict.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import ssl
import subprocess
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lab import depth
from tests.servers.common import clients, rig

SECONDS = 60.0  # no crowd takes longer: who is not served then hangs


def amount(exhaustive: int, short: int) -> int:
    """How often something is done: with OCT_TEST_DEPTH=exhaustive so often, else `short` times."""
    return exhaustive if depth.EXHAUSTIVE else short


SIZE = amount(48, 24)


class Guest:
    """One connection: a handshake, a line, its echo. `kind` is what its outcome is counted under."""

    source: tuple[str, int] | None = None  # the address that it comes from
    waits = True  # for an outcome; one that does not leaves when all others are gone
    greeting = b""  # that the server sends first

    def __init__(self, kind: str, context: ssl.SSLContext, name: str | None = None,
                 session: ssl.SSLSession | None = None):
        self.kind, self.outcome = kind, ""
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=False, server_hostname=name,
                                    session=session)
        self.sock: socket.socket | None = None
        self.line, self.got, self.asked = f"{kind} {name}\n".encode() * 20, b"", False

    def connect(self, port: int) -> None:
        """And what is said before TLS."""
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=SECONDS, source_address=self.source)

    def enter(self, port: int) -> None:
        """Connects, if it has not, and sends its hello."""
        try:
            if self.sock is None:
                self.connect(port)
            self.greet()
            self.sock.setblocking(False)
        except OSError:
            self.outcome = "refused"

    def greet(self) -> None:
        """Once it is connected."""
        self.advance()

    def after(self) -> None:
        """All have come, and the server runs."""

    def receive(self) -> None:
        """What has come, and what follows from it."""
        assert self.sock is not None
        try:
            data = self.sock.recv(65536)
            if data:
                self.incoming.write(data)
                self.advance()
            else:
                self.outcome = "closed"
        except BlockingIOError:
            pass
        except OSError:
            self.outcome = "closed"

    def advance(self) -> None:
        assert self.sock is not None
        try:
            if not self.asked:
                self.tls.do_handshake()
                self.tls.write(self.line)
                self.asked = True
            while not (said := self.heard()):
                more = self.tls.read(4096)
                if not more:
                    self.outcome = "closed"
                    return
                self.got += more
            self.outcome = said
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            self.outcome = "closed"
        except ssl.SSLError as error:
            self.outcome = f"error {error.reason}"
        finally:
            data = self.outgoing.read()
            if data:
                self.sock.sendall(data)

    def heard(self) -> str:
        """The outcome, once all of the echo has come."""
        wanted = self.greeting + self.line
        if len(self.got) < len(wanted):
            return ""
        return "good" if self.got == wanted else "wrong echo"

    def leave(self) -> None:
        if self.sock is not None:
            self.sock.close()


def visit(port: int, guests: list[Guest], pid: int | None = None, seconds: float = SECONDS) -> None:
    """All of them at a time. With the server's pid, their hellos arrive at the same time."""
    if pid is None:
        for guest in guests:
            guest.enter(port)
    else:
        with clients.stopped(pid):
            for guest in guests:
                guest.enter(port)
    poller = selectors.DefaultSelector()
    for guest in guests:
        guest.after()
    inside = [guest for guest in guests if not guest.outcome]
    for guest in inside:
        poller.register(guest.sock, selectors.EVENT_READ, guest)
    end = time.monotonic() + seconds
    while any(not guest.outcome for guest in inside if guest.waits) and (left := end - time.monotonic()) > 0:
        news = poller.select(min(left, 0.5))
        for entry, _ in news:
            entry.data.receive()
            if entry.data.outcome:
                poller.unregister(entry.fileobj)
        if not news and pid is not None and pid < 0:  # a child of the group may have been stopped at its birth
            os.kill(pid, signal.SIGCONT)
    for guest in guests:
        guest.outcome = guest.outcome or ("hangs" if guest.waits else "left")
        guest.leave()


def outcomes(guests: Iterable[Guest]) -> dict[str, dict[str, int]]:
    """How many of each kind came to each end."""
    counts: dict[str, Counter[str]] = {}
    for guest in guests:
        counts.setdefault(guest.kind, Counter())[guest.outcome] += 1
    return {kind: dict(count) for kind, count in counts.items()}


@dataclass(frozen=True)
class Verdict:
    """What came of a program and its guests. What it wrote to its standard error is shown and not compared."""

    guests: dict[str, dict[str, int]]
    said: object
    status: int | str
    errors: str = field(default="", compare=False)


def compare(under: Verdict, stock: Verdict) -> None:
    """Fails the test with both verdicts, if they are not the same."""
    if under != stock:
        raise AssertionError(f"the verdict is not stock's\nstock:   {stock}\nOctuple: {under}")


def program(name: str, build: rig.Build, package: str) -> str:
    """One of the folder programs/ that the build has made, if it found what the package brings."""
    path = build.folder / f"bin/octuple_program_{name}"
    if not path.exists():
        pytest.skip(f"{path.name} is not built ({package})")
    return str(path)


class Program:
    """A program of a test, with Octuple if there is a build. Use it in a `with` statement."""

    def __init__(self, command: list[str], keys: Path, build: rig.Build | None, place: Path, **env: str):
        self.build, self.port, self.guests = build, rig.free_ports(1)[0], []
        self.env = rig.shim_environment(place, build) if build else rig.clean_environment()
        self.env.update(env)
        self.errors = place / "errors"
        self.command = [*command, str(self.port), str(keys)]

    def __enter__(self) -> "Program":
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(self.command, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=errors, text=True)
        try:
            rig.wait_port(self.port, self.process)
        except rig.LabError as error:
            self.__exit__()
            raise rig.LabError(f"{error}: {self.text()}") from error
        return self

    def __exit__(self, *unused: object) -> None:
        self.process.kill()
        self.process.communicate()

    def text(self) -> str:
        return self.errors.read_text(errors="replace")[-4000:]

    @property
    def runs(self) -> bool:
        return self.process.poll() is None

    def receive(self, guests: list[Guest], together: bool = True, seconds: float = SECONDS) -> list[Guest]:
        """Some more; together: their hellos arrive at the same time. Where one hangs, nobody comes after it."""
        if any(guest.outcome == "hangs" for guest in self.guests):
            for guest in guests:
                guest.outcome = "not sent"
        else:
            visit(self.port, guests, self.process.pid if together and self.runs else None, seconds)
        self.guests += guests
        return guests

    def uses_shim(self) -> bool:
        return "liboctuple-async" in (rig.maps_of(self.process.pid) or "")

    def in_lanes(self) -> int:
        """How many private RSA operations its lanes did."""
        return rig.read_counters(self.errors.parent / "counters")["rsa2048-private"].done

    def paused(self) -> bool:
        """Whether handshakes waited for some operation, if only until somebody looked."""
        return any(count.submitted for count in rig.read_counters(self.errors.parent / "counters").values())

    def verdict(self) -> Verdict:
        """Asks it to end."""
        assert not self.runs or self.uses_shim() == (self.build is not None)
        try:
            said, _ = self.process.communicate("", timeout=SECONDS)
            status: int | str = self.process.returncode
        except (subprocess.TimeoutExpired, BrokenPipeError):
            os.kill(self.process.pid, signal.SIGKILL)
            said, status = self.process.communicate()[0], "does not end"
        try:
            told: object = json.loads(said)
        except ValueError:
            told = said
        return Verdict(outcomes(self.guests), told, status, self.text())
