# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A TLS server in Python, whose callback for names recurses until Python forbids it.

usage: recursion_server.py selectors|tornado main|thread WHAT PORT KEYS

WHAT: "caught", the callback catches the RecursionError, or "raised", it does not: then the handshake fails. Each call
goes through C code, so that it takes the thread's stack.
"""

from __future__ import annotations

import asyncio
import functools
import json
import selectors
import socket
import ssl
import sys
import threading
from pathlib import Path

loop_kind, where, what, port, keys = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), Path(sys.argv[5])
LIMIT = 4000  # calls: they fit the 8 MB of a thread's stack well, and half a megabyte not at all
seen = {"calls": 0, "caught": 0, "raised": 0}
sys.setrecursionlimit(LIMIT)
sys.unraisablehook = lambda _: None  # says that the callback has raised; that is counted


def deeper(sofar: int, _: int) -> int:
    return functools.reduce(deeper, [sofar + 1, 0])


def context_for(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keys / f"{name}.crt", keys / f"{name}.key")
    return context


other = context_for("ecdsa-p256")


def named(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
    seen["calls"] += 1
    if name is None or not name.startswith("other"):
        return
    connection.context = other
    if what == "caught":
        try:
            deeper(0, 0)
        except RecursionError:
            seen["caught"] += 1
    else:
        seen["raised"] += 1
        deeper(0, 0)


def step(connection: ssl.SSLSocket, poller: selectors.BaseSelector) -> None:
    try:
        connection.do_handshake()
        while text := connection.recv(4096):
            connection.send(text)
    except (ssl.SSLWantReadError, BlockingIOError):
        return
    except OSError:
        pass
    poller.unregister(connection)
    connection.close()


def serve_selectors(outer: ssl.SSLContext) -> None:
    poller = selectors.EpollSelector()
    listener = socket.create_server(("127.0.0.1", port), backlog=1024)
    listener.setblocking(False)
    poller.register(listener, selectors.EVENT_READ)
    poller.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, _ in poller.select():
            if key.fileobj is sys.stdin:
                return
            if key.fileobj is listener:
                raw = listener.accept()[0]
                raw.setblocking(False)
                connection = outer.wrap_socket(raw, server_side=True, do_handshake_on_connect=False)
                poller.register(connection, selectors.EVENT_READ)
            else:
                step(key.fileobj, poller)


def serve_tornado(outer: ssl.SSLContext) -> None:
    import tornado.ioloop
    import tornado.iostream
    import tornado.tcpserver

    class Echo(tornado.tcpserver.TCPServer):
        """Its streams make the handshake on the socket itself."""

        async def handle_stream(self, stream: tornado.iostream.IOStream, address: object) -> None:
            try:
                while True:
                    await stream.write(await stream.read_bytes(4096, partial=True))
            except tornado.iostream.StreamClosedError:
                pass

    async def main() -> None:
        server = Echo(ssl_options=outer)
        server.listen(port, "127.0.0.1", backlog=1024)
        ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(sys.stdin, ended.set)
        await ended.wait()

    asyncio.run(main())


def serve() -> None:
    outer = context_for("rsa2048")
    outer.sni_callback = named
    (serve_tornado if loop_kind == "tornado" else serve_selectors)(outer)


if where == "main":
    serve()
else:
    threading.stack_size(8 << 20)
    server_thread = threading.Thread(target=serve)
    server_thread.start()
    server_thread.join()
print(json.dumps(seen | {"calls": seen["calls"] > 0}))
