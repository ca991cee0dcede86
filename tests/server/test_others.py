# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Other servers of Debian's under `octuple run`: whatever they gain, they serve as before."""

from __future__ import annotations

import socket

import pytest

import clients
import lab
from octbench import others

# Those that handle many connections in one thread around epoll.
ACCELERATED = ("haproxy", "haproxy, 2 threads", "lighttpd", "hitch", "redis")


@pytest.mark.parametrize("kind", others.KINDS, ids=lambda kind: kind.name)
def test_serves(build, keys, place, kind):
    if kind.path() is None:
        pytest.skip(f"{kind.name} is not installed ({kind.package})")
    with others.Backend() as backend, others.Other(kind, place / "it", keys, "rsa2048", backend.port, build) as server:
        for version in ("1.2", "1.3"):
            context = lab.client_context(version)

            def one():
                with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw, \
                        context.wrap_socket(raw) as sock:
                    sock.sendall(kind.request)
                    got = b""
                    while more := sock.recv(65536):
                        got += more
                    assert got.endswith(kind.answer), got

            assert clients.many(48, 16, one) == []
        assert server.child.poll() is None
        count = server.counters()["rsa2048-private"]
        assert count.all == 96 and count.failed == 0
        assert (count.done > 0) == (kind.name in ACCELERATED), count
