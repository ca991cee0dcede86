# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers that run out of descriptors, connections or memory, and clocks that jump: an accelerated one bears it as a
stock one does."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from tests.servers.common import clients, rig

FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")


def answered(nginx: rig.Nginx, size: int) -> tuple[int, int]:
    """Of a herd, how many were answered and how many were not."""
    herd, good = clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), size), 0
    for client in herd:
        try:
            client.handshake()
            client.ask()
            good += b"200 OK" in client.read()
        except OSError:
            pass
        client.close()
    return good, size - good


def test_no_more_connections(build, keys):
    """`worker_connections` are used up: stock nginx turns some of a herd away,
    and an accelerated one no more of them."""
    turned_away = []
    for under_test in (None, build):
        with rig.Nginx(keys, under_test, [rig.Server()], multi_accept="on", connections=40) as nginx:
            nginx.may_say = ("worker_connections are not enough",)
            turned_away.append(answered(nginx, 80)[1])
            assert answered(nginx, 20) == (20, 0)
            rig.wait_until(lambda: nginx.counters()["rsa2048-private"].submitted == 0 or max(nginx.fd_counts()) < 20,
                           "all is closed")
    assert 0 < turned_away[1] <= turned_away[0], turned_away


def test_no_more_descriptors(build, keys):
    """accept() fails, and so does whatever else would open something: who waits is served later."""
    with rig.Nginx(keys, build, [rig.Server()], multi_accept="on", main="worker_rlimit_nofile 48;") as nginx:
        nginx.may_say = ("Too many open files",)
        fds = max(nginx.fd_counts())
        for _ in range(2):
            assert answered(nginx, 100) == (100, 0)
        rig.wait_until(lambda: max(nginx.fd_counts()) <= fds, "all is closed")
        count = nginx.counters()["rsa2048-private"]
        assert count.all == 200 and count.done > 0 and count.failed == 0, count


def test_no_more_memory(build, keys):
    """Only what a worker has now: it serves whom it can, lives, and serves everybody when there is memory again."""
    with rig.Nginx(keys, build, [rig.Server()], multi_accept="on", main="user root;") as nginx:
        nginx.may_say = ("malloc", "memory", "SSL_", "RAND_")
        assert answered(nginx, 8) == (8, 0)
        worker, pids = nginx.worker(), nginx.worker_pids()
        before = worker.rlimit(resource.RLIMIT_AS)
        worker.rlimit(resource.RLIMIT_AS, (worker.memory_info().vms, before[1]))
        answered(nginx, 120)
        worker.rlimit(resource.RLIMIT_AS, before)
        assert answered(nginx, 40) == (40, 0)
        assert nginx.worker_pids() == pids


def test_clock_jumps(build, keys, place):
    """Wall time, not the monotonic clock, which cannot: a day and ten years, both ways."""
    if not FAKETIME.exists():
        pytest.skip("libfaketime is not installed (libfaketime)")
    clock = place / "clock"
    clock.write_text("+0\n")
    names = {"FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
             "LD_PRELOAD": f"{build.shim}:{FAKETIME}"}
    main = "".join(f"env {name};" for name in names)
    with rig.Nginx(keys, build, [rig.Server()], main=main, env=names) as nginx:
        seen = set()
        for jump in ("+0", "+1d", "-1d", "+3650d", "-3650d", "+0"):
            with clients.stopped(nginx.worker_pids()[0]):
                herd = [clients.Client(nginx.port, rig.client_context()) for _ in range(12)]
                for client in herd:
                    client.hello()
                clock.write_text(jump + "\n")
            answers = clients.finish(herd)
            assert all(b"200 OK" in answer for answer in answers), jump
            seen.add(date_of(answers[-1]))
        assert len(seen) >= 4, f"the clock did not jump: {seen}"
        count = nginx.counters()["rsa2048-private"]
        assert count.all == 72 and count.done > 0 and count.failed == 0, count


def date_of(answer: bytes) -> str:
    """The day that the server believes it is."""
    line = next(line for line in answer.decode().split("\r\n") if line.startswith("Date: "))
    return line[len("Date: "):len("Date: ") + len("Sat, 21 Nov 2026")]
