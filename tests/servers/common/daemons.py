# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers of the world, stock and with Octuple, before the same crowds of guests: what came of each guest, and how the
server ended, must be the same (crowd.py). lab/servers/services.py says how each is started and what it is asked."""

from __future__ import annotations

import random
import socket
import ssl
import struct
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab.servers import dialogue, services, web
from tests.servers.common import crowd, hellos, rig

HERD = 12


class Asker(crowd.Guest):
    """Has the server's dialogue. Its outcome is what TLS came to, if the answer is right."""

    def __init__(self, kind: str, context: ssl.SSLContext, talk: dialogue.Dialogue,
                 session: ssl.SSLSession | None = None):
        super().__init__(kind, context, None, session)
        self.talk, self.line = talk, talk.request

    def connect(self, port: int) -> None:
        super().connect(port)
        self.talk.before(self.sock)

    def heard(self) -> str:
        if self.talk.answer not in self.got:
            return ""
        name, version, _ = self.tls.cipher()
        return f"{version} {name}{', resumed' if self.tls.session_reused else ''}"


class Leaver(Asker):
    """Says hello and goes, before the server has answered."""

    def enter(self, port: int) -> None:
        super().enter(port)
        self.outcome = "gone"
        self.sock.close()


class Resetter(Leaver):
    """By RST."""

    def connect(self, port: int) -> None:
        super().connect(port)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Stranger(Asker):
    """Sends what is bad TLS, or no TLS. Its outcome is what the server says first. `half`: and sends no more after it,
    which a server sees that waits for the rest."""

    def __init__(self, kind: str, data: bytes, talk: dialogue.Dialogue, half: bool = False):
        super().__init__(kind, rig.client_context(), talk)
        self.data, self.half = data, half

    def advance(self) -> None:
        if not self.asked:
            self.asked = True
            self.sock.sendall(self.data)
            if self.half:
                with suppress(OSError):  # a server that has seen enough has closed it already
                    self.sock.shutdown(socket.SHUT_WR)

    def receive(self) -> None:
        try:
            more = self.sock.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            more = b""
        self.got += more
        if not more or self.got[:1] == bytes([hellos.ALERT]) and len(self.got) >= 7:
            self.outcome = f"heard {self.got[:7].hex()}"


def old_context() -> ssl.SSLContext:
    """TLS 1.1 and nothing else."""
    made = rig.client_context("1.2", "ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        made.minimum_version = made.maximum_version = ssl.TLSVersion.TLSv1_1
    return made


def strange(talk: dialogue.Dialogue) -> list[crowd.Guest]:
    """What few clients do: most of it is refused, by each server in its own way."""
    good, zero = (hellos.hello((hellos.X25519, share)) for share in (b"\x09" + bytes(31), bytes(32)))
    return [
        Stranger("half a connection", good, talk, half=True),
        Stranger("X25519 share of zeros", zero, talk),
        Stranger("share of a byte", hellos.hello((hellos.X25519, b"\x09")), talk),
        Stranger("no group", hellos.hello((0x6A6A, b"\0")), talk),
        Stranger("a record of version 9", good[:1] + b"\x09\x09" + good[3:], talk, half=True),
        Stranger("a message of no kind", good[:5] + b"\x63" + good[6:], talk, half=True),
        Stranger("half a hello", good[:60], talk, half=True),
        Asker("TLS 1.1", old_context(), talk),
        Asker("no suite", rig.client_context("1.2", "ECDHE+aECDSA"), talk),
        Asker("RSA key exchange", rig.client_context("1.2", "kRSA"), talk),
        *(Asker(f"1.2 by {curve}", rig.client_context("1.2", curve=curve), talk)
          for curve in ("prime256v1", "secp384r1", "secp521r1")),
    ]


@dataclass
class Seen:
    """What came of a server, and what was counted: at all, and by the last crowd, before which others have gone."""

    verdict: crowd.Verdict
    counts: dict[str, rig.Counts]
    last: dict[str, rig.Counts]


class Host:
    """A server that runs, and those who come to it. `worker`: of its pid, the process that has the handshakes; None if
    each connection has its own."""

    def __init__(self, server: services.MoreServer, worker: Callable[[int], int] | None):
        self.server, self.worker, self.guests = server, worker, []
        self.talk = server.kind.dialogue

    def uses_shim(self) -> bool:
        return "liboctuple-async" in (rig.maps_of(self.worker(self.server.child.pid)) or "")

    def receive(self, guests: list[crowd.Guest], together: bool = True) -> list[crowd.Guest]:
        """All at a time; together: their hellos arrive while the server stands still."""
        if any(guest.outcome == "hangs" for guest in self.guests):
            raise AssertionError(f"hangs: {crowd.outcomes(self.guests)}")
        if self.talk.before is not dialogue.at_once:
            for guest in guests:
                guest.connect(self.server.port)
        pid = self.worker(self.server.child.pid) if together and self.worker else None
        crowd.visit(self.server.port, guests, pid)
        self.guests += guests
        return guests

    def ask(self, kind: str, tls: ssl.SSLContext, size: int = HERD, together: bool = True,
            sessions: list[ssl.SSLSession] | None = None) -> list[crowd.Guest]:
        return self.receive([Asker(kind, tls, self.talk, session) for session in sessions or [None] * size], together)


def all_sorts(host: Host) -> None:
    """Full handshakes, resumed ones, those that go, and those that are refused; in the end all is well."""
    tls = {version: rig.client_context(version) for version in host.server.kind.versions}
    for version, made in tls.items():
        first = host.ask(f"{version} in a crowd", made)
        host.ask(f"{version} as they come", made, together=False)
        host.ask(f"{version} again", made, sessions=[guest.tls.session for guest in first])
    order = random.Random(1)
    for _ in range(2):
        mixed = [kind(name, made, host.talk) for version, made in tls.items()
                 for kind, name in ((Leaver, f"closes, {version}"), (Resetter, f"resets, {version}"),
                                    (Asker, f"{version} among these")) for _ in range(4)]
        order.shuffle(mixed)
        host.receive(mixed)
    mixed = strange(host.talk) + [Asker(f"{version} among strangers", made, host.talk) for version, made in tls.items()]
    order.shuffle(mixed)
    host.receive(mixed)


def with_certificates(keys: Path) -> Callable[[Host], None]:
    """What the clients of a server do that wants certificates by the authority `ca`."""
    def act(host: Host) -> None:
        for version in host.server.kind.versions:
            mixed = [Asker(f"{version}, none", rig.client_context(version), host.talk) for _ in range(2)]
            for kind in ("rsa2048", "ecdsa-p256", "ed25519"):
                for name in ("client", "expired", "stranger"):
                    tls = rig.client_context(version, "ALL", keys / f"{name}-{kind}.crt", keys / f"client-{kind}.key")
                    mixed += [Asker(f"{version}, {name}, {kind}", tls, host.talk) for _ in range(3)]
            random.Random(1).shuffle(mixed)
            host.receive(mixed)

    return act


def see(server: services.MoreServer, build: rig.Build | None, acts: Callable[[Host], None],
        worker: Callable[[int], int] | None, last: ssl.SSLContext | None) -> Seen:
    if build:
        server.settings = rig.shim_environment(server.folder, build)
    with server:
        host = Host(server, worker)
        acts(host)
        before = server.counters()
        host.ask("at last", last or rig.client_context(server.kind.versions[-1]), 2 * HERD)
        assert worker is None or host.uses_shim() == (build is not None)
        assert server.child.poll() is None, server.said()
        server.stop()
        verdict = crowd.Verdict(crowd.outcomes(host.guests), "", server.child.returncode, server.said()[-4000:])
        counts = server.counters()
        return Seen(verdict, counts, {name: count - before[name] for name, count in counts.items()})


def find(name: str) -> services.More:
    """A server by its name; skips the test if it is not installed."""
    kind = next(kind for kind in services.KINDS if kind.name == name)
    if kind.path() is None:
        pytest.skip(f"{name} is not installed ({kind.package})")
    return kind


def compare(kind: services.More, keys: Path, build: rig.Build, place: Path,
            acts: Callable[[Host], None] = all_sorts, worker: Callable[[int], int] | None = lambda pid: pid,
            last: ssl.SSLContext | None = None) -> Seen:
    """Both, and fails the test if their verdicts differ; what came of the one with Octuple. `worker` is that of Host,
    and `last` how the last crowd comes."""
    with web.Backend() as backend:
        stock, under = (see(services.MoreServer(kind, place / name, keys, "rsa2048", backend.port), which, acts,
                            worker, last) for name, which in (("stock", None), ("octuple", build)))
    crowd.compare(under.verdict, stock.verdict)
    assert not any(count.recomputed for count in under.counts.values()), under.counts
    assert under.counts["rsa2048-private"].failed == 0, under.counts  # other operations fail for bad shares
    return under


def served(seen: Seen, kind: str) -> bool:
    """All guests of a kind were."""
    return all(end.startswith("TLSv1") for end in seen.verdict.guests[kind])
