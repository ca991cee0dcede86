# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A TLS server on gevent, whose callback for names lets other greenlets run.

usage: gevent_server.py main|thread CALLBACK PORT KEYS

A greenlet is a piece of its thread's stack, which gevent copies away while another runs.
"""

from __future__ import annotations

import json
import ssl
import sys
import threading
from pathlib import Path

import gevent
import gevent.server
import gevent.ssl

where, callback, port, keys = sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])
seen = {"calls": 0, "inside": 0, "wrong": 0}


def context_for(name: str) -> gevent.ssl.SSLContext:
    context = gevent.ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keys / f"{name}.crt", keys / f"{name}.key")
    return context


def deeper(depth: int) -> None:
    """Yields from the bottom of so many calls, which C code makes too."""
    if depth > 0:
        list(map(deeper, [depth - 1]))
    else:
        gevent.sleep(0)


YIELDS = {
    "nothing": lambda: None,
    "yields": lambda: gevent.sleep(0),
    "sleeps": lambda: gevent.sleep(0.005),
    "deep": lambda: deeper(60),
    "spawns": lambda: gevent.spawn(gevent.sleep, 0.001).join(),
}


def main() -> None:
    outer, other = context_for("rsa2048"), context_for("ecdsa-p256")

    def named(connection: ssl.SSLSocket, name: str | None, _: ssl.SSLContext) -> None:
        seen["calls"] += 1
        seen["inside"] += 1
        mine = [name] * 50  # on this greenlet's stack and heap
        YIELDS[callback]()
        seen["wrong"] += mine != [name] * 50
        if name is not None and name.startswith("other"):
            connection.context = other
        seen["inside"] -= 1

    def handle(sock: ssl.SSLSocket, _: object) -> None:
        try:
            while data := sock.recv(4096):
                sock.sendall(data)
        except OSError:
            pass

    outer.sni_callback = named
    # The hub reports what a greenlet raises, as that of a client which only looks whether the port is open.
    gevent.get_hub().NOT_ERROR += (ssl.SSLError, ConnectionError)
    server = gevent.server.StreamServer(("127.0.0.1", port), handle, backlog=1024, ssl_context=outer,
                                        do_handshake_on_connect=True)
    server.start()
    gevent.get_hub().threadpool.apply(sys.stdin.read)  # until it ends
    gevent.sleep(0.1)
    server.stop(1)
    print(json.dumps({"called": seen["calls"] > 0, "inside": seen["inside"], "wrong": seen["wrong"]}))


if where == "main":
    main()
else:
    worker = threading.Thread(target=main)
    worker.start()
    worker.join()
