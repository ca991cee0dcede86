# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What can be wrong with records and with TCP: nonsense, pieces, alerts and ends in every state of both versions."""

from __future__ import annotations

from . import wire
from tests.servers.hostile.engine import Kind
from tests.servers.hostile.kinds_good import END_12, END_13, FLIGHT_12, FLIGHT_13, RSA_FLIGHT
from tests.servers.hostile.kinds_hello import fragments
from tests.servers.hostile.peer import Peer
from tests.servers.hostile.steps import (TURN, alert, ccs, close, ecdhe, finished, half_close, hello12, hello13,
                                         plain, raw, reset, rsa, send, times)
from tests.servers.hostile.wire import message, record

NONSENSE = bytes(range(200))


def as_record(**settings):
    def send_it(peer: Peer, whole: bytes) -> None:
        peer.raw(record(settings.get("kind", wire.HANDSHAKE), whole, settings.get("version", 0x0301),
                        settings.get("length")))
    return send_it


def part(share: float):
    """The first part of a hello."""
    return lambda peer, whole: peer.raw(record(22, whole, 0x0301)[:int(len(whole) * share)])


def around(between: bytes):
    """A hello in two records with something between them."""
    return lambda peer, whole: peer.raw(record(22, whole[:50], 0x0301) + between + record(22, whole[50:], 0x0301))


def hello_as(name: str, send_it) -> list[Kind]:
    return [Kind(f"hello: {name}", "1.3", (hello13(send=send_it), FLIGHT_13[1:], END_13)),
            Kind(f"hello: {name}", "1.2", (hello12(send=send_it), FLIGHT_12[1:], END_12))]


FIRST = [Kind(f"first: {name}", "any", (raw(data), TURN)) for name, data in {
    "an HTTP request": b"GET / HTTP/1.0\r\n\r\n", "nonsense": NONSENSE, "zeros": bytes(100), "all ones": b"\xff" * 100,
    "an SSL 2 hello": bytes.fromhex("802b0100020012000000100100800700c0030080060040020080040080") + bytes(16),
    "SSH": b"SSH-2.0-OpenSSH_9.2\r\n", "PROXY protocol": b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n", "a byte": b"\x16",
    "half a record header": b"\x16\3\1",
    "a record header": b"\x16\3\1\2\0", "an empty handshake record": record(22, b""),
    "forty empty handshake records": record(22, b"") * 40,
    "an empty data record": record(23, b""), "a data record": record(23, NONSENSE),
    "a heartbeat": record(24, b"\1\x40\0"), "an unknown record": record(80, NONSENSE),
    "a record of 2^14 + 1": record(22, bytes((1 << 14) + 1)), "a record of 65535": record(22, bytes(65535)),
    "an empty alert": record(21, b""), "an alert of one byte": record(21, b"\2"),
    "an alert of three bytes": record(21, b"\2\x28\0"),
    "an alert of level 3": record(21, b"\3\x28"), "a fatal alert": record(21, b"\2\x28"),
    "close_notify": record(21, b"\1\0"),
    "a warning": record(21, b"\1\x5a"), "forty warnings": record(21, b"\1\x5a") * 40,
    "a hello request": record(22, message(0, b"")),
    "a server hello": record(22, message(2, NONSENSE)), "a client key exchange": record(22, message(16, NONSENSE)),
    "an unknown message": record(22, message(99, NONSENSE)), "half a message": record(22, message(1, NONSENSE)[:40]),
}.items()]

HELLOS = [
    *hello_as("in one-byte records", fragments(1)), *hello_as("in records of 7 bytes", fragments(7)),
    *hello_as("record of version 5.5", as_record(version=0x0505)),
    *hello_as("record of SSL 3.0", as_record(version=0x0300)),
    *hello_as("record of version 3.4", as_record(version=0x0304)),
    *hello_as("record of version 3.255", as_record(version=0x03FF)),
    *hello_as("as data", as_record(kind=wire.DATA)), *hello_as("as an alert", as_record(kind=wire.ALERT)),
    *hello_as("as type 0", as_record(kind=0)),
    *hello_as("record longer than it is", as_record(length=0x1000)),
    # What follows is then the hello's length and version, and not its random bytes,
    # which a server may take for anything.
    *hello_as("record shorter than it is", as_record(length=1)),
    *hello_as("a warning within", around(record(21, b"\1\x5a"))),
    *hello_as("ChangeCipherSpec within", around(record(20, b"\1"))),
    *hello_as("data within", around(record(23, NONSENSE))),
    *hello_as("an empty record within", around(record(22, b""))),
    *hello_as("a fatal alert within", around(record(21, b"\2\x28"))),
    *hello_as("another in the same record", lambda peer, whole: peer.raw(record(22, whole * 2, 0x0301))),
    *hello_as("a Finished in the same record", lambda peer,
              whole: peer.raw(record(22, whole + message(20, bytes(32)), 0x0301))),
    *hello_as("half a message behind it", lambda peer,
              whole: peer.raw(record(22, whole + message(20, bytes(32))[:9], 0x0301))),
    *hello_as("nonsense behind it", lambda peer, whole: peer.raw(record(22, whole, 0x0301) + NONSENSE)),
]

# States in which a client does something of which the server's state is none the wiser.
STATES = {
    "connected": ("any", (TURN,)),
    "in the hello": ("1.3", (hello13(send=part(0.5)),)),
    "behind the hello": ("1.3", (hello13(),)),
    "behind the hello, server reads": ("1.3", (hello13(), TURN)),
    "at the server's Finished": ("1.3", FLIGHT_13),
    "behind Finished": ("1.3", (FLIGHT_13, finished())),
    "when served": ("1.3", (FLIGHT_13, END_13[:-1])),
    "behind the request": ("1.3", (FLIGHT_13, END_13)),
    "behind the hello ": ("1.2", (hello12(),)),
    "at ServerHelloDone": ("1.2", FLIGHT_12),
    "behind ClientKeyExchange": ("1.2", (FLIGHT_12, ecdhe())),
    "behind ClientKeyExchange, RSA": ("1.2", (RSA_FLIGHT, rsa())),
    "behind ChangeCipherSpec": ("1.2", (FLIGHT_12, ecdhe(), ccs())),
    "behind Finished ": ("1.2", (FLIGHT_12, ecdhe(), ccs(), finished())),
    "behind Finished, RSA": ("1.2", (RSA_FLIGHT, rsa(), ccs(), finished())),
    "when served ": ("1.2", (FLIGHT_12, END_12[:-1])),
    "behind the request ": ("1.2", (FLIGHT_12, END_12)),
}
ENDS = {
    "half-close": half_close, "close": close, "reset": reset, "silence": TURN, "fatal alert": alert(2, 40),
    "close_notify": alert(1, 0),
    "warning": alert(1, 90), "plain fatal alert": plain(wire.ALERT, b"\2\x28"),
    "alert of one byte": send(wire.ALERT, b"\2"),
    "nonsense": raw(NONSENSE), "close_notify and half-close": (alert(1, 0), half_close),
    "six warnings": times(6, alert(1, 90)),
}
STATE_KINDS = [Kind(f"{end} {state.strip()}", version, (steps, what))
               for state, (version, steps) in STATES.items() for end, what in ENDS.items()]

KINDS = FIRST + HELLOS + STATE_KINDS
