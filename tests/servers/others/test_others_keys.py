# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Keys in a provider of the test, in other servers of Debian's: hitch, whose event loop is served, and Apache, whose
threads wait for the device as ever (docs/keys.md)."""

from __future__ import annotations

import signal

import pytest

from lab import process
from lab.servers import web
from tests.servers.common import clients, rig, tardy

LATENCY_US = 20_000
THREADS = 4
HERD = 12
BOTH = pytest.mark.parametrize("kind", tardy.KINDS)
KINDS = {kind.name: kind for kind in web.KINDS}


@pytest.fixture(name="device")
def make_device(build, keys, place):
    """Makes a server whose key is the device's; while the file `fail` is in the folder, the device does."""
    def make(name: str, backend: web.Backend, way: str, threads: int = THREADS) -> web.Other:
        if KINDS[name].path() is None:
            pytest.skip(f"{name} is not installed ({KINDS[name].package})")
        server = web.Other(KINDS[name], place / "it", keys, "rsa2048", backend.port)
        server.settings = rig.shim_environment(server.folder, build)
        tardy.put_into(server.settings, build, way, threads, LATENCY_US)
        server.settings["OCTUPLE_TEST_DEVICE_FAIL"] = str(place / "fail")
        return server

    return make


def worker(server: web.Other) -> int:
    return process.children(server.child.pid)[0]


def herd(server: web.Other, version: str = "1.3") -> list[clients.Client]:
    context = rig.client_context(version, "ECDHE+aRSA" if version == "1.2" else "ALL")
    return clients.herd(worker(server), server.port, context, HERD)


def is_served(server: web.Other, version: str = "1.3") -> bool:
    return all(answer.endswith(server.kind.answer) for answer in clients.finish(herd(server, version)))


@BOTH
@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_hitch(device, build, kind, version):
    with web.Backend() as backend, device("hitch", backend, kind) as server:
        assert is_served(server, version) and is_served(server, version)
        helpers = THREADS if kind == "blocks" else 0
        assert rig.psutil.Process(worker(server)).num_threads() == 1 + helpers
        (keys,) = tardy.settled(build, server.counters_folder)
        assert keys["begun"] == keys["done"] == 2 * HERD and keys["threads"] == helpers
        assert keys["by_threads" if kind == "blocks" else "by_pausing"] >= HERD
        assert keys["in_flight_most"] > THREADS


@BOTH
def test_hitch_and_clients_that_end_while_the_device_works(device, build, kind):
    with web.Backend() as backend, device("hitch", backend, kind) as server:
        pid = worker(server)
        idle = rig.descriptors(pid, "socket:")
        assert is_served(server)
        for by_reset in (False, True):
            for client in herd(server):
                client.reset() if by_reset else client.close()
            assert is_served(server)
        rig.wait_until(lambda: rig.descriptors(pid, "socket:") <= idle, "the connections are closed")
        (keys,) = tardy.settled(build, server.counters_folder)
        assert keys["begun"] == keys["done"] + keys["called_off"]


@BOTH
def test_hitch_and_a_device_that_fails(device, place, kind):
    with web.Backend() as backend, device("hitch", backend, kind) as server:
        assert is_served(server)
        (place / "fail").touch()
        for client in herd(server):
            with pytest.raises((OSError, EOFError)):
                clients.finish([client])
        (place / "fail").unlink()
        assert is_served(server)


def test_apache(device, build):
    """With a thread for each connection that it serves: nothing is paused, no helper is made, and a reload in the midst
    harms nobody."""
    with web.Backend() as backend, device("apache (event)", backend, "blocks", 16) as server:
        with clients.load(server.port, rig.client_context(), 16, server.kind.request) as result:
            rig.wait_until(lambda: result["good"] > 100, "the first child serves")
            first = worker(server)
            server.child.send_signal(signal.SIGUSR1)
            rig.wait_until(lambda: first not in process.children(server.child.pid), "the old child ends")
            rig.wait_until(lambda: process.children(server.child.pid), "a new child serves")
            before = result["good"]
            rig.wait_until(lambda: result["good"] > before + 100, "the new child serves all")
        assert result["bad"] == []
        said = tardy.settled(build, server.counters_folder)
        assert len(said) == 2 and sum(keys["done"] for keys in said) >= result["good"]
        for keys in said:
            assert keys["begun"] == keys["done"] == keys["inside"]["no_loop"] and keys["threads"] == 0
        assert "[mpm_event:alert]" not in server.said() and "exit signal" not in server.said()
