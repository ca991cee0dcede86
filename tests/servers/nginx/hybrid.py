# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx under `octuple run`: post-quantum groups next to X25519 and P-256, from OpenSSL 3.0.10 on.

For each group a herd of clients that offer nothing else: all must be answered, and lanes must have served them. Where
OpenSSL has such groups itself, stock nginx is asked too. A server without any setting of groups takes the hybrid one as
well, and as the client of another server it offers it. Run by ctest, and by tests/places/run distros.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.servers.common import clients, command, credentials, rig
from tests.servers.common.command import Failure

# What a handshake with the group is counted as.
GROUPS = {"X25519MLKEM768": "x25519mlkem768-server", "SecP256r1MLKEM768": "secp256r1mlkem768-server",
          "SecP384r1MLKEM1024": "secp384r1mlkem1024-server", "X25519": "x25519-derive", "P-256": "p256-derive"}
KINDS = [kind for kind in credentials.ALGORITHMS if kind.name in ("rsa2048", "ecdsa-p256")]
HERD = 16


def offered(group: str) -> list[list[str]]:
    return [["-tls1_3", "-groups", group]] * HERD


def check_counts(group: str, counts: dict[str, rig.Counts]) -> None:
    if any(count.failed or count.recomputed or count.cancelled for count in counts.values()):
        raise Failure(f"{group}: operations failed: {counts}")


def served(nginx: rig.Nginx, port: int, group: str, conf: str) -> dict[str, rig.Counts]:
    """What a herd of this group made the server do."""
    before = nginx.counters()
    clients.s_clients(nginx.worker_pids()[0], port, offered(group), conf)
    return {name: count - before[name] for name, count in nginx.counters().items()}


def share(count: rig.Counts) -> str:
    return f"{count.done} of {count.all} in lanes"


def judge(nginx: rig.Nginx, kind: credentials.Kind, port: int, conf: str) -> None:
    for group, operation in GROUPS.items():
        counts = served(nginx, port, group, conf)
        sign, derive = counts[kind.operation], counts[operation]
        print(f"{kind.name}, {group}: {HERD} handshakes; {kind.operation} {share(sign)}; {operation} {share(derive)}",
              flush=True)
        check_counts(group, counts)
        if sign.all != HERD or sign.done == 0:
            raise Failure(f"{group}: the signatures were not ours: {sign}")
        if derive.all != HERD or derive.done == 0:
            raise Failure(f"{group}: the key exchanges were not ours: {derive}")


def judge_default(nginx: rig.Nginx, port: int, conf: str) -> None:
    """Nothing names groups, so that those count which `octuple run` or OpenSSL names."""
    counts = served(nginx, port, "X25519MLKEM768", conf)
    if counts[GROUPS["X25519MLKEM768"]].all != HERD:
        raise Failure(f"a server without a setting of groups did not take the hybrid one: {counts}")


def judge_upstream(nginx: rig.Nginx, port: int) -> None:
    """The worker is client and server with the hybrid group at once; its own clients are classical."""
    before = nginx.counters()
    clients.s_clients(nginx.worker_pids()[0], port, offered("X25519"))
    counts = {name: count - before[name] for name, count in nginx.counters().items()}
    check_counts("proxy_ssl", counts)
    for side in ("server", "client"):
        if counts[f"x25519mlkem768-{side}"].all != HERD:  # alone, a vector need not pay
            raise Failure(f"proxy_ssl: the {side}'s key exchanges were not hybrid: {counts}")
    print(f"proxy_ssl: server {share(counts['x25519mlkem768-server'])}, "
          f"client {share(counts['x25519mlkem768-client'])}", flush=True)


def make_servers() -> tuple[list[rig.Server], rig.Server, rig.Server, list[int]]:
    """One for each kind of key with all groups, one that says nothing of groups, and one in front of that."""
    named = ":".join(GROUPS)
    servers = [rig.Server(kind.name, text=f"ssl_ecdh_curve {named};") for kind in KINDS]
    ports = rig.free_ports(len(servers) + 2)
    silent = rig.Server("rsa2048")
    outer = rig.Server("rsa2048", location=f"proxy_pass https://127.0.0.1:{ports[-2]}; proxy_ssl_protocols TLSv1.3; "
                                           "proxy_ssl_session_reuse off;")
    return servers, silent, outer, ports


def run_stock(keys: Path, servers: list[rig.Server]) -> None:
    with rig.Nginx(keys, None, servers) as stock:
        for server in servers:
            for group in GROUPS:
                clients.s_clients(stock.worker_pids()[0], server.port, offered(group))


def run(build: rig.Build, where: Path) -> None:
    keys = credentials.make_keys(where / "keys", KINDS)
    own_groups = rig.openssl_version() >= (3, 5)
    # Before 3.5 the client needs the provider too, on OpenSSL's own code as far as that goes.
    conf = "" if own_groups else str(rig.write_openssl_conf(where, build))
    if own_groups:
        run_stock(keys, [rig.Server(kind.name, text=f"ssl_ecdh_curve {':'.join(GROUPS)};") for kind in KINDS])
    servers, silent, outer, ports = make_servers()
    with rig.Nginx(keys, build, [*servers, silent, outer], ports=ports, by_command=True) as nginx:
        if not nginx.uses_shim():
            raise Failure("`octuple run` has not preloaded the shim")
        for kind, server in zip(KINDS, servers):
            judge(nginx, kind, server.port, conf)
        judge_default(nginx, silent.port, conf)
        judge_upstream(nginx, outer.port)


if __name__ == "__main__":
    TOO_OLD = "this OpenSSL could take a group of TLS 1.3 for TLS 1.2" if rig.openssl_version() < (3, 0, 10) else ""
    sys.exit(command.main("hybrid", __doc__, TOO_OLD, run))
