# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""One run of a server made at random (random/server.h): it is started, two crowds visit it, and what came of each guest
is its verdict."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import ssl
import struct
import subprocess
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from socket import SHUT_WR, SO_LINGER, SOL_SOCKET

from tests.servers.adversary import forger
from tests.servers.common import crowd, rig
from tests.servers.random import kinds, plan

SECONDS = 30.0  # also on a machine that is busy
PATIENCE = 0.002  # seconds at most before a client resets
# How far the server gets with them is a matter of time.
VAGUE = ("reset", "silent", "garbage", "cut", "leaves", "aborts")
# So it is with those that it leaves itself, and which of several ways comes first.
SHORT = ("dropped", "victim", "cleared")


class Visitor(crowd.Guest):
    """A guest with a way of its own to behave, and a number by which the server knows it."""

    heir_of = 0  # the number of the guest whose session it has

    def __init__(self, number: int, way: str, context: ssl.SSLContext, session: ssl.SSLSession | None, greeting: bytes):
        super().__init__(f"{number}", context, f"guest{number}.test", session)
        self.number, self.way, self.greeting = number, way, greeting
        self.source, self.waits = (f"127.0.1.{number}", 0), way not in VAGUE
        self.rest = b""

    def part(self, first: int) -> None:
        """Says a part of its hello now."""
        assert self.sock is not None
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        hello = self.outgoing.read()
        self.sock.sendall(hello[:first])
        self.rest = hello[first:]

    def greet(self) -> None:
        if self.way in ("slow", "split", "cut"):
            self.part({"slow": 3, "split": 150, "cut": 100}[self.way])
        elif self.way == "garbage":
            assert self.sock is not None
            self.sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
        else:
            super().greet()
        if self.way == "half":
            assert self.sock is not None
            self.sock.shutdown(SHUT_WR)

    def after(self) -> None:
        if self.sock is None or self.outcome:
            return
        try:
            if self.way in ("slow", "split"):
                self.sock.setblocking(True)
                self.sock.sendall(self.rest)
                self.sock.setblocking(False)
            elif self.way == "reset":
                self.sock.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                self.sock.close()
                self.outcome = "left"
            elif self.way == "aborts" and self.number % 3 == 0:
                self.abort()
            elif self.way in ("cut", "leaves"):
                self.sock.close()
                self.outcome = "left"
        except OSError:
            self.outcome = "closed"

    def abort(self) -> None:
        """At any moment."""
        assert self.sock is not None
        time.sleep(random.random() * PATIENCE)
        self.sock.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()
        self.outcome = "left"

    def receive(self) -> None:
        if self.way == "aborts":
            super().receive()
            if not self.outcome and (self.asked or self.number % 3 == 1):
                self.abort()
        elif self.way in VAGUE:
            try:
                assert self.sock is not None
                self.outcome = "" if self.sock.recv(65536) else "left"
            except BlockingIOError:
                pass
            except OSError:
                self.outcome = "left"
        else:
            super().receive()

    def result(self) -> str:
        if self.way in VAGUE:
            return "left"
        if self.way in kinds.BAD_CLIENTS and self.outcome not in ("good", "hangs"):
            return "refused"  # the alert, or a reset that overtakes it
        if self.way == "half" and "DECODE_ERROR" in self.outcome:
            return "closed"  # its hello has waited, and was thrown away: the one difference that docs/limits.md names
        return self.outcome + (" resumed" if self.outcome == "good" and self.tls.session_reused else "")


class Forger(forger.Forger):
    """One with another's certificate."""

    way, waits, heir_of = "forged", True, 0

    def __init__(self, number: int, certificate: Path):
        super().__init__("signature", certificate)
        self.number, self.source = number, (f"127.0.1.{number}", 0)

    def result(self) -> str:
        return self.outcome if self.outcome in ("answered", "hangs") else "refused"


def not_decided(said: object) -> set[str]:
    """Guests whose callback ran outside of the server's own calls, so that what it would have done was left out."""
    if not isinstance(said, dict):
        return set()
    return {number for number, one in said["guests"].items() if "not decided" in one}


@dataclass(frozen=True)
class Verdict:
    """What the guests say, what the server says of each, and how it ended. The rest is shown and not compared."""

    guests: dict[int, str]
    said: object
    status: int | str
    errors: str = field(default="", compare=False)
    in_lanes: int = field(default=0, compare=False)
    heirs: dict[int, int] = field(default_factory=dict, compare=False)  # who resumes whose session

    @property
    def bad(self) -> bool:
        return "hangs" in self.guests.values() or self.status != 0 or not isinstance(self.said, dict) or \
            bool(self.said["open"]) or bool(self.said["bad ends"])

    def is_like(self, stock: Verdict) -> bool:
        """Where Octuple runs a call to its end itself (docs/limits.md), there is nothing that its callback could jump
        to, and its server may have put it aside. Such guests are not compared, nor those who resume their sessions."""
        apart = not_decided(self.said) - not_decided(stock.said)
        apart |= {str(heir) for heir, number in self.heirs.items() if str(number) in apart}
        return self.without(apart) == stock.without(apart)

    def without(self, numbers: set[str]) -> Verdict:
        if not numbers or not isinstance(self.said, dict):
            return self
        guests = {number: result for number, result in self.guests.items()
                  if str(number) not in numbers or result == "hangs"}
        heard = {number: one for number, one in self.said["guests"].items() if number not in numbers}
        return replace(self, guests=guests, said=self.said | {"guests": heard})


class Runner:
    """Runs plans, stock and with Octuple, in a folder of its own."""

    def __init__(self, build: rig.Build, keys: Path):
        self.build, self.keys, self.place = build, keys, rig.folder("random")
        assert (keys / "ca.crl").exists(), "credentials.revoke() makes it"
        self.shim_environment = rig.shim_environment(self.place, build)
        self.contexts: dict[str, ssl.SSLContext] = {}
        self.seconds = SECONDS

    def end(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)

    def server(self, words: list[str]) -> str:
        """How it comes by libssl."""
        libssl = plan.text(words, "libssl")
        name = {"": "server", "plugin": "opened"}.get(libssl, "reached")
        return str(self.build.folder / "bin" / f"octuple_random_{name}")

    def context(self, words: list[str], way: str = "") -> ssl.SSLContext:
        """Of a guest, who may have another certificate than most."""
        key = plan.text(words, "guests-key")
        if way in kinds.BAD_CLIENTS:
            key = "" if way == "nobody" else key.replace("client", way)
        if key not in self.contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            context.set_ciphers("ALL")
            context.set_alpn_protocols(["it"])
            if key:
                context.load_cert_chain(self.keys / f"{key}.crt", self.keys / f"client-{key.split('-', 1)[1]}.key")
            self.contexts[key] = context
        return self.contexts[key]

    def visitors(self, words: list[str], before: list[Visitor]) -> list[Visitor]:
        """The next crowd."""
        ways = plan.ways(words, "guests2" if before else "guests1")
        first = plan.SECOND if before else 1
        sessions = {guest.number: guest.tls.session for guest in before
                    if guest.outcome == "good" and guest.way not in kinds.BAD_CLIENTS}
        greeting = b"welcome\n" if plan.text(words, "call") in ("write", "greets") else b""
        more = []
        for number, way in enumerate(ways, first):
            if way == "forged":
                more.append(Forger(number, self.keys / "client-rsa2048.crt"))
                continue
            giver = (number - first) % max(len(before), 1) + 1 if way == "resumes" else 0
            more.append(Visitor(number, way, self.context(words, way), sessions.get(giver), greeting))
            more[-1].heir_of = giver
        return more

    def run(self, words: list[str], with_octuple: bool) -> Verdict:
        env = self.shim_environment if with_octuple else rig.clean_environment()
        if plan.text(words, "memory"):
            env = env | {"OCTUPLE_LOOPS": "auto,memory=" + plan.text(words, "memory")}
        errors = self.place / "errors"
        with open(errors, "wb") as output:
            process = subprocess.Popen([self.server(words), str(self.keys), *words], env=env, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=output, text=True, start_new_session=True)
        try:
            return self.judge(words, process, errors)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # workers and children, where it has not ended itself
            except ProcessLookupError:
                pass
            process.communicate()
            for path in (self.place / "counters").glob("*.octuple"):
                path.unlink()

    def judge(self, words: list[str], process: subprocess.Popen[str], errors: Path) -> Verdict:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            return Verdict({}, None, f"does not start: {process.wait()}", errors.read_text(errors="replace"))
        guests: list[Visitor] = []
        for _ in range(2):
            more = self.visitors(words, guests)
            if more and process.poll() is None:
                crowd.visit(int(line), more, -process.pid, self.seconds)
            guests += more
            if any(guest.outcome == "hangs" for guest in guests):
                break
        try:
            said, _ = process.communicate("", timeout=2 * SECONDS)
            status: int | str = process.returncode
        except (subprocess.TimeoutExpired, BrokenPipeError):
            said, status = "", "does not end"
        in_lanes = sum(count.done for count in rig.read_counters(self.place / "counters").values())
        results = {guest.number: self.result(words, guest) for guest in guests}
        heirs = {guest.number: guest.heir_of for guest in guests}
        return Verdict(results, self.settled(words, said, guests), status,
                       errors.read_text(errors="replace")[-2000:], in_lanes, heirs)

    @staticmethod
    def result(words: list[str], guest: Visitor) -> str:
        """Whom the server leaves in the middle hears of it in one way or another."""
        result = guest.result()
        return "left" if plan.leaves(words, guest.number) and result not in ("good", "hangs") else result

    @staticmethod
    def settled(words: list[str], text: str, guests: list[Visitor]) -> object:
        """What the server says, without what is a matter of time."""
        try:
            said = json.loads(text)
        except ValueError:
            return text
        for guest in guests:
            one = said["guests"].get(str(guest.number))
            if one is None:
                continue
            if guest.way in VAGUE or guest.way == "half":
                del said["guests"][str(guest.number)]
            elif plan.leaves(words, guest.number) or one["end"] in SHORT:
                said["guests"][str(guest.number)] = "left early"
            elif plan.text(words, "gone"):  # epoll may tell of the end, or libssl, in any call
                said["guests"][str(guest.number)] = {key: one[key] for key in ("open", "not decided") if key in one}
            elif guest.way == "forged":
                one["end"] = ""  # what its signature looks like, which is random
        return said
