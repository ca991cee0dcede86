# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""HAProxy, whose own BIO hides the socket from libssl: alone it is stock, with others it goes through the lanes."""

from __future__ import annotations

import ssl

import pytest

from tests.servers.common import clients, rig
from tests.servers.common.haproxy import HAProxy

KINDS = [("1.2", "kRSA"), ("1.2", "ECDHE+aRSA"), ("1.3", "ALL")]
EDGE = "expose-experimental-directives\n    tune.fd.edge-triggered on\n    nbthread 1"


def ends_well(server: HAProxy, operation: str, handshakes: int) -> rig.Counts:
    """Nothing got lost: what was queued came out of the lanes or was run by the fallback."""
    count = server.counters()[operation]
    assert count.failed == 0 and count.recomputed == 0 and count.cancelled == 0
    assert sum(fill * (jobs + 1) for jobs, fill in enumerate(count.flushes)) == count.done
    assert count.all == handshakes and count.submitted <= count.all
    return count


@pytest.mark.parametrize(("version", "ciphers"), KINDS)
@pytest.mark.parametrize("main", ["nbthread 1", EDGE], ids=["level", "edge"])
def test_herd(build, keys, version, ciphers, main):
    with HAProxy(keys, build, main=main) as server:
        context = rig.client_context(version, ciphers)
        for _ in range(2):
            answers = clients.finish(clients.herd(server.worker_pids()[0], server.port, context, 24))
            assert len(answers) == 24 and all(answer.endswith(b"ok\n") for answer in answers)
        count = ends_well(server, "rsa2048-private", 48)
        assert count.waited(24), "most of a herd waits for others"


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_ecdsa(build, keys, version):
    with HAProxy(keys, build, "ecdsa-p256") as server:
        herd = clients.herd(server.worker_pids()[0], server.port, rig.client_context(version), 24)
        assert all(answer.endswith(b"ok\n") for answer in clients.finish(herd))
        assert ends_well(server, "p256-sign", 24).submitted >= 8
        hybrid = version == "1.3" and ssl.OPENSSL_VERSION_INFO >= (3, 5)
        assert ends_well(server, "x25519mlkem768-server" if hybrid else "x25519-derive", 24).submitted >= 8


@pytest.mark.parametrize(("version", "ciphers"), KINDS)
def test_alone_is_plain(build, keys, version, ciphers):
    with HAProxy(keys, build) as server:
        context = rig.client_context(version, ciphers)
        for _ in range(10):
            assert clients.fetch(server.port, context).endswith(b"ok\n")
        # The end of one connection and the beginning of the next may look like two at once; lanes are not used for one.
        count = ends_well(server, "rsa2048-private", 10)
        assert count.done == 0 and count.submitted <= 3


@pytest.mark.parametrize(("version", "ciphers"), KINDS)
def test_threads(build, keys, version, ciphers):
    """Each thread has an epoll instance and a queue of its own."""
    with HAProxy(keys, build, main="nbthread 2") as server:
        context = rig.client_context(version, ciphers)

        def one():
            assert clients.fetch(server.port, context).endswith(b"ok\n")

        assert clients.many(80, 16, one) == []
        herd = clients.herd(server.worker_pids()[0], server.port, context, 32)
        assert all(answer.endswith(b"ok\n") for answer in clients.finish(herd))
        assert ends_well(server, "rsa2048-private", 112).done > 0
