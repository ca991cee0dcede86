# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What can be wrong with a handshake of TLS 1.2 after its hello."""

from __future__ import annotations

import os

from . import wire
from tests.servers.hostile.engine import Kind
from tests.servers.hostile.kinds_good import END_12, FLIGHT_12, RSA_FLIGHT, group
from tests.servers.hostile.kinds_hello import SMALL, off_curve
from tests.servers.hostile.steps import (DONE, SERVED, TURN, alert, bent, ccs, certificate, ecdhe, finished, hello12,
                                         padded, plain, request, rsa, say, send, times, verify)
from tests.servers.hostile.wire import flip, many16, u16, v16, v8

CLOSE_NOTIFY = alert(1, 0)
SERVED_12 = (FLIGHT_12, END_12[:-1])  # up to where a request may come


def served(name: str, *steps) -> Kind:
    """Of a client that does this when its handshake is over."""
    return Kind(name, "1.2", (SERVED_12, steps, TURN))


def before_key(name: str, *steps) -> Kind:
    """Of a client that does this when it has the server's flight."""
    return Kind(name, "1.2", (FLIGHT_12, steps, TURN))


def key(name: str, edit, hello=FLIGHT_12) -> Kind:
    return Kind(f"ClientKeyExchange: {name}", "1.2", (hello, ecdhe(edit), ccs(), finished(), TURN))


def point(name: str, number: int, size: int) -> list[Kind]:
    hello = (hello12(**group(number)), DONE)
    return [key(f"{name}, not on the curve", lambda body: v8(off_curve(body[1:])), hello),
            key(f"{name}, infinity", lambda body: v8(b"\0"), hello),
            key(f"{name}, 0, 0", lambda body: v8(b"\4" + bytes(2 * size)), hello),
            key(f"{name}, compressed", lambda body: v8(wire.u8(2 + body[-1] % 2) + body[2:2 + size]), hello),
            key(f"{name}, a byte short", lambda body: v8(body[1:-1]), hello),
            key(f"{name}, a byte long", lambda body: v8(body[1:] + b"\0"), hello)]


KEYS = [
    *(key(f"X25519, {name}", lambda body, u=u: v8(u)) for name, u in SMALL.items()),
    key("X25519, 31 bytes", lambda body: v8(body[1:32])), key("X25519, 33 bytes", lambda body: v8(body[1:] + b"\0")),
    key("X25519, no bytes", lambda body: b"\0"), key("no body", lambda body: b""),
    key("longer than the message", lambda body: b"\xff" + body[1:]),
    key("a byte behind it", lambda body: body + b"\0"),
    *point("P-256", wire.P256, 32), *point("P-384", wire.P384, 48),
]


def no_zero(size: int, premaster: bytes) -> bytes:
    return padded(size, premaster).replace(b"\0\2", b"\0\2", 1)[:2] + b"\x55" * (size - 2)


def zero_at(at: int):
    def block(size: int, premaster: bytes) -> bytes:
        made = bytearray(padded(size, premaster))
        made[at] = 0
        return bytes(made)
    return block


def starting(two: bytes):
    return lambda size, premaster: two + padded(size, premaster)[2:]


def oracle(name: str, *changes, **settings) -> Kind:
    """Whatever is wrong inside of the ciphertext, the server must say what it says to a wrong Finished."""
    return Kind(f"RSA: {name}", "1.2", (RSA_FLIGHT, rsa(*changes, **settings), ccs(), finished(), TURN), oracle="RSA")


def premaster(size: int) -> bytes:
    return (b"\3\3" + os.urandom(size))[:size]


BLEICHENBACHER = [
    # The measure: right padding, and keys that are not the server's, so that its Finished cannot be read.
    Kind("RSA: good padding, wrong keys", "1.2",
         (RSA_FLIGHT, rsa(lambda size, secret: padded(size, flip(secret))), ccs(), finished(), TURN), oracle="RSA"),
    oracle("type 1 padding", starting(b"\0\1")), oracle("type 0 padding", starting(b"\0\0")),
    oracle("first byte 1", starting(b"\1\2")),
    oracle("no zero behind the padding", no_zero), oracle("zero in the first byte of padding", zero_at(2)),
    oracle("zero in the eighth byte of padding", zero_at(9)), oracle("zero in the middle of padding", zero_at(100)),
    oracle("zero a byte early", zero_at(-50)),
    oracle("random block", lambda size, secret: b"\0" + os.urandom(size - 1)),
    *(oracle(f"secret of {size} bytes", premaster=premaster(size)) for size in (1, 2, 47, 49, 64, 128)),
    oracle("no secret", lambda size, secret: padded(size, b"")),
    *(oracle(f"version {version:04x}", offered=version) for version in (0x0000, 0x0300, 0x0301, 0x0302, 0x0304, 0x0203,
                                                                        0xFFFF)),
]


def ciphertext(name: str, edit) -> Kind:
    return Kind(f"RSA: {name}", "1.2", (RSA_FLIGHT, rsa(edit=edit), ccs(), finished(), TURN))


def number(value: int, modulus: int) -> bytes:
    return v16(value.to_bytes((modulus.bit_length() + 7) // 8, "big"))


def short(body: bytes) -> bytes:
    """A byte less. Without a leading zero, which one ciphertext in 256 has, it would be the same number."""
    return v16(body[3:] if body[2] else body[2:-1])


CIPHERTEXTS = [
    ciphertext("ciphertext 0", lambda body, n: number(0, n)), ciphertext("ciphertext 1", lambda body, n: number(1, n)),
    ciphertext("ciphertext n - 1", lambda body, n: number(n - 1, n)),
    ciphertext("ciphertext n", lambda body, n: number(n, n)),
    ciphertext("ciphertext of all ones", lambda body, n: v16(b"\xff" * (len(body) - 2))),
    ciphertext("ciphertext a byte short", lambda body, n: short(body)),
    ciphertext("ciphertext a byte long", lambda body, n: v16(b"\0" + body[2:])),
    ciphertext("ciphertext of no bytes", lambda body, n: v16(b"")),
    ciphertext("ciphertext of 8 bytes", lambda body, n: v16(bytes(8))),
    ciphertext("length longer than the message", lambda body, n: b"\xff\xff" + body[2:]),
    ciphertext("length shorter than the message", lambda body, n: b"\0\x10" + body[2:]),
    ciphertext("no body", lambda body, n: b""),
    ciphertext("no length (SSL 3.0's form)", lambda body, n: body[2:]),
]

def slowly(peer) -> None:
    """ClientKeyExchange, a byte in each record."""
    public = wire.message(wire.CLIENT_KEY, v8(peer.material.public[peer.group]))
    peer.transcript.update(public)
    for byte in public:
        peer.raw(wire.record(wire.HANDSHAKE, bytes([byte])))
    peer.keys_12(bytes(peer.material.shared(peer.group, peer.server_point)))


def interrupted(peer) -> None:
    """ClientKeyExchange in two records, with a warning between them."""
    public = wire.message(wire.CLIENT_KEY, v8(peer.material.public[peer.group]))
    peer.raw(wire.record(wire.HANDSHAKE, public[:9]) + wire.record(wire.ALERT, b"\1\x5a") + wire.record(wire.HANDSHAKE,
                                                                                                        public[9:]))


ORDER = [
    before_key("Finished: wrong", ecdhe(), ccs(), finished(flip)),
    Kind("Finished: wrong, RSA", "1.2", (RSA_FLIGHT, rsa(), ccs(), finished(flip), TURN)),
    before_key("Finished: 11 bytes", ecdhe(), ccs(), finished(lambda it: it[:11])),
    before_key("Finished: 13 bytes", ecdhe(), ccs(), finished(lambda it: it + b"\0")),
    before_key("Finished: no bytes", ecdhe(), ccs(), finished(lambda it: b"")),
    before_key("Finished: before ChangeCipherSpec", ecdhe(), finished(), ccs()),
    before_key("Finished: instead of ClientKeyExchange", plain(wire.HANDSHAKE, wire.message(wire.FINISHED, bytes(12)))),
    before_key("Finished: twice", ecdhe(), ccs(), finished(), finished()),
    before_key("ClientKeyExchange: twice", ecdhe(), ecdhe(), ccs(), finished()),
    Kind("ClientKeyExchange: at once with the hello", "1.2", (hello12(), say(wire.CLIENT_KEY, v8(bytes(32))), TURN)),
    before_key("ClientKeyExchange: in one-byte records", slowly, ccs(), finished(), SERVED, request),
    before_key("ClientKeyExchange: an alert within", interrupted),
    Kind("ChangeCipherSpec: first of all", "1.2", (ccs(), TURN)),
    Kind("ChangeCipherSpec: behind the hello", "1.2", (hello12(), ccs(), TURN)),
    before_key("ChangeCipherSpec: before ClientKeyExchange", ccs(), ecdhe(), finished()),
    before_key("ChangeCipherSpec: twice", ecdhe(), plain(wire.CCS, b"\1"), ccs(), finished()),
    before_key("ChangeCipherSpec: two in one record", ecdhe(), ccs(b"\1\1"), finished()),
    before_key("ChangeCipherSpec: of 2", ecdhe(), ccs(b"\2"), finished()),
    before_key("ChangeCipherSpec: of nothing", ecdhe(), ccs(b""), finished()),
    before_key("ChangeCipherSpec: none", ecdhe(), finished()),
    served("ChangeCipherSpec: after the handshake", send(wire.CCS, b"\1")),
    before_key("data: before ClientKeyExchange", plain(wire.DATA, b"GET / HTTP/1.0\r\n\r\n")),
    before_key("data: before Finished", ecdhe(), ccs(), request),
    before_key("data: with Finished", ecdhe(), ccs(), finished(), request),
    Kind("hello: once more, behind the first", "1.2", (hello12(), hello12(), TURN)),
    before_key("hello: once more, after the server's", hello12()),
    served("hello: renegotiation", hello12(ext={wire.RENEGOTIATION: v8(bytes(12))})),
    served("hello: renegotiation without its extension", hello12(), TURN, request),
    served("hello: renegotiation, ten times", times(10, hello12()), request),
    before_key("certificate that nobody asked for", certificate(), ecdhe(), ccs(), finished()),
    before_key("verify that nobody asked for", ecdhe(), verify(), ccs(), finished()),
    Kind("session ticket changed", "1.2",
         (hello12(ext={wire.SESSION_TICKET: lambda peer: flip(peer.material.tickets["1.2"].ticket)}), DONE, END_12)),
    Kind("session ticket cut", "1.2",
         (hello12(ext={wire.SESSION_TICKET: lambda peer: peer.material.tickets["1.2"].ticket[:40]}), DONE, END_12)),
    Kind("resumed: full handshake instead of Finished", "1.2",
         (hello12(session=bytes(range(32)),
                  ext={wire.SESSION_TICKET: lambda peer: peer.material.tickets["1.2"].ticket}),
          SERVED,
          say(wire.CLIENT_KEY, v8(bytes(32))), TURN)),
]


CBC = (hello12(suites=many16(wire.ECDHE_CBC)), DONE, END_12[:-1])
ETM = (hello12(suites=many16(wire.ECDHE_CBC), ext={wire.ETM: b""}), DONE, END_12[:-1])
GCM, CHACHA = SERVED_12, (hello12(suites=many16(wire.ECDHE_CHACHA)), DONE, END_12[:-1])
TEXT = b"GET / HTTP/1.0\r\n\r\n"


def cut(size: int):
    """A record whose payload has so many bytes left."""
    return lambda whole: whole[:3] + u16(size) + whole[5:5 + size]


RECORDS = [
    *(Kind(f"record: {name}, last byte changed", "1.2", (state, bent(wire.DATA, TEXT, flip), TURN))
      for name, state in (("GCM", GCM), ("ChaCha20", CHACHA), ("CBC", CBC), ("CBC, MAC last", ETM))),
    *(Kind(f"record: {name}, first byte changed", "1.2", (state, bent(wire.DATA, TEXT, lambda it: flip(it, 5)), TURN))
      for name, state in (("GCM", GCM), ("ChaCha20", CHACHA), ("CBC", CBC))),
    *(Kind(f"record: {name}, {size} bytes", "1.2", (state, bent(wire.DATA, TEXT, cut(size)), TURN))
      for name, state in (("GCM", GCM), ("ChaCha20", CHACHA), ("CBC", CBC)) for size in (0, 1, 15, 16, 23, 24)),
    before_key("record: GCM, Finished's tag changed", ecdhe(), ccs(),
               lambda peer: peer.raw(flip(peer.seal(22, wire.message(20, peer.finished()))))),
    served("record: other type than sealed", bent(wire.DATA, TEXT, lambda it: b"\x16" + it[1:])),
    served("record: other version than sealed", bent(wire.DATA, TEXT, lambda it: flip(it, 2))),
    served("record: twice the same", bent(wire.DATA, TEXT[:8], lambda it: it * 2)),
    served("record: plain data", plain(wire.DATA, TEXT)),
    served("record: text of 2^14 + 1", send(wire.DATA, bytes((1 << 14) + 1))),
    served("record: payload of 2^14 + 2049", plain(wire.DATA, bytes((1 << 14) + 2049))),
    served("record: no text, then a request", send(wire.DATA, b""), request),
    served("record: 40 without text", times(40, send(wire.DATA, b"")), request),
    served("record: unknown type", send(99, b"what")),
    served("heartbeat", send(wire.HEARTBEAT, b"\1\0\4ping" + bytes(16))),
    served("heartbeat: longer than it is", send(wire.HEARTBEAT, b"\1\x40\0ping")),
    served("message: hello request", send(wire.HANDSHAKE, wire.message(0, b""))),
    served("message: unknown", send(wire.HANDSHAKE, wire.message(99, b"what"))),
    before_key("close_notify instead of Finished", ecdhe(), ccs(), CLOSE_NOTIFY),
    served("close_notify, then a request", CLOSE_NOTIFY, request),
    served("close_notify behind half a request", send(wire.DATA, TEXT[:9]), CLOSE_NOTIFY),
]

AUTH = [
    Kind(f"client: {name}", "1.2", (FLIGHT_12, steps, TURN), "auth") for name, steps in {
        "no certificate": (certificate(""), ecdhe(), ccs(), finished(), SERVED, request),
        "no Certificate message": (ecdhe(), ccs(), finished()),
        "no verify": (certificate(), ecdhe(), ccs(), finished()),
        "verify is wrong": (certificate(), ecdhe(), verify(flip), ccs(), finished()),
        "verify is short": (certificate(), ecdhe(), verify(lambda it: it[:-1]), ccs(), finished()),
        "verify is empty": (certificate(), ecdhe(), verify(lambda it: b""), ccs(), finished()),
        "verify is 0": (certificate(), ecdhe(), verify(lambda it: bytes(256)), ccs(), finished()),
        "verify is all ones": (certificate(), ecdhe(), verify(lambda it: b"\xff" * 256), ccs(), finished()),
        "verify by an unknown scheme": (certificate(), ecdhe(), verify(scheme=0xFEFE), ccs(), finished()),
        "verify says ECDSA": (certificate(), ecdhe(), verify(scheme=0x0403), ccs(), finished()),
        "verify says PSS": (certificate(), ecdhe(), verify(scheme=0x0804), ccs(), finished()),
        "verify before the key exchange": (certificate(), verify(), ecdhe(), ccs(), finished()),
        "certificate of a stranger": (certificate("stranger-rsa2048"), ecdhe(), verify(), ccs(), finished()),
        "certificate has expired": (certificate("expired-rsa2048"), ecdhe(), verify(), ccs(), finished(), SERVED,
                                    request),
        "certificate of another key": (certificate("client-ecdsa-p256"), ecdhe(), verify(), ccs(), finished()),
        "certificate is cut": (certificate(edit=lambda it: it[:-20]), ecdhe(), verify(), ccs(), finished()),
        "certificate's signature is changed": (certificate(edit=flip), ecdhe(), verify(), ccs(), finished()),
        "certificate of no bytes": (certificate(edit=lambda it: b""), ecdhe(), verify(), ccs(), finished()),
        "certificate of 60 KB": (certificate(edit=lambda it: it * 60), ecdhe(), verify(), ccs(), finished()),
    }.items()
]

KINDS = KEYS + BLEICHENBACHER + CIPHERTEXTS + ORDER + RECORDS + AUTH
