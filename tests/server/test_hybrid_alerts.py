# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What a client may send wrong in the share of a post-quantum group, and the alerts that OpenSSL 3.5 has for it.

The shares need no client: any numbers below q are a key, and the curves' base points are points. Where OpenSSL has the
groups itself, the stock server is held to the same table.
"""

from __future__ import annotations

import os
import socket
import struct

import pytest

import lab

HELLO, ALERT = 22, 21
ILLEGAL_PARAMETER = 47
G256 = bytes.fromhex("046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                     "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
G384 = bytes.fromhex("04aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a38"
                     "5502f25dbf55296c3a545e3872760ab73617de4a96262c6f5d9e98bf9292dc29"
                     "f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f")
KEY768, KEY1024 = bytes(1184), bytes(1568)
X25519, P256, P384 = 0x11EC, 0x11EB, 0x11ED
GOOD = {X25519: KEY768 + b"\x09" + bytes(31), P256: G256 + KEY768, P384: G384 + KEY1024}
NAMES = {X25519: "X25519MLKEM768", P256: "SecP256r1MLKEM768", P384: "SecP384r1MLKEM1024"}
Q = b"\x01\x0d\x00"  # the first number is 3329, the second 0
each = pytest.mark.parametrize


def put(share: bytes, at: int, value: bytes) -> bytes:
    return share[:at] + value + share[at + len(value):]


def point_and_key(group: int) -> tuple[int, int]:
    """Where the point and the key begin in a share."""
    return {X25519: (1184, 0), P256: (0, 65), P384: (0, 97)}[group]


def bad_shares() -> list[tuple[str, int, bytes, int]]:
    found = []
    for group, good in GOOD.items():
        point, key = point_and_key(group)
        found += [(f"{NAMES[group]}: {name}", group, share, alert) for name, share, alert in [
            ("good", good, 0),
            ("a byte short", good[:-1], ILLEGAL_PARAMETER),
            ("a byte long", good + b"\0", ILLEGAL_PARAMETER),
            ("one byte", b"\0", ILLEGAL_PARAMETER),
            ("a number is q", put(good, key, Q), ILLEGAL_PARAMETER),
            ("the last number is 4095", put(good, key + (1149 if group != P384 else 1533), b"\0\xf0\xff"),
             ILLEGAL_PARAMETER),
        ]]
        if group == X25519:
            small = [("the point 0", bytes(32)), ("the point 1", b"\1" + bytes(31))]
            found += [(f"X25519MLKEM768: {name}", group, put(good, point, value), ILLEGAL_PARAMETER)
                      for name, value in small]
        else:
            found += [(f"{NAMES[group]}: {name}", group, put(good, point, value), ILLEGAL_PARAMETER)
                      for name, value in (("off the curve", good[:40] + b"\xff" + good[41:point + 65]),
                                          ("a compressed point", b"\2"), ("OpenSSL's hybrid form", b"\6"))]
    return found


def extension(kind: int, body: bytes) -> bytes:
    return struct.pack(">HH", kind, len(body)) + body


def hello(group: int, share: bytes) -> bytes:
    """A ClientHello of TLS 1.3 in one or more records."""
    shares = struct.pack(">HH", group, len(share)) + share
    extensions = (extension(43, b"\x02\x03\x04") + extension(10, struct.pack(">HH", 2, group))
                  + extension(13, struct.pack(">H4H", 8, 0x0804, 0x0403, 0x0805, 0x0401))
                  + extension(51, struct.pack(">H", len(shares)) + shares))
    body = (b"\3\3" + os.urandom(32) + b"\x20" + os.urandom(32) + b"\0\2\x13\x01" + b"\1\0"
            + struct.pack(">H", len(extensions)) + extensions)
    message = b"\1" + struct.pack(">I", len(body))[1:] + body
    return b"\x16\3\1" + struct.pack(">H", len(message)) + message


def answer(port: int, group: int, share: bytes) -> int:
    """The alert that the server sends at once, 0 for its hello."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        sock.sendall(hello(group, share))
        head = sock.recv(5, socket.MSG_WAITALL)
        body = sock.recv(struct.unpack(">H", head[3:])[0], socket.MSG_WAITALL)
    if head[0] == HELLO:
        assert body[0] == 2, body
        return 0
    assert head[0] == ALERT and body[0] == 2, (head, body)
    return body[1]


@pytest.fixture(scope="module", params=["stock", "octuple", "octuple without pools"])
def port(request, build, keys):
    if lab.openssl_version() < ((3, 5) if request.param == "stock" else (3, 0, 10)):
        pytest.skip("this OpenSSL has no such groups")
    server = lab.Server("rsa2048", text=f"ssl_ecdh_curve {':'.join(NAMES.values())};")
    switches = "x25519-pool = off\nec-pool = off" if "without" in request.param else ""
    with lab.Nginx(keys, None if request.param == "stock" else build, [server], switches=switches) as nginx:
        nginx.may_say = ("SSL_do_handshake() failed",)
        yield server.port


@each("name,group,share,alert", bad_shares(), ids=[row[0] for row in bad_shares()])
def test_alert(port, name, group, share, alert):
    assert answer(port, group, share) == alert, name
