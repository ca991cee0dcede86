# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Fetches one path over and over on connections that stay open, and counts the answers that came whole and were right.

    python3 -m bench.measure.fetch --wanted FILE --seconds 2 PORT[:CONNECTIONS]...

An answer is right if its body is the content of FILE: it is compared byte by byte, which costs less than any checksum.
Every connection has a thread, which asks once at least, and again when an answer is complete. Python's own modules
only; TLS is OpenSSL's, as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import ssl
import threading
import time
from pathlib import Path

REQUEST = "GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"
HEAD_ROOM = 16384  # a head that is longer is none


class FetchError(Exception):
    """The server's answer is not what was asked for."""


def connect(port: int) -> ssl.SSLSocket:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=20))


def read_head(tls: ssl.SSLSocket) -> tuple[bytes, bytes]:
    """The head, and what has come of the body with it."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = tls.recv(HEAD_ROOM)
        if not more or len(data) > HEAD_ROOM:
            raise FetchError("no head, or an endless one")
        data += more
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def read_sized(tls: ssl.SSLSocket, body: bytearray, have: int) -> None:
    view = memoryview(body)
    while have < len(body):
        count = tls.recv_into(view[have:])
        if not count:
            raise FetchError(f"the connection ended after {have} of {len(body)} bytes")
        have += count


def read_chunked(tls: ssl.SSLSocket, data: bytes) -> bytes:
    """RFC 9112, 7.1, without trailers."""
    body = b""
    while True:
        while b"\r\n" not in data:
            data += receive(tls)
        line, _, data = data.partition(b"\r\n")
        size = int(line, 16)
        while len(data) < size + 2:
            data += receive(tls)
        if data[size:size + 2] != b"\r\n":
            raise FetchError("a chunk does not end where it says")
        if size == 0:
            return body
        body, data = body + data[:size], data[size + 2:]


def receive(tls: ssl.SSLSocket) -> bytes:
    data = tls.recv(1 << 16)
    if not data:
        raise FetchError("the connection ended within a body")
    return data


def fetch(tls: ssl.SSLSocket, request: bytes, room: bytearray) -> bytes | bytearray:
    """The body of one answer; in `room` if that is as long."""
    tls.sendall(request)
    head, rest = read_head(tls)
    if not head.startswith(b"HTTP/1.1 200 "):
        raise FetchError(f"the answer is {head.splitlines()[0]!r}")
    if re.search(rb"^transfer-encoding: *chunked", head, re.M | re.I):
        return read_chunked(tls, rest)
    length = re.search(rb"^content-length: *(\d+)", head, re.M | re.I)
    body = room if length and int(length[1]) == len(room) else bytearray(int(length[1]) if length else 0)
    body[:len(rest)] = rest
    read_sized(tls, body, len(rest))
    return body


class Client:
    """One connection, and what has come by it."""

    def __init__(self, port: int, request: bytes, wanted: bytes):
        self.port, self.request, self.wanted = port, request, wanted
        self.completed = self.failed = 0
        self.cipher = self.failure = ""

    def run(self, end: float) -> None:
        room = bytearray(len(self.wanted))
        try:
            with connect(self.port) as tls:
                self.cipher = tls.cipher()[0]
                while not self.completed or time.monotonic() < end:
                    if fetch(tls, self.request, room) != self.wanted:
                        raise FetchError("the body is not the file's content")
                    self.completed += 1
        except (FetchError, OSError, ValueError) as error:
            self.failed, self.failure = 1, str(error)


def run(ports: dict[int, int], request: bytes, wanted: bytes, seconds: float) -> dict:
    end = time.monotonic() + seconds
    clients = [Client(port, request, wanted) for port, count in ports.items() for _ in range(count)]
    threads = [threading.Thread(target=client.run, args=(end,)) for client in clients]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    completed = sum(client.completed for client in clients)
    return {"completed": completed, "failed": sum(client.failed for client in clients),
            "bytes": completed * len(wanted),
            "seconds": time.monotonic() - began, "ciphers": sorted({client.cipher for client in clients}),
            "first_failure": next((client.failure for client in clients if client.failed), "")}


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.measure.fetch", description=__doc__.splitlines()[0])
    parser.add_argument("--wanted", type=Path, required=True, help="file with what a right body is")
    parser.add_argument("--path", default="/file")
    parser.add_argument("--header", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--cpu", type=int, help="run on this CPU")
    parser.add_argument("ports", nargs="+", metavar="PORT[:CONNECTIONS]")
    options = parser.parse_args()
    if options.cpu is not None:
        os.sched_setaffinity(0, {options.cpu})
    ports = {int(port): int(count or 1) for port, _, count in (text.partition(":") for text in options.ports)}
    request = REQUEST.format(path=options.path, headers="".join(f"{line}\r\n" for line in options.header)).encode()
    print(json.dumps(run(ports, request, options.wanted.read_bytes(), options.seconds)))


if __name__ == "__main__":
    main()
