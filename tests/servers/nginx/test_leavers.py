# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Clients that have left before nginx comes to their hello, and others that only seem to, stock and with Octuple.

The worker stands still until all has waited for longer than the shim needs to look (shim/handshake/storm.c). What
clients get, and what nginx says of them in both of its logs, must be the same, but for the one case that docs/limits.md
names."""

from __future__ import annotations

import re
import socket
import struct
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.servers.common import clients, rig

LATE = 0.2  # seconds; OCT_POLICY_HELLO_LATE is 0.05
REQUEST = b"GET /%s HTTP/1.0\r\n\r\n"


class Scene:
    """A server with its two logs, and what its clients have seen."""

    def __init__(self, keys: Path, build: rig.Build | None, place: Path, **env: str):
        self.access = place / ("octuple.log" if build else "stock.log")
        text = f"access_log {self.access}; ssl_client_certificate {keys}/ca.crt;"
        servers = [rig.Server(text=text), rig.Server(text=text + "ssl_verify_client on;"),
                   rig.Server(text=text + "ssl_ecdh_curve secp384r1;"),
                   rig.Server(text=text + "ssl_early_data on;")]
        self.nginx = rig.Nginx(keys, build, servers, log_level="info", env=env)
        self.nginx.may_say = ("SSL_do_handshake() failed (SSL:",)  # of garbage, stock too
        self.seen: dict[str, Counter[str]] = {}

    def logs(self) -> list[str]:
        errors = [re.sub(r".*?\*\d+ |, client:.*|\(.*?:error:", "", line) for line in self.nginx.log.splitlines()
                  if ", client:" in line]
        lines = self.access.read_text().splitlines() if self.access.exists() else []
        return ["error " + line for line in errors] + ["access " + re.sub(r"\[.*?\]", "", line) for line in lines]

    def come(self, kind: str, what, count: int = 1) -> None:
        """`what` makes connections while the worker stands still; these, or what they got, are looked at afterwards."""
        before = Counter(self.logs())
        with clients.stopped(self.nginx.worker_pids()[0]):
            socks = [sock for i in range(count) for sock in what(i)]
            time.sleep(LATE)
        got = Counter(drain(sock) for sock in socks)
        self.settle()
        self.seen[kind] = got
        self.seen[kind + ", logs"] = Counter(self.logs()) - before

    def settle(self) -> None:
        assert b"200 OK" in clients.fetch(self.nginx.port, rig.client_context())
        rig.wait_until(lambda: max(self.nginx.fd_counts()) <= self.nginx.idle_fds, "all of them are closed")


def drain(sock: socket.socket) -> str:
    sock.settimeout(20)
    count = 0
    try:
        while more := sock.recv(65536):
            count += len(more)
    except OSError as error:
        return f"{'some' if count else 'no'} bytes, {error.strerror}"
    finally:
        sock.close()
    return f"{'a flight' if count > 20 else 'an alert' if count else 'nothing'}, end"


def hello_of(context: clients.ssl.SSLContext, session: clients.ssl.SSLSession | None = None) -> bytes:
    incoming, outgoing = clients.ssl.MemoryBIO(), clients.ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, session=session)
    with pytest.raises(clients.ssl.SSLWantReadError):
        tls.do_handshake()
    return outgoing.read()


def half_close(port: int, data: bytes) -> list[socket.socket]:
    sock = socket.create_connection(("127.0.0.1", port))
    sock.sendall(data)
    sock.shutdown(socket.SHUT_WR)
    return [sock]


def leave(port: int, data: bytes, by_reset: bool) -> list[socket.socket]:
    sock = socket.create_connection(("127.0.0.1", port))
    sock.sendall(data)
    if by_reset:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()
    return []


def cuts(scene: Scene, version: str, ciphers: str, server: int, stride: int = 23, *,
         context: clients.ssl.SSLContext | None = None, session: clients.ssl.SSLSession | None = None) -> None:
    """At bytes of the hello, the last among them, by each end, and bytes behind it."""
    port = scene.nginx.servers[server].port
    data = hello_of(context or rig.client_context(version, ciphers), session)
    parts = [*range(0, len(data), stride), len(data) - 1]
    kind = f"{version} {ciphers} {server}" + " resumed" * (session is not None)
    for by_reset in False, True:
        scene.come(f"{kind} left, reset {by_reset}",
                   lambda i: leave(port, data[:[*parts, len(data)][i]], by_reset), len(parts) + 1)
    scene.come(f"{kind} a part, half-closed", lambda i: half_close(port, data[:parts[i]]), len(parts))
    scene.come(f"{kind} and an alert", lambda i: half_close(port, data + b"\x15\x03\x03\x00\x02\x02\x5a"))
    scene.come(f"{kind} and more", lambda i: half_close(port, data + data[:i + 1]), 12)
    scene.come(f"{kind} half-closed behind it", lambda i: half_close(port, data))


def others(scene: Scene) -> None:
    port = scene.nginx.port
    for name, data in (("HTTP", REQUEST % b"plain"), ("garbage", b"\x16\x03\x01\x00\x05hello"), ("zeros", bytes(99)),
                       ("a bad hello", b"\x16\x03\x01\x00\x04\x01\x00\x00\x00")):
        scene.come(name, lambda i, data=data: half_close(port, data))
        scene.come(name + ", left", lambda i, data=data: leave(port, data, False))


def whole(scene: Scene, kind: str, server: int, context: clients.ssl.SSLContext,
          session: clients.ssl.SSLSession | None = None) -> None:
    """The last flight, a request and FIN arrive together: a stock server answers."""
    client = clients.Client(scene.nginx.servers[server].port, context, session)
    client.hello()
    while not client.done:
        assert client.receive()
        client.turn()
        if not client.done:
            client.flush()
    assert session is None or client.tls.session_reused
    client.tls.write(REQUEST % b"whole")

    def last(_: int) -> list[socket.socket]:
        client.flush()
        client.sock.shutdown(socket.SHUT_WR)
        return [client.sock]

    scene.come(kind, last)


def resumed(scene: Scene, version: str) -> None:
    """Who comes again with a ticket."""
    context = rig.client_context(version)
    with clients.Client(scene.nginx.port, context) as first:
        first.handshake()
        first.ask()
        first.read()
        session = first.tls.session
    assert session is not None and session.has_ticket
    cuts(scene, version, "ALL", 0, context=context, session=session)
    whole(scene, f"whole {version} resumed", 0, context, session)


def early(scene: Scene, place: Path) -> None:
    """OpenSSL's own client through a relay that ends its side behind the first flight."""
    port, session, data = scene.nginx.servers[3].port, place / "session", place / "early"
    data.write_bytes(REQUEST % b"early")
    clients.s_client(port, "-tls1_3", "-sess_out", str(session)).communicate(REQUEST % b"first", timeout=20)
    with socket.create_server(("127.0.0.1", 0)) as relay:
        run = clients.s_client(relay.getsockname()[1], "-tls1_3", "-sess_in", str(session), "-early_data", str(data))
        sock, _ = relay.accept()
        first = b""
        sock.settimeout(0.5)
        with pytest.raises(TimeoutError):
            while more := sock.recv(65536):
                first += more
        scene.come("early data", lambda _: half_close(port, first))
        sock.close()
    run.communicate(timeout=20)


def play(scene: Scene, keys: Path, place: Path) -> dict[str, Counter[str]]:
    with scene.nginx as nginx:
        assert b"200 OK" in clients.fetch(nginx.port, rig.client_context())
        nginx.idle_fds = max(nginx.fd_counts())
        cuts(scene, "1.3", "ALL", 0, 1)
        cuts(scene, "1.2", "ECDHE+aRSA", 0, 1)
        cuts(scene, "1.2", "kRSA", 0)
        cuts(scene, "1.3", "ALL", 1)  # client certificates
        cuts(scene, "1.3", "ALL", 2)  # HelloRetryRequest
        cuts(scene, "1.3", "ALL", 3)  # SSL_read_early_data()
        others(scene)
        own = keys / "client-rsa2048.crt", keys / "client-rsa2048.key"
        for version, ciphers in ("1.3", "ALL"), ("1.2", "ECDHE+aRSA"), ("1.2", "kRSA"):
            whole(scene, f"whole {version} {ciphers}", 0, rig.client_context(version, ciphers))
            whole(scene, f"whole {version} {ciphers} cert", 1, rig.client_context(version, ciphers, *own))
        whole(scene, "whole behind HelloRetryRequest", 2, rig.client_context())
        resumed(scene, "1.3")
        resumed(scene, "1.2")
        early(scene, place)
    return scene.seen


def named(kind: str) -> bool:
    """docs/limits.md: A client that half-closes behind its hello."""
    return kind.endswith("half-closed behind it")


def test_as_stock(build, keys, place):
    stock = play(Scene(keys, None, place), keys, place)
    ours = play(Scene(keys, build, place), keys, place)
    assert stock.keys() == ours.keys()
    differ = {kind: (stock[kind], ours[kind]) for kind in stock if stock[kind] != ours[kind] and not named(kind)}
    assert not differ
    for kind in filter(named, stock):
        assert stock[kind] == {"a flight, end": 1}
        assert "a flight, end" not in ours[kind]


def test_switched_off(build, keys, place):
    """The setting leaves that one case too as it is."""
    scene = Scene(keys, build, place, OCTUPLE_HELLOS="off")
    with scene.nginx as nginx:
        assert b"200 OK" in clients.fetch(nginx.port, rig.client_context())
        nginx.idle_fds = max(nginx.fd_counts())
        data = hello_of(rig.client_context())
        scene.come("off", lambda _: half_close(nginx.port, data))
    assert scene.seen["off"] == {"a flight, end": 1}
