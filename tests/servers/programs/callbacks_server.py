# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server with Python's ssl module and epoll, in one thread, whose callback for names signs and loads a certificate.

usage: callbacks_server.py PORT KEYS KEYLOG

Ends when its standard input does, and prints then what the callback has seen, as JSON.
"""

from __future__ import annotations

import ctypes
import json
import selectors
import socket
import ssl
import sys
from pathlib import Path

port, keys, keylog = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
crypto = ctypes.CDLL("libcrypto.so.3")
for name in ("BIO_new_file", "PEM_read_bio_PrivateKey", "EVP_MD_CTX_new", "EVP_sha256"):
    getattr(crypto, name).restype = ctypes.c_void_p
seen = {"calls": 0, "inside": 0, "twice": 0, "wrong": 0}


def read_key(name: str) -> ctypes.c_void_p:
    bio = ctypes.c_void_p(crypto.BIO_new_file(str(keys / f"{name}.key").encode(), b"r"))
    return ctypes.c_void_p(crypto.PEM_read_bio_PrivateKey(bio, None, None, None))


def sign(key: ctypes.c_void_p) -> bool:
    """A signature, verified."""
    text, signature, length = b"a callback's own", ctypes.create_string_buffer(512), ctypes.c_size_t(512)
    md, sha256 = ctypes.c_void_p(crypto.EVP_MD_CTX_new()), ctypes.c_void_p(crypto.EVP_sha256())
    good = (crypto.EVP_DigestSignInit(md, None, sha256, None, key) == 1
            and crypto.EVP_DigestSign(md, signature, ctypes.byref(length), text, ctypes.c_size_t(len(text))) == 1)
    crypto.EVP_MD_CTX_free(md)
    md = ctypes.c_void_p(crypto.EVP_MD_CTX_new())
    good = (good and crypto.EVP_DigestVerifyInit(md, None, sha256, None, key) == 1
            and crypto.EVP_DigestVerify(md, signature, length, text, ctypes.c_size_t(len(text))) == 1)
    crypto.EVP_MD_CTX_free(md)
    return good


def context_for(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keys / f"{name}.crt", keys / f"{name}.key")
    context.load_verify_locations(keys / "ca.crt")
    context.verify_mode = ssl.CERT_OPTIONAL
    context.keylog_filename = keylog
    return context


own_keys = [read_key("rsa2048"), read_key("ecdsa-p256")]


def named(connection: ssl.SSLSocket, name: str | None, _: ssl.SSLContext) -> None:
    """rsa2048.test and ecdsa-p256.test are the names that it has certificates for."""
    seen["calls"] += 1
    seen["twice"] += seen["inside"] > 0
    seen["inside"] += 1
    seen["wrong"] += sum(not sign(key) for key in own_keys)
    connection.context = context_for((name or "rsa2048.test").removesuffix(".test"))
    seen["inside"] -= 1


def step(connection: ssl.SSLSocket, poller: selectors.EpollSelector) -> None:
    """One turn of a connection: the handshake, then a request, which is answered at once."""
    try:
        connection.do_handshake()
        if connection.recv(4096):
            body = f"{connection.version()} {bool(connection.getpeercert())}\n".encode()
            connection.send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body)
    except (ssl.SSLWantReadError, BlockingIOError):
        return
    except (ssl.SSLError, OSError):
        pass
    poller.unregister(connection)
    connection.close()


def main() -> None:
    outer = context_for("rsa2048")
    outer.sni_callback = named
    poller = selectors.EpollSelector()
    listener = socket.create_server(("127.0.0.1", port), backlog=256)
    listener.setblocking(False)
    poller.register(listener, selectors.EVENT_READ)
    poller.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, _ in poller.select():
            if key.fileobj is sys.stdin:
                print(json.dumps(seen))
                return
            if key.fileobj is listener:
                raw = listener.accept()[0]
                raw.setblocking(False)
                connection = outer.wrap_socket(raw, server_side=True, do_handshake_on_connect=False)
                poller.register(connection, selectors.EVENT_READ)
            else:
                step(key.fileobj, poller)


main()
