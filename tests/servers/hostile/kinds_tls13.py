# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What can be wrong with a handshake of TLS 1.3 after its hello."""

from __future__ import annotations

from . import wire
from tests.servers.hostile.engine import Kind
from tests.servers.hostile.kinds_good import END_13, FLIGHT_13
from tests.servers.hostile.kinds_hello import offer
from tests.servers.hostile.steps import (TICKETS, TURN, bent, ccs, certificate, finished, hello13, key_update, plain,
                                         raw, request, say, send, times, verify)
from tests.servers.hostile.wire import flip, message, record, u16, v24, v8

SERVED_13 = (FLIGHT_13, END_13[:-1])


def served(name: str, *steps) -> Kind:
    """Of a client that does this when its handshake is over."""
    return Kind(name, "1.3", (SERVED_13, steps, TURN))


def before_finished(name: str, *steps) -> Kind:
    """Of a client that does this when it has the server's flight."""
    return Kind(name, "1.3", (FLIGHT_13, steps, TURN))


TEXT = b"GET / HTTP/1.0\r\n\r\n"
NONSENSE = bytes(range(1, 60))


def inner(text: bytes):
    """A protected record with just this inside, content type and padding included."""
    def step(peer) -> None:
        state = peer.layer._writeState  # pylint: disable=protected-access
        number = state.getSeqNumBytes()
        nonce = peer.layer._getNonce(state, number)  # pylint: disable=protected-access
        header = b"\x17\3\3" + u16(len(text) + state.encContext.tagLength)
        peer.raw(header + bytes(state.encContext.seal(nonce, bytearray(text), bytearray(header))))
    return step


def slowly(peer) -> None:
    """Finished, a byte in each record."""
    whole = message(20, peer.finished())
    for byte in whole:
        peer.raw(peer.seal(22, bytes([byte])))
    peer.transcript.update(whole)
    peer.after_finished()


FINISHEDS = [
    before_finished("Finished: wrong", finished(flip)),
    before_finished("Finished: 31 bytes", finished(lambda it: it[:31])),
    before_finished("Finished: 33 bytes", finished(lambda it: it + b"\0")),
    before_finished("Finished: no bytes", finished(lambda it: b"")),
    before_finished("Finished: without protection", lambda peer: peer.raw(record(22, message(20, peer.finished())))),
    Kind("Finished: with the hello", "1.3", (hello13(), plain(wire.HANDSHAKE, message(20, bytes(32))), TURN)),
    Kind("Finished: first of all", "1.3", (plain(wire.HANDSHAKE, message(20, bytes(32))), TURN)),
    before_finished("Finished: twice in one record", lambda peer: peer.send(22, message(20, peer.finished()) * 2)),
    served("Finished: once more afterwards", send(wire.HANDSHAKE, message(20, bytes(32)))),
    before_finished("Finished: its tag changed",
                    lambda peer: peer.raw(flip(peer.seal(22, message(20, peer.finished()))))),
    before_finished("Finished: in one-byte records", slowly, TICKETS, request),
    before_finished("Finished: a key update in its record",
                    lambda peer: peer.send(22, message(20, peer.finished()) + message(24, b"\0"))),
    before_finished("Finished: half of it, then data", lambda peer: peer.send(22, message(20, peer.finished())[:9]),
                    send(wire.DATA, TEXT)),
    before_finished("Finished: half of it, then nothing", lambda peer: peer.send(22, message(20, peer.finished())[:9])),
]

ORDER = [
    Kind("hello: once more, behind the first", "1.3", (hello13(), hello13(), TURN)),
    before_finished("hello: once more, plain, after the server's",
                    lambda peer: peer.raw(record(22, message(1, NONSENSE)))),
    before_finished("hello: once more, protected, instead of Finished", hello13()),
    served("hello: once more after the handshake", hello13()),
    before_finished("certificate that nobody asked for", certificate(), verify(), finished()),
    served("certificate after the handshake", certificate()),
    before_finished("end of early data that never was", say(wire.END_OF_EARLY_DATA, b""), finished()),
    served("end of early data after the handshake", send(wire.HANDSHAKE, message(5, b""))),
    served("ticket from the client", send(wire.HANDSHAKE, message(4, NONSENSE))),
    before_finished("server hello from the client", send(wire.HANDSHAKE, message(2, NONSENSE))),
    served("hello request after the handshake", send(wire.HANDSHAKE, message(0, b""))),
    served("unknown message after the handshake", send(wire.HANDSHAKE, message(99, b"what"))),
    served("message of 16 MB promised after the handshake", send(wire.HANDSHAKE, b"\x18\xff\xff\xff")),
    before_finished("compressed certificate that nobody asked for",
                    say(wire.COMPRESSED, u16(1) + b"\0\0\x09" + v24(NONSENSE))),
    before_finished("data: plain, before Finished", plain(wire.DATA, NONSENSE)),
    before_finished("data: protected, before Finished", send(wire.DATA, TEXT), finished()),
    Kind("data: behind the hello", "1.3", (hello13(), plain(wire.DATA, NONSENSE), TURN)),
    before_finished("data: with Finished", finished(), request),
    Kind("ChangeCipherSpec: first of all", "1.3", (ccs(), hello13(), TURN)),
    Kind("ChangeCipherSpec: behind the hello", "1.3", (hello13(), ccs(), FLIGHT_13[1:], END_13)),
    before_finished("ChangeCipherSpec: before Finished", ccs(), END_13),
    before_finished("ChangeCipherSpec: a hundred", times(100, ccs()), END_13),
    before_finished("ChangeCipherSpec: of 2", ccs(b"\2"), END_13),
    before_finished("ChangeCipherSpec: of two bytes", ccs(b"\1\1"), END_13),
    before_finished("ChangeCipherSpec: of nothing", ccs(b""), END_13),
    before_finished("ChangeCipherSpec: protected", inner(b"\1" + b"\x14"), END_13),
    served("ChangeCipherSpec: after the handshake", ccs(), request),
]

RECORDS = [
    served("record: tag changed", bent(wire.DATA, TEXT, flip)),
    served("record: text changed", bent(wire.DATA, TEXT, lambda it: flip(it, 5))),
    Kind("record: ChaCha20, tag changed", "1.3",
         (hello13(suites=u16(wire.CHACHA_13)), FLIGHT_13[1:], END_13[:-1], bent(wire.DATA, TEXT, flip), TURN)),
    *(served(f"record: {size} bytes", plain(wire.DATA, bytes(size))) for size in (0, 1, 15, 16, 17, 100)),
    served("record: other outer type", bent(wire.DATA, TEXT, lambda it: b"\x16" + it[1:])),
    served("record: other outer version", bent(wire.DATA, TEXT, lambda it: flip(it, 2))),
    served("record: twice the same", bent(wire.DATA, TEXT[:8], lambda it: it * 2)),
    served("record: no content type inside", inner(b"")),
    served("record: padding only", inner(bytes(20))),
    served("record: padded request", inner(TEXT + b"\x17")),
    served("record: text of 2^14 + 1", send(wire.DATA, bytes((1 << 14) + 1))),
    served("record: payload of 2^14 + 257", plain(wire.DATA, bytes((1 << 14) + 257))),
    served("record: no text, then a request", send(wire.DATA, b""), request),
    served("record: 40 without text", times(40, send(wire.DATA, b"")), request),
    served("record: empty handshake", send(wire.HANDSHAKE, b"")),
    before_finished("record: empty handshake before Finished", send(wire.HANDSHAKE, b""), finished()),
    served("record: unknown type inside", send(99, b"what")),
    served("record: plain handshake", plain(wire.HANDSHAKE, message(24, b"\0"))),
    served("heartbeat", send(wire.HEARTBEAT, b"\1\0\4ping" + bytes(16))),
]

UPDATES = [
    served("key update", key_update(), request),
    served("key update: one back asked for", key_update(b"\1")),
    served("key update: thirty", times(30, key_update()), request),
    served("key update: two hundred", times(200, key_update()), request),
    served("key update: fifty asked back", times(50, key_update(b"\1"))),
    served("key update: of 2", key_update(b"\2")),
    served("key update: of nothing", key_update(b"")),
    served("key update: of two bytes", key_update(b"\0\0")),
    served("key update: keys stay", key_update(rekey=False), request),
    before_finished("key update: before Finished", send(wire.HANDSHAKE, message(24, b"\0"))),
    served("key update: another in its record", send(wire.HANDSHAKE, message(24, b"\0") * 2)),
    served("key update: half of one, then data", send(wire.HANDSHAKE, message(24, b"\0")[:3]), send(wire.DATA, TEXT)),
]

EARLY = {"ext": {wire.EARLY: b""}}
EARLY_DATA = [
    Kind("early data: refused", "1.3",
         (hello13(**offer(**EARLY)), ccs(), plain(wire.DATA, NONSENSE), FLIGHT_13[1:], END_13)),
    Kind("early data: refused, 12 KB", "1.3",
         (hello13(**offer(**EARLY)), times(12, plain(wire.DATA, bytes(1000))), FLIGHT_13[1:], END_13)),
    Kind("early data: refused, 60 KB", "1.3",
         (hello13(**offer(**EARLY)), times(6, plain(wire.DATA, bytes(10000))), FLIGHT_13[1:], END_13)),
    Kind("early data: without a pre-shared key", "1.3",
         (hello13(**EARLY), plain(wire.DATA, NONSENSE), FLIGHT_13[1:], END_13)),
    Kind("early data: with contents", "1.3", (hello13(**offer(ext={wire.EARLY: b"\0"})), TURN)),
    Kind("early data: with a wrong binder", "1.3",
         (hello13(**offer(binder=flip, **EARLY)), plain(wire.DATA, NONSENSE), TURN)),
    Kind("early data: of a changed ticket", "1.3",
         (hello13(**offer(flip, **EARLY)), plain(wire.DATA, NONSENSE), FLIGHT_13[1:], END_13)),
    Kind("early data: ended", "1.3",
         (hello13(**offer(**EARLY)), FLIGHT_13[1:], say(wire.END_OF_EARLY_DATA, b""), finished(), TURN)),
    Kind("early data: plain request", "1.3", (hello13(**offer(**EARLY)), plain(wire.HANDSHAKE, NONSENSE), TURN)),
]

AUTH = [
    Kind(f"client: {name}", "1.3", (FLIGHT_13, steps, TURN), "auth") for name, steps in {
        "no certificate": (certificate(""), finished(), request),
        "no Certificate message": (finished(),),
        "no verify": (certificate(), finished()),
        "verify without certificate": (certificate(""), verify(), finished()),
        "verify is wrong": (certificate(), verify(flip), finished()),
        "verify is short": (certificate(), verify(lambda it: it[:-1]), finished()),
        "verify is empty": (certificate(), verify(lambda it: b""), finished()),
        "verify is 0": (certificate(), verify(lambda it: bytes(256)), finished()),
        "verify by PKCS #1 v1.5": (certificate(), verify(scheme=0x0401), finished()),
        "verify says ECDSA": (certificate(), verify(scheme=0x0403), finished()),
        "verify by an unknown scheme": (certificate(), verify(scheme=0xFEFE), finished()),
        "verify twice": (certificate(), verify(), verify(), finished()),
        "certificate of a stranger": (certificate("stranger-rsa2048"), verify(), finished()),
        "certificate has expired": (certificate("expired-rsa2048"), verify(), finished(), TICKETS, request),
        "certificate of another key": (certificate("client-ecdsa-p256"), verify(), finished()),
        "certificate is cut": (certificate(edit=lambda it: it[:-20]), verify(), finished()),
        "certificate's signature is changed": (certificate(edit=flip), verify(), finished()),
        "certificate of no bytes": (certificate(edit=lambda it: b""), verify(), finished()),
        "certificate with a context": (say(wire.CERTIFICATE, v8(b"x") + v24(b"")), finished()),
        "certificate of 60 KB": (certificate(edit=lambda it: it * 60), verify(), finished()),
        "compressed certificate": (say(wire.COMPRESSED, u16(1) + b"\0\1\0" + v24(NONSENSE)), finished()),
    }.items()
]

KINDS = FINISHEDS + ORDER + RECORDS + UPDATES + EARLY_DATA + AUTH
