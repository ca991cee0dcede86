# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Clients that speak a protocol before TLS or after it, which octuple-load does not: a thread for each connection.

`python3 -m lab.servers.dialogue NAME PORT CONNECTIONS SECONDS` loads the server of that name and prints a report
with the fields of octuple-load's that the experiments read. It is slower than octuple-load. That is of no matter for
the server's CPU time, but such a server may have fewer handshakes in flight.
"""

from __future__ import annotations

import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import Callable

from lab import ROOT


def at_once(_sock: socket.socket) -> None:
    """TLS is the first thing that is said."""


def exactly(sock: socket.socket, count: int) -> bytes:
    got = b""
    while len(got) < count:
        more = sock.recv(count - len(got))
        if not more:
            raise ConnectionError(f"the connection ended after {got!r}")
        got += more
    return got


def ask_postgresql(sock: socket.socket) -> None:
    """PostgreSQL's SSLRequest, which is answered by one letter."""
    sock.sendall(struct.pack(">ii", 8, 80877103))
    if (answer := exactly(sock, 1)) != b"S":
        raise ConnectionError(f"PostgreSQL refuses TLS: {answer!r}")


# Protocol 4.1, SSL, secure connection; largest packet; utf8mb4; 23 reserved bytes.
MARIADB_BEGINS = struct.pack("<IIB23x", 0x8A00, 1 << 24, 45)


def ask_mariadb(sock: socket.socket) -> None:
    """MariaDB greets; the client answers with the first part of its own greeting, and TLS follows at once."""
    exactly(sock, int.from_bytes(exactly(sock, 4)[:3], "little"))
    sock.sendall(struct.pack("<I", len(MARIADB_BEGINS) | 1 << 24) + MARIADB_BEGINS)


def line_of(sock: socket.socket) -> bytes:
    """Byte by byte, so that nothing of TLS is taken away."""
    got = b""
    while not got.endswith(b"\r\n"):
        got += exactly(sock, 1)
    return got


def reply(sock: socket.socket, code: bytes) -> None:
    """SMTP's answer, whose last line has a blank behind the code."""
    while (got := line_of(sock))[3:4] == b"-":
        pass
    if not got.startswith(code):
        raise ConnectionError(f"the server answered {got!r}")


def ask_smtp(sock: socket.socket) -> None:
    reply(sock, b"220")
    sock.sendall(b"EHLO localhost\r\n")
    reply(sock, b"250")
    sock.sendall(b"STARTTLS\r\n")
    reply(sock, b"220")


def ask_imap(sock: socket.socket) -> None:
    """What the server says of itself, and STARTTLS."""
    for said, wanted in ((b"", b"* OK "), (b"a STARTTLS\r\n", b"a OK ")):
        sock.sendall(said)
        if not (got := line_of(sock)).startswith(wanted):
            raise ConnectionError(f"the server answered {got!r}")


def packet(number: int, body: bytes) -> bytes:
    """Of MariaDB: a length of three bytes, and a number."""
    return struct.pack("<I", len(body) | number << 24) + body


def enter_database(name: bytes) -> bytes:
    """As PostgreSQL's clients begin."""
    text = b"user\0postgres\0database\0" + name + b"\0\0"
    return struct.pack(">ii", 8 + len(text), 3 << 16) + text


POSTGRESQL_REQUEST, PGBOUNCER_REQUEST = enter_database(b"postgres"), enter_database(b"pgbouncer")
MARIADB_REQUEST = packet(2, MARIADB_BEGINS + b"root\0\0")
MQTT_REQUEST = b"\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00"
# A binding request; its answer is of the same transaction.
STUN_TRANSACTION = b"\x21\x12\xa4\x42octuple-test"
STUN_REQUEST, STUN_ANSWER = b"\0\1\0\0" + STUN_TRANSACTION, STUN_TRANSACTION
DNS_QUESTION = b"\x12\x34\x01\0\0\1\0\0\0\0\0\0\7octuple\4test\0\0\1\0\1"
DNS_REQUEST = struct.pack(">H", len(DNS_QUESTION)) + DNS_QUESTION


@dataclass(frozen=True)
class Dialogue:
    """What is said before TLS, what inside it, and the bytes in the answer that prove that it was understood."""

    request: bytes
    answer: bytes
    before: Callable[[socket.socket], None] = at_once


def converse(dialogue: Dialogue, port: int, context: ssl.SSLContext, timeout: float = 30) -> ssl.SSLSocket:
    """A connection on which the server has answered; the caller closes it."""
    raw = socket.create_connection(("127.0.0.1", port), timeout=timeout)
    try:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        dialogue.before(raw)
        sock = context.wrap_socket(raw, suppress_ragged_eofs=True)
    except BaseException:
        raw.close()
        raise
    try:
        if dialogue.request:
            sock.sendall(dialogue.request)
        got = b""
        while dialogue.answer not in got:
            if not (more := sock.recv(65536)):
                raise ConnectionError(f"the server answered {got!r}")
            got += more
    except BaseException:
        sock.close()
        raise
    return sock


def client_context(version: str = "1.3") -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = context.maximum_version = {"1.2": ssl.TLSVersion.TLSv1_2,
                                                         "1.3": ssl.TLSVersion.TLSv1_3}[version]
    return context


class Load:
    """Connections in a closed loop, each by a thread of its own."""

    def __init__(self, dialogue: Dialogue, port: int, connections: int, seconds: float):
        self.dialogue, self.port, self.connections, self.seconds = dialogue, port, connections, seconds
        self.lock = threading.Lock()
        self.completed, self.failures = 0, []

    def work(self, end: float) -> None:
        context = client_context()
        while time.monotonic() < end and not self.failures:
            try:
                with converse(self.dialogue, self.port, context) as sock:
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except OSError as failure:
                with self.lock:
                    self.failures.append(f"{type(failure).__name__}: {failure}")
                return
            with self.lock:
                self.completed += 1

    def run(self) -> dict:
        begin = time.monotonic()
        threads = [threading.Thread(target=self.work, args=(begin + self.seconds,)) for _ in range(self.connections)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"completed": self.completed, "failed_total": len(self.failures),
                "first_failure": self.failures[0] if self.failures else "",
                "handshakes_per_s": self.completed / (time.monotonic() - begin)}


def load(name: str, port: int, cpu: int, connections: int, seconds: float) -> dict:
    """The same in a process of its own, on one CPU."""
    command = [sys.executable, "-m", "lab.servers.dialogue", name, str(port), str(connections), str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=True,
                          env=dict(os.environ), cwd=ROOT, preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    return json.loads(done.stdout)


def main() -> int:
    from .services import KINDS  # which takes its dialogues from here
    name, port, connections, seconds = sys.argv[1:]
    kind = next(kind for kind in KINDS if kind.name == name)
    print(json.dumps(Load(kind.dialogue, int(port), int(connections), float(seconds)).run()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
