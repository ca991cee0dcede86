# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Keys in a provider of the test that blocks or pauses, in HAProxy: any PEM file becomes such a key (docs/keys.md)."""

from __future__ import annotations

import pytest

from tests.servers.common import clients, rig, tardy
from tests.servers.common.haproxy import HAProxy

LATENCY_US = 10_000
THREADS = 4
BOTH = pytest.mark.parametrize("kind", tardy.KINDS)


@pytest.fixture(name="device")
def make_device(build, keys):
    def make(kind: str, threads: int = THREADS) -> HAProxy:
        server = HAProxy(keys, build)
        tardy.put_into(server.env, build, kind, threads, LATENCY_US)
        return server

    return make


def herd(server: HAProxy, version: str, size: int = 16) -> list[bytes]:
    context = rig.client_context(version, "ECDHE+aRSA" if version == "1.2" else "ALL")
    return clients.finish(clients.herd(server.worker_pids()[0], server.port, context, size))


@pytest.mark.parametrize("version", ["1.2", "1.3"])
@pytest.mark.parametrize(("kind", "threads", "helpers"), [("blocks", 0, 0), ("blocks", THREADS, THREADS),
                                                          ("pauses", THREADS, 0)])
def test_herd(device, version, kind, threads, helpers):
    with device(kind, threads) as server:
        for _ in range(2):
            assert all(answer.endswith(b"ok\n") for answer in herd(server, version))
        assert rig.psutil.Process(server.worker_pids()[0]).num_threads() == 1 + helpers
        if kind == "pauses":
            assert rig.descriptors(server.worker_pids()[0], "timerfd") > THREADS  # so many at a time


@BOTH
def test_clients_that_end_while_the_device_works(device, kind):
    with device(kind) as server:
        herd(server, "1.3")
        server.idle_fds()
        pid = server.worker_pids()[0]
        idle = rig.descriptors(pid, "socket:")
        for by_reset in (False, True):
            for client in clients.herd(pid, server.port, rig.client_context(), 12):
                client.reset() if by_reset else client.close()
            assert all(answer.endswith(b"ok\n") for answer in herd(server, "1.3"))
        rig.wait_until(lambda: rig.descriptors(pid, "socket:") <= idle, "the connections are closed")
