# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Clients that take a server's time, descriptors and memory, among honest ones: these are all served, and nothing is
left of those.

OCT_TEST_DEPTH=exhaustive brings ten times as many.
"""

from __future__ import annotations

import random
import subprocess
import time

from lab import depth
from tests.servers.common import clients, rig

SCALE = 10 if depth.EXHAUSTIVE else 1


def settled(nginx: rig.Nginx, fds: int) -> None:
    rig.wait_until(lambda: max(nginx.fd_counts()) <= fds, "the connections are closed", 60)


def private(nginx: rig.Nginx) -> rig.Counts:
    return nginx.counters()["rsa2048-private"]


def renegotiate(port: int, times: int) -> subprocess.Popen[bytes]:
    """A client that does nothing else."""
    client = clients.s_client(port, "-tls1_2")
    client.stdin.write(b"R\n" * times)
    client.stdin.close()
    client.stdin = None  # communicate() is not to use it any more
    return client


def test_renegotiation_floods(build, keys):
    """They cost one handshake each: not one operation is done for what is refused."""
    floods = 12 * SCALE
    with rig.Nginx(keys, build, [rig.Server()]) as nginx:
        with clients.load(nginx.port, rig.client_context("1.2", "kRSA"), 4) as result:
            for said in [renegotiate(nginx.port, 50) for _ in range(floods)]:
                said.communicate(timeout=60)
        assert result["bad"] == [] and result["good"] > 0
        count = private(nginx)
        assert count.all == result["good"] + floods and count.failed == 0, count


def by_bytes(herd: list[clients.Client], pause: float) -> None:
    """What all of them have to say, a byte of each in turn."""
    waiting = {}
    for client in herd:
        client.turn()
        waiting[client] = client.outgoing.read()
    for i in range(max(map(len, waiting.values()))):
        for client, data in waiting.items():
            client.sock.sendall(data[i:i + 1])
        time.sleep(pause)


def test_slow_handshakes(build, keys):
    """Whose every byte is a segment of its own, while others are as fast as they can."""
    pause = 0.05 if SCALE > 1 else 0.002
    with rig.Nginx(keys, build, [rig.Server()]) as nginx:
        fds = max(nginx.fd_counts())
        with clients.load(nginx.port, rig.client_context(), 4) as result:
            herd = [clients.Client(nginx.port, rig.client_context("1.2", "kRSA")) for _ in range(20)]
            by_bytes(herd, pause)
            for client in herd:
                assert client.receive()
            by_bytes(herd, pause)
            assert all(b"200 OK" in answer for answer in clients.finish(herd))
        assert result["bad"] == [] and result["good"] > 0
        settled(nginx, fds)
        assert private(nginx).all == result["good"] + 20


def test_half_open(build, keys):
    """So many that say nothing or half a hello, and a herd that finds a place among them."""
    count, rounds = 1500, 14 if SCALE > 1 else 2
    with rig.Nginx(keys, build, [rig.Server()], multi_accept="on") as nginx:
        fds = max(nginx.fd_counts())
        levels = []
        for _ in range(rounds):
            idle = [clients.Client(nginx.port, rig.client_context()) for _ in range(count)]
            for i, client in enumerate(idle):
                client.turn()
                hello = client.outgoing.read()
                client.sock.sendall(hello[:i % len(hello)])
            herd = clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), 40)
            assert all(b"200 OK" in answer for answer in clients.finish(herd))
            for i, client in enumerate(idle):
                client.reset() if i % 2 else client.close()
            settled(nginx, fds)
            levels.append(nginx.resident_kb())
        # The heap of so many halves needs some ten rounds until it has its form, with stock nginx too.
        assert rounds < 14 or levels[-1] <= levels[-3] + 512, levels
        assert private(nginx).all == 40 * rounds


def nonsense(chance: random.Random) -> bytes:
    """Records of every type with lengths that are right, wrong, and too large, or a hello that goes on and on."""
    size = chance.choice([0, 1, 5, 40, 300, 5000, 16384, 16385, 18433])
    body, kind = chance.randbytes(size), chance.choice([20, 21, 22, 23, 24, 80])
    if chance.random() < 0.3:
        promised = chance.choice([70_000, 131_396, 131_397, 16_000_000])
        body, kind = b"\1" + promised.to_bytes(3, "big") + body[:16380], 22
    record = bytes([kind]) + b"\3\3" + min(len(body), 65535).to_bytes(2, "big") + body
    return record * chance.randrange(1, 5)


def meet(nginx: rig.Nginx, chance: random.Random, size: int) -> None:
    """A herd, half of which goes on with nonsense, before its hello or behind it."""
    with clients.stopped(nginx.worker_pids()[0]):
        herd = [clients.Client(nginx.port, rig.client_context()) for _ in range(size)]
        for i, client in enumerate(herd):
            if i % 4 != 1:
                client.hello()
            if i % 2:
                client.sock.sendall(nonsense(chance))
    assert all(b"200 OK" in answer for answer in clients.finish(herd[::2]))
    for client in herd[1::2]:
        client.reset() if chance.random() < 0.5 else client.close()


def test_nonsense(build, keys):
    chance, size = random.Random(5), 64
    with rig.Nginx(keys, build, [rig.Server()], multi_accept="on") as nginx:
        nginx.may_say = ("SSL_do_handshake() failed",)
        fds, pid = max(nginx.fd_counts()), nginx.worker_pids()[0]
        levels = []
        for _ in range(8 + 12 * SCALE):
            meet(nginx, chance, size)
            settled(nginx, fds)
            levels.append(nginx.resident_kb())
        # The heap gives back and takes again, up to 800 KB a round: held against the most of the first rounds.
        assert levels[-1] <= max(levels[:12]) + 512, levels
        assert nginx.worker_pids() == [pid]
        count = private(nginx)
        assert count.done > 0 and count.failed == 0 and count.recomputed == 0


def test_very_many_paused_at_once(build, keys):
    """All hellos are there before the first is looked at: all of their handshakes are paused before any goes on."""
    size = 500 if SCALE == 1 else 4000
    with rig.Nginx(keys, build, [rig.Server()], multi_accept="on", events="accept_mutex off;") as nginx:
        fds = max(nginx.fd_counts())
        for _ in range(2):
            herd = clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), size)
            for client in herd[::10]:
                client.reset()
            kept = [client for i, client in enumerate(herd) if i % 10]
            assert all(b"200 OK" in answer for answer in clients.finish(kept))
            settled(nginx, fds)
        count = private(nginx)
        assert count.submitted >= 2 * len(kept) * 9 // 10 and count.done > 0 and count.failed == 0, count
