# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Client certificates of each kind, good and bad; nginx as the client of another server; resumed sessions."""

from __future__ import annotations

import ssl

import pytest

from tests.servers.common import clients, rig
from tests.servers.common.credentials import ALGORITHMS, KINDS

each = pytest.mark.parametrize
HERD = 16


def ids(value: object) -> str:
    return getattr(value, "name", str(value))


def client_context(version: str, keys: rig.Path, kind, certificate: str = "client") -> ssl.SSLContext:
    return rig.client_context(version, "ALL", keys / f"{certificate}-{kind.name}.crt", keys / f"client-{kind.name}.key")


def asking(keys: rig.Path, kind: str) -> rig.Server:
    """A server that wants to know who is there."""
    return rig.Server(kind, text=f"ssl_client_certificate {keys}/ca.crt; ssl_verify_client on;",
                      location='return 200 "$ssl_client_verify $ssl_client_s_dn\\n";')


def herd_of(nginx: rig.Nginx, context: ssl.SSLContext, size: int = HERD) -> list[bytes]:
    pid = nginx.worker_pids()[0]
    return clients.in_step(pid, clients.herd(pid, nginx.port, context, size))


@each("kind", ALGORITHMS, ids=ids)
@each("version", ["1.2", "1.3"])
def test_client_certificates(build, keys, version, kind):
    """The server verifies the client's chain and signature, between operations of its own. The bad are refused, and do
    not disturb the good."""
    with rig.Nginx(keys, build, [asking(keys, kind.name)]) as nginx:
        good = client_context(version, keys, kind)
        for bad, answer in ((client_context(version, keys, kind, "expired"), b"The SSL certificate error"),
                            (client_context(version, keys, kind, "stranger"), b"The SSL certificate error"),
                            (rig.client_context(version), b"No required SSL certificate was sent")):
            with clients.stopped(nginx.worker_pids()[0]):
                herd = [clients.Client(nginx.port, good if i % 2 else bad) for i in range(HERD)]
                for client in herd:
                    client.hello()
            answers = clients.in_step(nginx.worker_pids()[0], herd)
            assert all(said.endswith(b"SUCCESS CN=client\n") for said in answers[1::2]), answers
            assert all(b"400 Bad Request" in said and answer in said for said in answers[::2]), answers
        count = nginx.counters()
        assert count[kind.operation].all == 3 * HERD and count[kind.operation].waited(HERD), count
        assert rig.exchanges(count).all == 3 * HERD and rig.exchanges(count).waited(HERD), count
        assert all(one.failed == 0 and one.cancelled == 0 for one in count.values())


@each("kind", ALGORITHMS, ids=ids)
@each("version", ["1.2", "1.3"])
def test_upstream(build, keys, version, kind):
    """The worker is client and server at once; the upstream asks for a certificate, so it signs as a client too."""
    inner = asking(keys, kind.name)
    outer = rig.Server("rsa3072")
    inner.port = rig.free_ports(1)[0]
    outer.location = (f"proxy_pass https://127.0.0.1:{inner.port}; proxy_ssl_protocols TLSv{version}; "
                      f"proxy_ssl_certificate {keys}/client-{kind.name}.crt; "
                      f"proxy_ssl_certificate_key {keys}/client-{kind.name}.key; "
                      f"proxy_ssl_verify on; proxy_ssl_trusted_certificate {keys}/{kind.name}.crt; "
                      "proxy_ssl_name localhost; proxy_ssl_session_reuse off;")
    with rig.Nginx(keys, build, [outer, inner], ports=[rig.free_ports(1)[0], inner.port]) as nginx:
        for _ in range(3):
            answers = herd_of(nginx, rig.client_context())
            assert all(answer.endswith(b"SUCCESS CN=client\n") for answer in answers), answers
        count = nginx.counters()
        # Of each request: the outer server's signature, the inner one's, and the client's own; three key exchanges.
        assert count["rsa3072-private"].all == 48
        assert count[kind.operation].all == 96 and count[kind.operation].done > 0, count[kind.operation]
        assert rig.exchanges(count).all == 144 and rig.exchanges(count).done > 0, rig.exchanges(count)


@each("certificate", ["expired", "stranger"])
@each("kind", ALGORITHMS, ids=ids)
def test_upstream_refuses(build, keys, kind, certificate):
    """A bad certificate of the worker's own: the upstream says so, and the worker passes it on."""
    inner = asking(keys, kind.name)
    outer = rig.Server()
    inner.port = rig.free_ports(1)[0]
    outer.location = (f"proxy_pass https://127.0.0.1:{inner.port}; proxy_ssl_session_reuse off; "
                      f"proxy_ssl_certificate {keys}/{certificate}-{kind.name}.crt; "
                      f"proxy_ssl_certificate_key {keys}/client-{kind.name}.key;")
    with rig.Nginx(keys, build, [outer, inner], ports=[rig.free_ports(1)[0], inner.port]) as nginx:
        assert all(b"The SSL certificate error" in answer for answer in herd_of(nginx, rig.client_context()))


@each("version", ["1.2", "1.3"])
@each("tickets", ["on", "off"])
@each("kind", KINDS, ids=ids)
def test_resumption(build, keys, version, tickets, kind):
    text = f"ssl_session_cache shared:it:1m; ssl_session_tickets {tickets};"
    with rig.Nginx(keys, build, [rig.Server(kind.name, text=text)]) as nginx:
        context = rig.client_context(version)
        pid = nginx.worker_pids()[0]
        herd = clients.herd(pid, nginx.port, context, 12)
        clients.in_step(pid, herd)
        sessions = [client.tls.session for client in herd]
        before = nginx.counters()
        assert before[kind.operation].all == rig.exchanges(before).all == 12
        assert before[kind.operation].done > 0 and rig.exchanges(before).done > 0
        with clients.stopped(pid):
            again = [clients.Client(nginx.port, context, session) for session in sessions]
            # Full handshakes among them: the resumed ones pass those that are paused.
            again += [clients.Client(nginx.port, context) for _ in range(6)]
            for client in again:
                client.hello()
        assert all(b"200 OK" in answer for answer in clients.in_step(pid, again))
        assert [client.tls.session_reused for client in again] == [True] * 12 + [False] * 6
        after = nginx.counters()
        assert after[kind.operation].all - before[kind.operation].all == 6
        # TLS 1.3 exchanges keys anew when it resumes (psk_dhe_ke).
        assert rig.exchanges(after).all - rig.exchanges(before).all == (18 if version == "1.3" else 6)
