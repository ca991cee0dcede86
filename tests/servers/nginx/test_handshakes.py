# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Every kind of handshake, by real clients: alone it is stock, with others it goes through the lanes."""

from __future__ import annotations

import subprocess

import pytest

from tests.servers.common import clients, rig

KINDS = [("1.2", "kRSA"), ("1.2", "ECDHE+aRSA"), ("1.3", "ALL")]
SIZES = [2048, 3072, 4096]


def private(nginx: rig.Nginx, size: int) -> rig.Counts:
    return nginx.counters()[f"rsa{size}-private"]


def check_sums(count: rig.Counts) -> None:
    """Nothing got lost: what was queued came out of the lanes or was run by the fallback."""
    assert count.failed == 0 and count.recomputed == 0
    assert sum(fill * (jobs + 1) for jobs, fill in enumerate(count.flushes)) == count.done
    assert count.submitted <= count.done + count.fallback + count.cancelled


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("version", "ciphers"), KINDS)
def test_herd(build, keys, version, ciphers, size):
    with rig.Nginx(keys, build, [rig.Server(f"rsa{size}")]) as nginx:
        assert nginx.uses_shim()
        context = rig.client_context(version, ciphers)
        for _ in range(3):
            herd = clients.herd(nginx.worker_pids()[0], nginx.port, context, 24)
            answers = clients.finish(herd)
            assert len(answers) == 24 and all(b"200 OK" in answer and answer.endswith(b"ok\n") for answer in answers)
        count = private(nginx, size)
        check_sums(count)
        assert count.done + count.fallback == 72
        assert count.waited(36), f"most of a herd waits for others: {count}"


@pytest.mark.parametrize(("version", "ciphers"), KINDS)
def test_alone_is_plain(build, keys, version, ciphers):
    with rig.Nginx(keys, build, [rig.Server()]) as nginx:
        context = rig.client_context(version, ciphers)
        for _ in range(10):
            assert b"200 OK" in clients.fetch(nginx.port, context)
        count = private(nginx, 2048)
        # The end of one connection and the beginning of the next may look like two at once; lanes are not used for one.
        assert (count.done, count.fallback) == (0, 10) and count.submitted <= 3


@pytest.mark.parametrize(("version", "ciphers"), KINDS)
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("listen", ["", "deferred", "reuseport"])
def test_crowd(build, keys, version, ciphers, workers, listen):
    """Python's own TLS sockets from many threads, several keys, one and several workers."""
    servers = [rig.Server(f"rsa{size}", listen=listen) for size in SIZES]
    with rig.Nginx(keys, build, servers, workers=workers) as nginx:
        context = rig.client_context(version, ciphers)
        ports = iter([server.port for server in servers] * 40)

        def one():
            assert b"200 OK" in clients.fetch(next(ports), context)

        assert clients.many(120, 16, one) == []
        total = [private(nginx, size) for size in SIZES]
        for count in total:
            check_sums(count)
        assert sum(count.done + count.fallback for count in total) == 120
        # With deferred accept the first call comes before nginx has told epoll of the socket: it stays synchronous.
        if workers == 1 and (listen != "deferred" or ciphers == "kRSA"):
            assert sum(count.done for count in total) > 0


def test_multi_accept(build, keys):
    with rig.Nginx(keys, build, [rig.Server()], multi_accept="on") as nginx:
        herd = clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), 40)
        assert len(clients.finish(herd)) == 40
        assert private(nginx, 2048).waited(20)


def run_curl(port: int, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(["curl", "-sk", "--max-time", "30", *more, f"https://127.0.0.1:{port}/"],
                            env=rig.clean_environment(), stdout=subprocess.PIPE, text=True)


def test_curl(build, keys):
    with rig.Nginx(keys, build, [rig.Server()]) as nginx:
        with clients.stopped(nginx.worker_pids()[0]):
            runs = [run_curl(nginx.port, *more) for more in (["--tls-max", "1.2"], [], ["--tlsv1.3"]) for _ in range(4)]
            clients.arrived(nginx.port, 12)
        assert [(run.communicate()[0], run.returncode) for run in runs] == [("ok\n", 0)] * 12


def test_openssl_s_client_verifies(build, keys):
    """A client that believes nothing: certificate and signature are verified."""
    with rig.Nginx(keys, build, [rig.Server("rsa4096")]) as nginx:
        command = ["openssl", "s_client", "-connect", f"127.0.0.1:{nginx.port}", "-CAfile", f"{keys}/rsa4096.crt",
                   "-verify_return_error", "-verify_hostname", "localhost", "-brief"]
        with clients.stopped(nginx.worker_pids()[0]):
            runs = [subprocess.Popen(command, env=rig.clean_environment(), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(8)]
            clients.arrived(nginx.port, 8)
        for run in runs:
            said = run.communicate(timeout=60)[0]
            assert run.returncode == 0 and "Verification: OK" in said, said
