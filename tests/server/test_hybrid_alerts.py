# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What a client may send wrong in the share of a post-quantum group, and the alerts that OpenSSL 3.5 has for it.

The shares need no client: any numbers below q are a key, and the curves' base points are points. Where OpenSSL has the
groups itself, the stock server is held to the same table.
"""

from __future__ import annotations

import socket

import pytest

import hellos
import lab
from hellos import ILLEGAL_PARAMETER

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


def answer(port: int, *shares: tuple[int, bytes]) -> int:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        sock.sendall(hellos.hello(*shares))
        return hellos.answer(sock)


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
    assert answer(port, (group, share)) == alert, name
