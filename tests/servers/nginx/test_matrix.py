# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Every version with every group and every kind of certificate: real clients are content, and the counters show that
signature, key pair and key exchange went through lanes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab import depth
from lab.servers import conf
from tests.servers.common import clients, rig
from tests.servers.common.credentials import ALGORITHMS, DECLINED, GROUPS, Group, KINDS, Kind

HERD, ROUNDS = 24, 2 if depth.EXHAUSTIVE else 1
TOTAL = HERD * ROUNDS
PROCESSES = 12 if depth.EXHAUSTIVE else 10  # of `openssl s_client` at a time, which are dear; so many that lanes pay
each = pytest.mark.parametrize

def ids(value: object) -> str:
    return getattr(value, "name", str(value))


class Matrix:
    """An nginx with a port for each kind of certificate with all groups and with each of them alone, and one port that
    has two certificates."""

    def __init__(self, keys: rig.Path, build: rig.Build):
        servers = {kind.name: rig.Server(kind.name) for kind in KINDS}
        for group in GROUPS + DECLINED:
            for kind in KINDS:
                servers[f"{kind.name} {group.name}"] = rig.Server(kind.name, text=f"ssl_ecdh_curve {group.name};")
        servers["both"] = rig.Server("rsa2048", text=conf.certificate(keys, "ecdsa-p256"))
        self.servers = servers
        self.nginx = rig.Nginx(keys, build, list(servers.values()))

    @property
    def pid(self) -> int:
        return self.nginx.worker_pids()[0]

    def port(self, name: str) -> int:
        return self.servers[name].port

    def since(self, before: dict[str, rig.Counts]) -> dict[str, rig.Counts]:
        return {name: count - before[name] for name, count in self.nginx.counters().items()}


@pytest.fixture(scope="module")
def matrix(build, keys) -> Iterator[Matrix]:
    made = Matrix(keys, build)
    with made.nginx:
        yield made


def ciphers(version: str, kind: Kind) -> str:
    return f"ECDHE+{kind.auth}" if version == "1.2" else "ALL"


def check_sums(counts: dict[str, rig.Counts]) -> None:
    """Nothing went wrong, and nothing got lost."""
    for name, count in counts.items():
        assert count.failed == 0 and count.recomputed == 0 and count.cancelled == 0, (name, count)
        assert sum(fill * (jobs + 1) for jobs, fill in enumerate(count.flushes)) == count.done, (name, count)


def check_lanes(count: rig.Counts, total: int) -> None:
    """So many operations there were, and most of them waited for others."""
    assert count.all == total, count
    assert count.waited(total // 2), count


def check_key_exchange(counts: dict[str, rig.Counts], group: Group, total: int) -> None:
    """By this group and no other. Key pairs are made eight at a time, ahead."""
    for other in GROUPS:
        derived, made = counts[f"{other.operation}-derive"], counts[f"{other.operation}-keygen"]
        if other is group:
            check_lanes(derived, total)
            assert made.done >= total - rig.counter_files.LANES and made.fallback == 0, made
        else:
            assert derived.all == made.all == 0, other


def run_herds(matrix: Matrix, port: int, context) -> dict[str, rig.Counts]:
    before = matrix.nginx.counters()
    for _ in range(ROUNDS):
        herd = clients.herd(matrix.pid, port, context, HERD)
        assert all(b"200 OK" in answer for answer in clients.in_step(matrix.pid, herd))
    counts = matrix.since(before)
    check_sums(counts)
    return counts


@each("kind", KINDS, ids=ids)
@each("group", GROUPS, ids=ids)
@each("version", ["1.2", "1.3"])
def test_served(matrix, version, group, kind):
    # TLS 1.2: a client that offers one group only takes no certificate over another; the server has to insist.
    context = rig.client_context(version, ciphers(version, kind), curve=group.curve if version == "1.3" else "")
    for _ in range(5):  # a busy machine may make lanes look dear: OpenSSL's code has RSA-3072 then, for a while
        counts = run_herds(matrix, matrix.port(f"{kind.name} {group.name}"), context)
        check_key_exchange(counts, group, TOTAL)
        if counts[kind.operation].waited(TOTAL // 2):
            break
    check_lanes(counts[kind.operation], TOTAL)


@each("kind", ALGORITHMS, ids=ids)
@each(("version", "group"), [(version, group) for version in ("1.2", "1.3") for group in DECLINED
                                if version == "1.3" or not group.name.startswith("ffdhe")], ids=ids)
def test_declined_group(matrix, version, group, kind):
    """Lanes know nothing of the group: OpenSSL's own code serves it, and the signature is in lanes as ever."""
    offered = ["-tls1_2", "-cipher", f"ECDHE+{kind.auth}"] if version == "1.2" else ["-tls1_3", "-groups", group.name]
    before = matrix.nginx.counters()
    clients.s_clients(matrix.pid, matrix.port(f"{kind.name} {group.name}"), [offered] * PROCESSES)
    counts = matrix.since(before)
    check_sums(counts)
    check_lanes(counts[kind.operation], PROCESSES)
    check_key_exchange(counts, group, 0)


def retries() -> list[tuple[Group, Group]]:
    """Every pair of groups that lanes know, either way; of the others each with the first of those."""
    every = [(first, group) for first in GROUPS + DECLINED for group in GROUPS + DECLINED if first is not group]
    return [(first, group) for first, group in every
            if depth.EXHAUSTIVE or {first, group} <= set(GROUPS) or GROUPS[0] in (first, group)]


@each(("first", "group"), retries(), ids=ids)
def test_hello_retry_request(matrix, first, group):
    """The client's key share is of another group than the server's only one: it is asked for a second hello."""
    before = matrix.nginx.counters()
    offered = ["-tls1_3", "-msg", "-groups", f"{first.name}:{group.name}"]
    port = matrix.port(f"ecdsa-p256 {group.name}")
    for said in clients.s_clients(matrix.pid, port, [offered] * PROCESSES, hellos=2):
        assert said.count("ClientHello") == 2, said
    counts = matrix.since(before)
    check_sums(counts)
    check_lanes(counts["p256-sign"], PROCESSES)
    check_key_exchange(counts, group, PROCESSES)


@each("version", ["1.2", "1.3"])
def test_two_certificates(matrix, version):
    """One server with RSA and ECDSA, and both kinds of clients at the same time: each gets what it can verify."""
    if version == "1.2":
        rsa, ecdsa = ["-tls1_2", "-cipher", "ECDHE+aRSA"], ["-tls1_2", "-cipher", "ECDHE+aECDSA"]
    else:
        rsa, ecdsa = ["-tls1_3", "-sigalgs", "RSA-PSS+SHA256"], ["-tls1_3", "-sigalgs", "ECDSA+SHA256"]
    before = matrix.nginx.counters()
    # TLS 1.2 asks for the group of an ECDSA certificate too.
    group = ["-groups", f"{GROUPS[0].name}:P-256"]
    said = clients.s_clients(matrix.pid, matrix.port("both"), [rsa + group, ecdsa + group] * 8)
    assert ["peer signature type: ecdsa" in text.lower() for text in said] == [False, True] * 8, said
    counts = matrix.since(before)
    check_sums(counts)
    check_lanes(counts["rsa2048-private"], 8)
    check_lanes(counts["p256-sign"], 8)
    check_key_exchange(counts, GROUPS[0], 16)


@each("kind", KINDS, ids=ids)
@each("group", GROUPS, ids=ids)
@each("version", ["1.2", "1.3"])
def test_alone(matrix, version, group, kind):
    """One connection after the other: nothing waits in the queue, and nothing goes wrong."""
    context = rig.client_context(version, ciphers(version, kind), curve=group.curve if version == "1.3" else "")
    before = matrix.nginx.counters()
    for _ in range(4):
        assert b"200 OK" in clients.fetch(matrix.port(f"{kind.name} {group.name}"), context)
    counts = matrix.since(before)
    check_sums(counts)
    assert counts[kind.operation].all == counts[f"{group.operation}-derive"].all == 4
