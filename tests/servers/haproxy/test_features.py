# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What HAProxy does with TLS besides plain handshakes, and connections that end where they should not."""

from __future__ import annotations

import random
import ssl

import pytest

from tests.servers.common import clients, rig
from tests.servers.common.haproxy import ANSWER, HAProxy

each = pytest.mark.parametrize


def herd_of(server: HAProxy, context, size: int = 16, sessions: list | None = None) -> list[clients.Client]:
    """So many clients whose flights arrive at the same time, until HAProxy has answered them."""
    pid = server.worker_pids()[-1]
    with clients.stopped(pid):
        herd = [clients.Client(server.port, context, session) for session in sessions or [None] * size]
        for client in herd:
            client.hello()
    assert all(answer.endswith(b"ok\n") for answer in clients.in_step(pid, herd))
    return herd


def served(client: clients.Client) -> bool:
    try:
        client.handshake()
        client.ask()
        return client.read().endswith(b"ok\n")
    except (ConnectionError, ssl.SSLError):
        return False


@each("version", ["1.2", "1.3"])
@each("tickets", ["", "no-tls-tickets"], ids=["tickets", "cache"])
def test_resumption(build, keys, version, tickets):
    with HAProxy(keys, build, bind=tickets) as server:
        context = rig.client_context(version)
        sessions = [client.tls.session for client in herd_of(server, context, 12)]
        before = server.counters()["rsa2048-private"]
        assert before.all == 12 and before.done > 0
        again = herd_of(server, context, sessions=sessions + [None] * 6)
        assert [client.tls.session_reused for client in again] == [True] * 12 + [False] * 6
        assert server.counters()["rsa2048-private"].all == 18


@each("kind", ["rsa2048", "ecdsa-p256"])
@each("version", ["1.2", "1.3"])
def test_client_certificates(build, keys, version, kind):
    """The server verifies the client's signature between operations of its own; the bad do not disturb the good."""
    with HAProxy(keys, build, kind, bind=f"ca-file {keys}/ca.crt verify required") as server:
        key = keys / f"client-{kind}.key"
        good = rig.client_context(version, "ALL", keys / f"client-{kind}.crt", key)
        herd_of(server, good)
        bad = rig.client_context(version, "ALL", keys / f"stranger-{kind}.crt", key)
        with clients.stopped(server.worker_pids()[0]):
            herd = [clients.Client(server.port, good if i % 2 else bad) for i in range(16)]
            for client in herd:
                client.hello()
        assert not any(served(client) for client in herd[::2])
        assert all(answer.endswith(b"ok\n") for answer in clients.finish(herd[1::2]))


UPSTREAM = """
frontend inner
    bind 127.0.0.1:{port} ssl crt {{folder}}/ecdsa-p256.pem
    {answer}
backend itself
    http-reuse never
    server it 127.0.0.1:{port} ssl verify required ca-file {keys}/ecdsa-p256.crt verifyhost localhost {session}
"""


@each("version", ["force-tlsv12", "force-tlsv13"])
def test_upstream(build, keys, version):
    """HAProxy is client and server in one thread, and verifies its own name and signature."""
    more = UPSTREAM.format(port=rig.free_ports(1)[0], answer=ANSWER, keys=keys,
                           session=f"{version} no-ssl-reuse")
    server = HAProxy(keys, build, frontend="default_backend itself", also=("ecdsa-p256",), more=more)
    server.env["OCTUPLE_GROUPS"] = "keep"  # without a post-quantum group between the two
    with server:
        for _ in range(2):
            herd_of(server, rig.client_context())
        count = server.counters()
        assert count["rsa2048-private"].all == count["p256-sign"].all == 32
        assert count["rsa2048-private"].done > 0 and rig.exchanges(count).all == 96


def test_early_data(build, keys, place):
    """OpenSSL's own client resumes with some, among others that do not."""
    with HAProxy(keys, build, bind="allow-0rtt") as server:
        pid = server.worker_pids()[0]
        (place / "request").write_bytes(clients.REQUEST)
        herd_of(server, rig.client_context())
        assert server.counters()["rsa2048-private"].done > 0
        full = clients.s_clients(pid, server.port, [["-tls1_3", "-sess_out", f"{place}/{i}"] for i in range(8)])
        assert all("Early data was not sent" in said for said in full)
        with clients.stopped(pid):
            runs = [clients.s_client(server.port, "-tls1_3", "-sess_in",
                                     f"{place}/{i}", "-early_data", f"{place}/request")
                    for i in range(8)]
            runs += [clients.s_client(server.port, "-tls1_3") for _ in range(6)]
            clients.arrived(server.port, 14)
        for i, run in enumerate(runs):
            said = run.communicate(b"" if i < 8 else clients.REQUEST, timeout=60)[0]
            assert b"200 OK" in said and (b"Early data was accepted" in said) == (i < 8), said


@each(("version", "ciphers"), [("1.2", "kRSA"), ("1.3", "ALL")])
def test_aborts_among_good_ones(build, keys, version, ciphers):
    """Nothing is left of those that go, and their neighbours do not notice."""
    random.seed(7)
    with HAProxy(keys, build) as server:
        idle, pid = server.idle_fds(), server.worker_pids()[0]
        context = rig.client_context(version, ciphers)
        for _ in range(6):
            herd = clients.herd(pid, server.port, context, 24)
            for client in herd[::2]:
                try:
                    clients.abort(client, random.randrange(2, 6), random.random() < 0.5)
                except (ConnectionError, ssl.SSLError):
                    client.close()
            assert all(answer.endswith(b"ok\n") for answer in clients.finish(herd[1::2]))
        rig.wait_until(lambda: server.fds() <= idle, "the aborted connections are closed")
        count = server.counters()["rsa2048-private"]
        assert count.done > 0 and count.failed == 0


def test_all_are_gone_when_it_looks(build, keys):
    with HAProxy(keys, build) as server:
        idle, pid = server.idle_fds(), server.worker_pids()[0]
        for by_reset in (False, True) * 3:
            with clients.stopped(pid):
                for client in [clients.Client(server.port, rig.client_context()) for _ in range(20)]:
                    clients.abort(client, 2, by_reset)
        rig.wait_until(lambda: server.fds() <= idle, "the aborted connections are closed")
        assert clients.fetch(server.port, rig.client_context()).endswith(b"ok\n")


LISTENERS = "nbthread 2\n    stats socket {folder}/socket level admin expose-fd listeners"


def test_new_process_takes_over(build, keys):
    """`haproxy -sf`: the old one finishes what it has and ends."""
    with HAProxy(keys, build, main=LISTENERS) as server, clients.load(server.port, rig.client_context()) as result:
        for _ in range(2):
            old, good = server.process, result["good"]
            server.start("-x", str(server.folder / "socket"), "-sf", str(old.pid))
            assert old.wait(20) == 0
            rig.wait_until(lambda: result["good"] > good + 30, "the new one answers")
        assert result["bad"] == []


def test_reload_by_master(build, keys):
    with HAProxy(keys, build, main=LISTENERS, master=True) as server, \
            clients.load(server.port, rig.client_context()) as result:
        for _ in range(2):
            good = result["good"]
            server.reload()
            rig.wait_until(lambda: result["good"] > good + 30, "the new one answers")
        assert result["bad"] == []
        assert "liboctuple-async" in (rig.maps_of(server.worker_pids()[-1]) or "")
