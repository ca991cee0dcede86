# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A client of TLS 1.3 that cannot prove who it is, and asks all the same: by the keys of the handshake, which it has.

What it says of itself is a certificate that the server's authority has not signed (`certificate`), or a good one of
another's with a signature that is not by its key (`signature`).
"""

from __future__ import annotations

import hashlib
import hmac
import os
import ssl
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.servers.common import crowd, hellos, rig
from tests.servers.hostile import wire

NOTHING = bytes(32)
RSA_PSS = 0x0804


def digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def extract(salt: bytes, data: bytes) -> bytes:
    return hmac.digest(salt, data, "sha256")


def expand(secret: bytes, label: bytes, context: bytes, size: int) -> bytes:
    """HKDF-Expand-Label, for no more than one block."""
    info = wire.u16(size) + wire.v8(b"tls13 " + label) + wire.v8(context)
    return hmac.digest(secret, info + b"\1", "sha256")[:size]


class Keys:
    """Those of one direction."""

    def __init__(self, secret: bytes, label: bytes, transcript: bytes):
        traffic = expand(secret, label, digest(transcript), 32)
        self.aead, self.iv, self.count = AESGCM(expand(traffic, b"key", b"", 16)), expand(traffic, b"iv", b"", 12), 0

    def nonce(self) -> bytes:
        number = self.count.to_bytes(12, "big")
        self.count += 1
        return bytes(a ^ b for a, b in zip(self.iv, number))

    def seal(self, kind: int, text: bytes) -> bytes:
        head = wire.u8(wire.DATA) + wire.u16(0x0303) + wire.u16(len(text) + 17)
        return head + self.aead.encrypt(self.nonce(), text + wire.u8(kind), head)

    def open(self, head: bytes, body: bytes) -> tuple[int, bytes]:
        text = self.aead.decrypt(self.nonce(), body, head).rstrip(b"\0")
        return text[-1], text[:-1]


class Forger(crowd.Guest):
    """Its outcome is the alert that it hears, or what else it does."""

    def __init__(self, kind: str, certificate: Path):
        super().__init__(kind, rig.client_context())
        self.certificate = ssl.PEM_cert_to_DER_cert(certificate.read_text())
        self.key = X25519PrivateKey.generate()
        self.records, self.messages, self.transcript = b"", b"", b""
        self.reads: Keys | None = None
        self.master = b""

    def greet(self) -> None:
        share = self.key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        hello = hellos.hello((hellos.X25519, share))
        self.transcript = hello[5:]
        self.sock.sendall(hello)

    def advance(self) -> None:
        """Guest has read into `incoming`."""
        self.records += self.incoming.read()
        while not self.outcome and len(self.records) >= 5:
            size = 5 + int.from_bytes(self.records[3:5], "big")
            if len(self.records) < size:
                return
            record, self.records = self.records[:size], self.records[size:]
            self.take(record[:5], record[5:])

    def take(self, head: bytes, body: bytes) -> None:
        if head[0] == wire.HANDSHAKE and self.reads is None:
            self.transcript += body
            self.handshake_keys(body)
        elif head[0] == wire.ALERT:
            self.outcome = f"plain alert {body[1]}"
        elif head[0] == wire.DATA:
            try:
                kind, text = self.reads.open(head, body) if self.reads is not None else (wire.DATA, body)
            except InvalidTag:  # nobody has sealed it
                kind, text = wire.DATA, body
            if kind == wire.ALERT:
                self.outcome = f"alert {text[1]}"
            elif kind == wire.DATA:
                self.outcome = "answered"
            elif not self.asked:
                self.follow(text)

    def handshake_keys(self, hello: bytes) -> None:
        reader = wire.Reader(hello[4:])
        reader.take(34)
        reader.vector(1)
        reader.take(3)
        theirs = reader.extensions()[wire.SHARES][4:]
        early = expand(extract(NOTHING, NOTHING), b"derived", digest(b""), 32)
        secret = extract(early, self.key.exchange(X25519PublicKey.from_public_bytes(theirs)))
        self.master = extract(expand(secret, b"derived", digest(b""), 32), NOTHING)
        self.reads, self.writes = (Keys(secret, side + b" hs traffic", self.transcript) for side in (b"s", b"c"))

    def follow(self, text: bytes) -> None:
        """The server's flight, up to its Finished."""
        self.messages += text
        kinds, reader = [], wire.Reader(self.messages)
        try:
            while reader.at < len(self.messages):
                kinds.append(reader.number(1))
                reader.vector(3)
        except ValueError:
            return  # the rest of a message is to come
        if wire.FINISHED in kinds:
            self.transcript += self.messages
            self.reads = Keys(self.master, b"s ap traffic", self.transcript)
            self.claim()

    def claim(self) -> None:
        listed = wire.v24(self.certificate) + wire.v16(b"")
        said = wire.message(wire.CERTIFICATE, wire.v8(b"") + wire.v24(listed))
        if self.kind == "signature":
            said += wire.message(wire.VERIFY, wire.u16(RSA_PSS) + wire.v16(b"\1" + os.urandom(255)))
        self.sock.sendall(wire.record(wire.CCS, b"\1") + self.writes.seal(wire.HANDSHAKE, said)
                          + self.writes.seal(wire.DATA, b"GET /secret\n"))
        self.asked = True


class Idle(crowd.Guest):
    """Begins a hello and says no more: a handshake that is in flight meanwhile."""

    waits = False

    def greet(self) -> None:
        self.sock.sendall(b"\x16")
