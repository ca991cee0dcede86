# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""TLS's encodings, by hand: what is to be wrong in them must be ours to decide."""

from __future__ import annotations

# Content types of records.
CCS, ALERT, HANDSHAKE, DATA, HEARTBEAT = 20, 21, 22, 23, 24
# Handshake messages.
HELLO_REQUEST, CLIENT_HELLO, SERVER_HELLO, TICKET, END_OF_EARLY_DATA = 0, 1, 2, 4, 5
CERTIFICATE, SERVER_KEY, CERTIFICATE_REQUEST, SERVER_DONE = 11, 12, 13, 14
VERIFY, CLIENT_KEY, FINISHED, KEY_UPDATE, COMPRESSED, MESSAGE_HASH = 15, 16, 20, 24, 25, 254
# Extensions.
SNI, MAX_FRAGMENT, STATUS, GROUPS, FORMATS, SIGNATURES, USE_HEARTBEAT, ALPN = 0, 1, 5, 10, 11, 13, 15, 16
PADDING, ETM, EMS, COMPRESS, RECORD_LIMIT, SESSION_TICKET = 21, 22, 23, 27, 28, 35
PSK, EARLY, VERSIONS, COOKIE, PSK_MODES, POST_AUTH, SHARES, RENEGOTIATION = 41, 42, 43, 44, 45, 49, 51, 0xFF01
# Groups.
P256, P384, P521, X25519, FFDHE2048 = 23, 24, 25, 29, 256
# Suites.
AES_13, CHACHA_13 = 0x1301, 0x1303
ECDHE_GCM, ECDHE_CHACHA, ECDHE_CBC, RSA_GCM, RSA_CBC, RSA_CBC256 = 0xC02F, 0xCCA8, 0xC013, 0x009C, 0x002F, 0x003C

RETRY_RANDOM = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")


def u8(value: int) -> bytes:
    return value.to_bytes(1, "big")


def u16(value: int) -> bytes:
    return value.to_bytes(2, "big")


def u24(value: int) -> bytes:
    return value.to_bytes(3, "big")


def v8(body: bytes) -> bytes:
    return u8(len(body)) + body


def v16(body: bytes) -> bytes:
    return u16(len(body)) + body


def v24(body: bytes) -> bytes:
    return u24(len(body)) + body


def many16(*values: int) -> bytes:
    return b"".join(u16(value) for value in values)


def message(kind: int, body: bytes) -> bytes:
    return u8(kind) + v24(body)


def record(kind: int, payload: bytes, version: int = 0x0303, length: int | None = None) -> bytes:
    return u8(kind) + u16(version) + u16(len(payload) if length is None else length) + payload


def extension(kind: int, body: bytes) -> bytes:
    return u16(kind) + v16(body)


def share(group: int, key: bytes) -> bytes:
    return u16(group) + v16(key)


def flip(data: bytes, at: int = -1, mask: int = 1) -> bytes:
    """With one byte changed."""
    changed = bytearray(data)
    changed[at] ^= mask
    return bytes(changed)


class Reader:
    """Takes what comes from the server apart; a server that sends nonsense raises."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        part = self.data[self.at:self.at + size]
        if len(part) < size:
            raise ValueError("a message of the server's is cut short")
        self.at += size
        return part

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> bytes:
        return self.take(self.number(size))

    def extensions(self) -> dict[int, bytes]:
        found, inner = {}, Reader(self.vector(2) if self.at < len(self.data) else b"")
        while inner.at < len(inner.data):
            kind = inner.number(2)
            found[kind] = inner.vector(2)
        return found
