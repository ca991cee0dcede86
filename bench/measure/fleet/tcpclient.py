# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Clients by TCP with Python's own TLS, for what octuple-load does not do: connections that last, and resumption.

A connection that lasts sends a request every second and expects the answer of the server that it began with. A ticket
is used again and again, each time by a new connection, so that it meets every server sooner or later.
"""

from __future__ import annotations

import json
import socket
import ssl
import sys
import time
from collections import Counter


class Connection:
    def __init__(self, address: tuple[str, int], cafile: str, session: ssl.SSLSession | None = None):
        context = CONTEXTS.setdefault(cafile, ssl.create_default_context(cafile=cafile))
        self.sock = context.wrap_socket(socket.create_connection(address, 10), server_hostname="localhost",
                                        session=session)

    def get(self) -> str:
        """The server's name; raises OSError where the connection was lost."""
        self.sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        data = b""
        while b"\r\n\r\n" not in data or not data.endswith(b"\n"):
            more = self.sock.recv(4096)
            if not more:
                raise ConnectionError("the server closed the connection")
            data += more
        return data.split(b"\r\n\r\n", 1)[1].decode().strip()


CONTEXTS: dict[str, ssl.SSLContext] = {}


def hold(address: tuple[str, int], cafile: str, count: int, seconds: float) -> dict:
    """`count` connections at once, for some time."""
    held = [Connection(address, cafile) for _ in range(count)]
    names = [connection.get() for connection in held]
    requests, lost, moved, end = count, 0, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(1)
        for connection, name in zip(list(held), list(names)):
            try:
                moved += connection.get() != name
                requests += 1
            except OSError:
                lost += 1
                held.remove(connection)
                names.remove(name)
    return {"connections": count, "requests": requests, "lost": lost, "moved": moved, "by_server": Counter(names)}


def resume(address: tuple[str, int], cafile: str, count: int) -> dict:
    """Tickets of each server that is met, used with each."""
    first: dict[str, ssl.SSLSession] = {}
    for _ in range(40):
        connection = Connection(address, cafile)
        name = connection.get()
        first.setdefault(name, connection.sock.session)
        connection.sock.close()
    result: Counter[str] = Counter()
    for i in range(count):
        issuer = sorted(first)[i % len(first)]
        connection = Connection(address, cafile, first[issuer])
        used = connection.get()
        kind = "resumed" if connection.sock.session_reused else "full"
        result[f"{kind} {'elsewhere' if used != issuer else 'same'}"] += 1
        connection.sock.close()
    return {"tickets_of": sorted(first), "connections": count, **result}


def main() -> int:
    what, host, port, cafile, count, *seconds = sys.argv[1:]
    address = (host, int(port))
    result = hold(address, cafile, int(count), float(seconds[0])) if what == "hold" else resume(
        address, cafile, int(count))
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
