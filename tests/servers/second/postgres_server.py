# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""As much of a PostgreSQL server, and of one that says over TLS what it hears, as a client needs to connect."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

SETTINGS = {"server_version": "15.0", "client_encoding": "UTF8", "DateStyle": "ISO, MDY", "integer_datetimes": "on",
            "standard_conforming_strings": "on", "TimeZone": "UTC"}


def exactly(sock: socket.socket, count: int) -> bytes:
    got = b""
    while len(got) < count:
        more = sock.recv(count - len(got))
        if not more:
            raise ConnectionError("the client has gone")
        got += more
    return got


def message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


def postgres(raw: socket.socket, context: ssl.SSLContext) -> None:
    """SSLRequest, TLS, the client's start-up, and all that says that it may go on; then until it ends."""
    exactly(raw, 8)
    raw.sendall(b"S")
    with context.wrap_socket(raw, server_side=True) as sock:
        exactly(sock, struct.unpack("!I", exactly(sock, 4))[0] - 4)
        settings = b"".join(message(b"S", f"{name}\0{value}\0".encode()) for name, value in SETTINGS.items())
        sock.sendall(message(b"R", struct.pack("!I", 0)) + settings + message(b"Z", b"I"))
        while sock.recv(4096):
            pass


def echo(raw: socket.socket, context: ssl.SSLContext) -> None:
    with context.wrap_socket(raw, server_side=True) as sock:
        sock.sendall(sock.recv(4096))


@contextmanager
def serving(work: Callable[[socket.socket, ssl.SSLContext], None], keys: Path) -> Iterator[int]:
    """The port, as long as the block runs."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keys / "ecdsa-p256.crt", keys / "ecdsa-p256.key")
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def one(raw: socket.socket) -> None:
        raw.settimeout(60)
        try:
            work(raw, context)
        except OSError:
            pass  # the client's side of the test says what is wrong
        raw.close()

    def run() -> None:
        while True:
            try:
                raw = listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=one, args=(raw,), daemon=True).start()

    threading.Thread(target=run, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
