# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Other servers of Debian's under `octuple run`: whatever they gain, they serve as before."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess

import pytest

from lab.servers import web
from tests.servers.common import clients, rig
from tests.servers.common.haproxy import HAProxy

# Those that handle many connections in one thread around epoll.
ACCELERATED = ("haproxy", "haproxy, 2 threads", "lighttpd", "hitch", "redis", "valkey")


@pytest.mark.parametrize("kind", web.KINDS, ids=lambda kind: kind.name)
def test_serves(build, keys, place, kind):
    if kind.path() is None:
        pytest.skip(f"{kind.name} is not installed ({kind.package})")
    with web.Backend() as backend, web.Other(kind, place / "it", keys, "rsa2048", backend.port, build) as server:
        for version in ("1.2", "1.3"):
            context = rig.client_context(version)

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
        assert count.done > 0 or kind.name not in ACCELERATED, count


CLIENTS = {
    "curl": ["curl", "-qsSk", "--fail", "-Z", "-o", "/dev/null", "{url}?[1-40]"],
    "ab": ["ab", "-q", "-n", "40", "-c", "8", "{url}"],
    "wrk": ["wrk", "-t", "2", "-c", "16", "-d", "1", "-H", "Connection: close", "{url}"],
    "h2load": ["h2load", "--h1", "-n", "40", "-c", "40", "{url}"],
}


@pytest.mark.parametrize("name", CLIENTS)
def test_clients(build, keys, place, name):
    """Programs that make many connections at once; wrk ends with some of them in the middle of a handshake."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    with HAProxy(keys, None) as server:
        command = [word.format(url=f"https://127.0.0.1:{server.port}/answer") for word in CLIENTS[name]]
        done = subprocess.run([str(build.octuple), "run", "--", *command], env=rig.clean_environment(), timeout=60,
                              capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    failures = re.findall(r"Failed requests: +(\d+)|Non-2xx.*: +(\d+)|(\d+) failed|Socket errors: (.*)", done.stdout)
    assert all(text in ("", "0") for found in failures for text in found), done.stdout
