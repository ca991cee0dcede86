# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx with kTLS, stock and with Octuple: the kernel takes over the records of whatever it can, where it can. What it
cannot, and where it has no module for that, must come by libssl as ever."""

from __future__ import annotations

import hashlib
import os
import socket
from collections import Counter
from pathlib import Path

import pytest

from tests.servers.common import clients, rig

SIZE = 3 << 20
HERD = 8
KTLS = "ssl_conf_command Options KTLS; client_max_body_size 16m;"
WAYS = {"1.2, AES-128-GCM": ("1.2", "ECDHE-RSA-AES128-GCM-SHA256"), "1.2, AES-256-GCM": ("1.2", "AES256-GCM-SHA384"),
        "1.2, ChaCha20": ("1.2", "ECDHE-RSA-CHACHA20-POLY1305"), "1.2, CBC": ("1.2", "ECDHE-RSA-AES128-SHA"),
        "1.3": ("1.3", "ALL")}
PUT = b"PUT /put/%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
GET = b"GET /file HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def in_kernel() -> dict[str, int]:
    """What the kernel counts of connections that it took over; nothing if it has no module for it."""
    try:
        lines = Path("/proc/net/tls_stat").read_text().splitlines()
    except FileNotFoundError:
        return {}
    return {name: int(number) for name, number in (line.split() for line in lines) if name in ("TlsTxSw", "TlsRxSw")}


def sent(port: int, context, data: bytes) -> bytes:
    """What the server answers to so much. It may have to say something before all of it is there."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as raw, context.wrap_socket(raw) as sock:
        sock.sendall(data)
        got = bytearray()
        while more := sock.recv(1 << 16):
            got += more
        return bytes(got)


def take(which, keys: Path, folder: Path, version: str, ciphers: str) -> tuple[Counter, set[str], dict[str, bool]]:
    """What came of a herd that fetches a file and one that brings one; and whether the kernel did it."""
    (folder / "put").mkdir(parents=True, mode=0o777)
    (folder / "put").chmod(0o777)
    data = os.urandom(SIZE)
    (folder / "file").write_bytes(data)
    location = f"root {folder}; dav_methods PUT; sendfile on;"
    ends: list[object] = []
    before = in_kernel()
    with rig.Nginx(keys, which, [rig.Server(text=KTLS, location=location)]) as nginx:
        context = rig.client_context(version, ciphers)
        numbers = iter(range(HERD))

        def fetch() -> None:
            head, _, body = sent(nginx.port, context, GET).partition(b"\r\n\r\n")
            ends.append((head.split(b"\r\n")[0], body == data))

        def put() -> None:
            answer = sent(nginx.port, context, PUT % (next(numbers), len(data)) + data)
            ends.append(answer.split(b"\r\n")[0])

        assert clients.many(HERD, HERD, fetch) + clients.many(HERD, HERD, put) == []
        if which:
            count = nginx.counters()["rsa2048-private"]
            assert count.all == 2 * HERD and count.failed == 0 and count.done > 0, count
    wanted = hashlib.sha256(data).hexdigest()
    stored = {hashlib.sha256(path.read_bytes()).hexdigest() == wanted for path in (folder / "put").iterdir()}
    return Counter(ends), stored, {name: number > before[name] for name, number in in_kernel().items()}


@pytest.mark.parametrize("way", WAYS)
def test_file_and_upload(build, keys, place, way):
    stock, under = (take(which, keys, place / name, *WAYS[way])
                    for name, which in (("stock", None), ("octuple", build)))
    assert under == stock
    assert stock[0] == {(b"HTTP/1.1 200 OK", True): HERD, b"HTTP/1.1 201 Created": HERD} and stock[1] == {True}


def asked(which, keys: Path, folder: Path, version: str, ciphers: str) -> Counter:
    """What libssl asks the kernel for, of a herd: each ends when the kernel's records fail to come."""
    folder.mkdir(mode=0o755)
    notes = folder / "notes"
    notes.touch()
    notes.chmod(0o666)
    nginx = rig.Nginx(keys, which, [rig.Server(text=KTLS)])
    module = rig.build_from_environment().folder / "lib/ulp.so"
    nginx.env["LD_PRELOAD"] = ":".join(filter(None, (nginx.env.get("LD_PRELOAD"), str(module))))
    nginx.env["OCTUPLE_TEST_ULP"] = str(notes)
    nginx.may_say = ("SSL_",)
    with nginx:
        context = rig.client_context(version, ciphers)
        failed = clients.many(HERD, HERD, lambda: clients.fetch(nginx.port, context))
    return Counter(notes.read_text().splitlines()) + Counter(type(error).__name__ for error in failed)


@pytest.mark.parametrize("way", [way for way in WAYS if "CBC" not in way])  # libssl keeps that for itself
def test_what_the_kernel_is_asked(build, keys, place, way):
    stock, under = (asked(which, keys, place / name, *WAYS[way])
                    for name, which in (("stock", None), ("octuple", build)))
    assert under == stock and sum(stock.values()) >= 2 * HERD, (stock, under)
