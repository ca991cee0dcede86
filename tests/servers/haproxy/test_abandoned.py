# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Connections that are closed while paused: OpenSSL's own asynchronous mode leaks them, the shim does not; and the
provider in servers that use that mode themselves, without the shim."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.servers.common import clients, rig

COUNT = 200


def abandon(build: rig.Build, place: rig.Path, how: str, **extra: str) -> dict:
    program = build.folder / "bin/octuple_abandon"
    done = subprocess.run([str(program), how, str(COUNT)], env=rig.shim_environment(place, build, **extra), timeout=120,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def test_leak(build, place):
    shim = abandon(build, place, "shim")
    assert shim["allocations_left"] == 0 and shim["grown_kb"] <= 5 * COUNT, shim
    if not rig.has_async_jobs():
        pytest.skip("this OpenSSL has no asynchronous mode that could leak")
    native = abandon(build, place, "native", LD_PRELOAD="", OPENSSL_CONF=str(rig.write_openssl_conf(place, build)))
    # Fibre, stack and handshake of each: some dozens of allocations. Fewer, and OpenSSL has found a way.
    assert native["allocations_left"] >= 10 * COUNT and native["grown_kb"] >= 8 * COUNT, native


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_s_server(build, keys, place, version):
    """It waits for the eventfd that the provider gives it. Clients that go in the middle are nobody's trouble."""
    if not rig.has_async_jobs():
        pytest.skip("this OpenSSL has no asynchronous mode")
    port = rig.free_ports(1)[0]
    env = rig.shim_environment(place, build, LD_PRELOAD="", OPENSSL_CONF=str(rig.write_openssl_conf(place, build)))
    server = subprocess.Popen(["openssl", "s_server", "-accept", f"127.0.0.1:{port}",
                               "-cert", f"{keys}/rsa2048.crt", "-key",
                               f"{keys}/rsa2048.key", "-www", "-quiet", "-async"], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        rig.wait_port(port, server)
        context = rig.client_context(version)
        for stage in (2, 4) * 2:
            for by_reset in (False, True):
                clients.abort(clients.Client(port, context), stage, by_reset)
            assert b"200 ok" in clients.fetch(port, context)
        count = rig.read_counters(place / "counters")["rsa2048-private"]
        assert count.submitted >= 4 and count.failed == 0, "its operations have waited in the queue"
    finally:
        server.terminate()
        server.wait(20)
