# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""ClientHellos of TLS 1.3 made by hand, for what no client sends, and the server's first word on them."""

from __future__ import annotations

import os
import socket
import struct

HELLO, ALERT = 22, 21
ILLEGAL_PARAMETER, DECODE_ERROR = 47, 50
X25519 = 0x1D


def extension(kind: int, body: bytes) -> bytes:
    return struct.pack(">HH", kind, len(body)) + body


def hello(*shares: tuple[int, bytes]) -> bytes:
    """One that offers these groups alone, with these shares, in one record."""
    listed = b"".join(struct.pack(">HH", group, len(share)) + share for group, share in shares)
    groups = struct.pack(f">H{len(shares)}H", 2 * len(shares), *(group for group, _ in shares))
    extensions = (extension(43, b"\x02\x03\x04") + extension(10, groups)
                  + extension(13, struct.pack(">H4H", 8, 0x0804, 0x0403, 0x0805, 0x0401))
                  + extension(51, struct.pack(">H", len(listed)) + listed))
    body = (b"\3\3" + os.urandom(32) + b"\x20" + os.urandom(32) + b"\0\2\x13\x01" + b"\1\0"
            + struct.pack(">H", len(extensions)) + extensions)
    message = b"\1" + struct.pack(">I", len(body))[1:] + body
    return b"\x16\3\1" + struct.pack(">H", len(message)) + message


def exactly(sock: socket.socket, count: int) -> bytes:
    got = sock.recv(count, socket.MSG_WAITALL)
    if len(got) < count:
        raise ConnectionError(f"the connection ended after {got!r}")
    return got


def record(sock: socket.socket) -> tuple[int, bytes]:
    """The kind and the contents of the next one that the server sends."""
    head = exactly(sock, 5)
    return head[0], exactly(sock, struct.unpack(">H", head[3:])[0])


def answer(sock: socket.socket) -> int:
    """The alert that the server sends at once, 0 for its hello."""
    kind, body = record(sock)
    assert (kind, body[0]) in ((HELLO, 2), (ALERT, 2)), (kind, body)
    return body[1] if kind == ALERT else 0
