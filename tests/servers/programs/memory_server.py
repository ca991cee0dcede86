# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A TLS server that echoes, and that gives libssl the bytes of its sockets through memory.

usage: memory_server.py asyncio|uvloop|twisted [SECOND-PORT] PORT KEYS

At the second port clients are asked for certificates, and for a key share of P-384, which they seldom offer at first.
Ends when its standard input does. It prints then what libssl has
told the program of records that came in: how many ChangeCipherSpecs there were, and whether anything followed a
handshake that was not a whole line of the client's.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
import threading
from pathlib import Path

kind, keys = sys.argv[1], Path(sys.argv[-1])
*more, port = map(int, sys.argv[2:-1])
NAMES = ("rsa2048", "ecdsa-p384")  # of the keys at either port
CHANGE_CIPHER_SPEC = 20
seen = {"specs": 0, "handshakes": 0, "wrong": 0}


def on_message(_connection: object, direction: str, _version: object, content: int, *_rest: object) -> None:
    """Python calls it for what libssl's message callback says."""
    seen["specs"] += direction == "read" and content == CHANGE_CIPHER_SPEC


def context_for(asks: bool) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    name = NAMES[asks]
    context.load_cert_chain(keys / f"{name}.crt", keys / f"{name}.key")
    context._msg_callback = on_message  # its only way to a message callback
    if asks:
        context.set_ecdh_curve("secp384r1")
        context.load_verify_locations(keys / "ca.crt")
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def is_text(data: bytes) -> bool:
    return all(byte == 10 or 32 <= byte < 127 for byte in data)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    seen["handshakes"] += 1
    try:
        while data := await reader.read(4096):
            seen["wrong"] += not is_text(data)
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


async def run() -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda *_: None)
    end = asyncio.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), loop.call_soon_threadsafe(end.set)), daemon=True).start()
    for number in [port, *more]:
        await asyncio.start_server(serve, "127.0.0.1", number, ssl=context_for(number != port), backlog=1024)
    await end.wait()


def run_twisted() -> None:
    from OpenSSL import SSL, crypto
    from twisted.internet import epollreactor
    epollreactor.install()
    from twisted.internet import protocol, reactor, ssl as twisted_ssl, stdio

    class Echo(protocol.Protocol):
        def dataReceived(self, data: bytes) -> None:  # noqa: N802: Twisted's own name
            seen["wrong"] += not is_text(data)
            self.transport.write(data)

    class Ends(protocol.Protocol):
        def connectionLost(self, reason: object = None) -> None:  # noqa: N802
            reactor.stop()

    class Factory(twisted_ssl.ContextFactory):
        def __init__(self, asks: bool):
            self.context = SSL.Context(SSL.TLS_METHOD)
            self.context.use_certificate_file(str(keys / f"{NAMES[asks]}.crt"))
            self.context.use_privatekey_file(str(keys / f"{NAMES[asks]}.key"))
            self.context.set_info_callback(self.on_info)
            if asks:
                self.context.set_tmp_ecdh(crypto.get_elliptic_curve("secp384r1"))
                self.context.load_verify_locations(str(keys / "ca.crt"))
                self.context.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, lambda *said: bool(said[4]))

        def on_info(self, _connection: object, where: int, _value: int) -> None:
            seen["handshakes"] += where == SSL.SSL_CB_HANDSHAKE_DONE

        def getContext(self) -> SSL.Context:  # noqa: N802
            return self.context

    for number in [port, *more]:
        reactor.listenSSL(number, protocol.Factory.forProtocol(Echo), Factory(number != port), backlog=1024,
                          interface="127.0.0.1")
    stdio.StandardIO(Ends())
    reactor.run()


if kind == "twisted":
    run_twisted()
else:
    if kind == "uvloop":
        import uvloop
        uvloop.install()
    asyncio.run(run())
print(json.dumps(seen))
