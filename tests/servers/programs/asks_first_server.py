# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server that feeds libssl through memory, and asks libssl before it has read the socket, as Puma does. What libssl
has written goes out only behind bytes that were read.

usage: asks_first_server.py PORT KEYS

Ends when its standard input does.
"""

from __future__ import annotations

import selectors
import socket
import ssl
import sys

port, keys = int(sys.argv[1]), sys.argv[2]
ANSWER = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok\n"


class Connection:
    """One, with its TLS in memory."""

    def __init__(self, sock: socket.socket, context: ssl.SSLContext):
        self.sock, self.incoming, self.outgoing = sock, ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.done = False

    def request(self) -> bool:
        """True if there is one."""
        try:
            if not self.done:
                self.tls.do_handshake()
                self.done = True
            return bool(self.tls.read(4096))
        except ssl.SSLWantReadError:
            return False

    def flush(self) -> None:
        data = self.outgoing.read()
        if data:
            self.sock.sendall(data)

    def readable(self) -> bool:
        """False if the connection is over."""
        while not self.request():
            try:
                data = self.sock.recv(16384)
            except BlockingIOError:
                return True
            if not data:
                return False
            self.incoming.write(data)
            if self.request():
                break
            self.flush()
        self.tls.write(ANSWER)
        self.flush()
        return False


def main() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{keys}/rsa2048.crt", f"{keys}/rsa2048.key")
    poller = selectors.EpollSelector()
    listener = socket.create_server(("127.0.0.1", port), backlog=1024)
    listener.setblocking(False)
    poller.register(listener, selectors.EVENT_READ)
    poller.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, _ in poller.select():
            if key.fileobj is sys.stdin:
                print("{}")
                return
            if key.fileobj is listener:
                sock = listener.accept()[0]
                sock.setblocking(False)
                poller.register(sock, selectors.EVENT_READ, Connection(sock, context))
                continue
            try:
                stays = key.data.readable()
            except (OSError, ssl.SSLError):
                stays = False
            if not stays:
                poller.unregister(key.fileobj)
                key.fileobj.close()


main()
