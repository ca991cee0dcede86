# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What a client may send wrong in the share of a post-quantum group, and the alerts that OpenSSL 3.5 has for it.

The shares need no client: any numbers below q are a key, and the curves' base points are points. Where OpenSSL has the
groups itself, the stock server is held to the same table.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket

import pytest

from tests.servers.common import clients, hellos, rig
from tests.servers.common.hellos import DECODE_ERROR, ILLEGAL_PARAMETER

G256 = bytes.fromhex("046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                     "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
G384 = bytes.fromhex("04aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a38"
                     "5502f25dbf55296c3a545e3872760ab73617de4a96262c6f5d9e98bf9292dc29"
                     "f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f")
KEY768, KEY1024 = bytes(1184), bytes(1568)
X25519, P256, P384, MLKEM768, MLKEM1024 = 0x11EC, 0x11EB, 0x11ED, 0x0201, 0x0202
GOOD = {X25519: KEY768 + b"\x09" + bytes(31), P256: G256 + KEY768, P384: G384 + KEY1024, MLKEM768: KEY768,
        MLKEM1024: KEY1024}
NAMES = {X25519: "X25519MLKEM768", P256: "SecP256r1MLKEM768", P384: "SecP384r1MLKEM1024", MLKEM768: "MLKEM768",
         MLKEM1024: "MLKEM1024"}
Q = b"\x01\x0d\x00"  # the first number is 3329, the second 0
each = pytest.mark.parametrize


def put(share: bytes, at: int, value: bytes) -> bytes:
    return share[:at] + value + share[at + len(value):]


def point_and_key(group: int) -> tuple[int, int]:
    """Where the point and the key begin in a share."""
    return {X25519: (1184, 0), P256: (0, 65), P384: (0, 97)}.get(group, (len(GOOD[group]), 0))


def number(value: int, at: int) -> bytes:
    """A polynomial's 384 bytes with one number that is not 0: two numbers of 12 bits are three bytes."""
    return (value << 12 * at).to_bytes(384, "little")


# Points of small order on Curve25519 and its twist (RFC 7748), as their u.
SMALL = {
    "0": bytes(32), "1": b"\1" + bytes(31),
    "of order 8": bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    "of order 8, the other": bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    "p - 1": b"\xec" + b"\xff" * 30 + b"\x7f", "p": b"\xed" + b"\xff" * 30 + b"\x7f",
    "p + 1": b"\xee" + b"\xff" * 30 + b"\x7f", "0 with the high bit": bytes(31) + b"\x80",
}


def bad_keys(group: int) -> list[tuple[str, bytes, int]]:
    """Numbers of q and more, wherever they stand, and the largest that is none."""
    good, (_, key) = GOOD[group], point_and_key(group)
    sets = 4 if group in (P384, MLKEM1024) else 3
    found = [("a number is q", put(good, key, Q), ILLEGAL_PARAMETER),
             ("all numbers are q - 1", put(good, key, (b"\x00\x0d\xd0") * (128 * sets)), 0),
             ("all bits of the key are set", put(good, key, b"\xff" * (384 * sets + 32)), ILLEGAL_PARAMETER)]
    return found + [(f"number {at} of polynomial {which} is {value}", put(good, key + 384 * which, number(value, at)),
                     ILLEGAL_PARAMETER)
                    for which in range(sets)
                    for at, value in ((0, 3330), (1, 3329), (31, 4095), (32, 3329), (255, 3329))]


def bad_points(group: int) -> list[tuple[str, bytes, int]]:
    good, (point, _) = GOOD[group], point_and_key(group)
    if group == X25519:
        return [(f"the point {name}", put(good, point, value), ILLEGAL_PARAMETER) for name, value in SMALL.items()] + [
            ("the point 9 with the high bit", put(good, point + 31, b"\x80"), 0)]
    if group not in (P256, P384):
        return []
    size = {P256: 32, P384: 48}[group]
    values = {"off the curve": good[:40] + b"\xff" + good[41:point + 65], "a compressed point": b"\2",
              "OpenSSL's hybrid form": b"\6", "infinity": bytes(2 * size + 1), "0, 0": b"\4" + bytes(2 * size),
              "all ones": b"\4" + b"\xff" * (2 * size), "the other y": good[:2 * size] + bytes([good[2 * size] ^ 1])}
    return [(f"the point: {name}", put(good, point, value), ILLEGAL_PARAMETER) for name, value in values.items()]


def bad_lengths(group: int) -> list[tuple[str, bytes, int]]:
    good, cut = GOOD[group], max(point_and_key(group))  # which is between the halves
    found = [("a byte short", good[:-1], ILLEGAL_PARAMETER), ("a byte long", good + b"\0", ILLEGAL_PARAMETER),
             ("one byte", b"\0", ILLEGAL_PARAMETER), ("no byte", b"", DECODE_ERROR),
             ("twice", good * 2, ILLEGAL_PARAMETER), ("12,000 bytes", bytes(12000), ILLEGAL_PARAMETER)]
    halves = [("the first half", good[:cut], ILLEGAL_PARAMETER), ("the second half", good[cut:], ILLEGAL_PARAMETER),
              ("the halves in the wrong order", good[cut:] + good[:cut], ILLEGAL_PARAMETER),
              ("zeros", bytes(len(good)), ILLEGAL_PARAMETER)]
    return found + (halves if cut < len(good) else [])


def bad_shares() -> list[tuple[str, int, bytes, int]]:
    return [(f"{NAMES[group]}: {name}", group, share, alert) for group, good in GOOD.items()
            for name, share, alert in [("good", good, 0), *bad_lengths(group), *bad_keys(group), *bad_points(group)]]


@pytest.fixture(name="nginx", scope="module", params=["stock", "octuple", "octuple without pools"])
def make_nginx(request, build, keys):
    if rig.openssl_version() < ((3, 5) if request.param == "stock" else (3, 0, 10)):
        pytest.skip("this OpenSSL has no such groups")
    server = rig.Server("rsa2048", text=f"ssl_ecdh_curve {':'.join(NAMES.values())};")
    switches = "pools = off" if "without" in request.param else ""
    with rig.Nginx(keys, None if request.param == "stock" else build, [server], switches=switches,
                   multi_accept="on") as nginx:
        nginx.may_say = ("SSL_do_handshake() failed",)
        nginx.without_pools = bool(switches)  # then shares are made one at a time
        yield nginx


@each("name,group,share,alert", bad_shares(), ids=[row[0] for row in bad_shares()])
def test_alert(nginx, name, group, share, alert):
    with socket.create_connection(("127.0.0.1", nginx.port), timeout=rig.PATIENCE) as sock:
        sock.sendall(hellos.hello((group, share)))
        assert hellos.answer(sock) == alert, name


def test_alerts_in_company(nginx):
    """All at a time, with more good ones: good and bad stand side by side in lanes. Each has its own answer."""
    rows = bad_shares() + [("good", group, good, 0) for group, good in GOOD.items()] * 8
    random.Random(1).shuffle(rows)
    with clients.stopped(nginx.worker_pids()[0]), contextlib.ExitStack() as stack:
        socks = [stack.enter_context(socket.create_connection(("127.0.0.1", nginx.port), timeout=rig.PATIENCE))
                 for _ in rows]
        for sock, (_, group, share, _) in zip(socks, rows):
            sock.sendall(hellos.hello((group, share)))
        os.kill(nginx.worker_pids()[0], signal.SIGCONT)
        got = [(row[0], hellos.answer(sock)) for sock, row in zip(socks, rows)]
    assert got == [(name, alert) for name, _, _, alert in rows]
    if nginx.build and not nginx.without_pools:
        counts = [nginx.counters()[f"{NAMES[group].lower()}-server"] for group in (X25519, P256, P384)]
        assert all(count.waited(5) for count in counts), counts
