# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Keys in a provider of the test that blocks, in HAProxy: any PEM file becomes such a key (docs/keys.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

import clients
import lab
from haproxy import HAProxy

LATENCY_US = 10_000
THREADS = 4


@pytest.fixture(name="device")
def make_device(build, keys):
    def make(threads: int) -> HAProxy:
        server = HAProxy(keys, build)
        conf = Path(server.env["OPENSSL_CONF"])
        text = conf.read_text().replace("octuple = octuple_sect\n", "octuple = octuple_sect\ntardy = tardy_sect\n", 1)
        text = text.replace("?octuple.serves=yes", "?provider=tardy")
        conf.write_text(text + f"[tardy_sect]\nmodule = {build.folder}/lib/tardy.so\nactivate = 1\n")
        server.env.update(OCTUPLE_KEYS=str(threads), OCTUPLE_TEST_DEVICE_US=str(LATENCY_US))
        return server

    return make


def herd(server: HAProxy, version: str, size: int = 16) -> list[bytes]:
    context = lab.client_context(version, "ECDHE+aRSA" if version == "1.2" else "ALL")
    return clients.finish(clients.herd(server.worker_pids()[0], server.port, context, size))


@pytest.mark.parametrize("version", ["1.2", "1.3"])
@pytest.mark.parametrize("threads", [0, THREADS])
def test_herd(device, version, threads):
    with device(threads) as server:
        for _ in range(2):
            assert all(answer.endswith(b"ok\n") for answer in herd(server, version))
        assert lab.psutil.Process(server.worker_pids()[0]).num_threads() == 1 + threads


def test_clients_that_end_while_the_device_works(device):
    with device(THREADS) as server:
        herd(server, "1.3")
        idle = server.idle_fds()
        for by_reset in (False, True):
            for client in clients.herd(server.worker_pids()[0], server.port, lab.client_context(), 12):
                client.reset() if by_reset else client.close()
            assert all(answer.endswith(b"ok\n") for answer in herd(server, "1.3"))
        lab.wait_until(lambda: server.fds() <= idle, "the connections are closed")
