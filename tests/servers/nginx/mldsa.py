# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx under `octuple run` with certificates over ML-DSA keys, from OpenSSL 3.5 on.

A herd of OpenSSL's own clients verifies each certificate and its signature, and lanes must have made the signatures.
Clients with a certificate of that kind come too, and what they send is verified in lanes. A client under the provider
meets a stock server. Run by ctest, and by tests/places/run distros.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.servers.common import clients, command, credentials, rig
from tests.servers.common.command import Failure

KINDS = [credentials.Kind("mldsa44", ("ml-dsa-44",), "mldsa44-sign"),
         credentials.Kind("mldsa65", ("ml-dsa-65",), "mldsa65-sign")]
VERIFIED = {"mldsa44": "mldsa44-verify", "mldsa65": "mldsa65-verify"}
HERD = 24


def options(keys: Path, kind: credentials.Kind, *more: str) -> list[str]:
    """A client that ends with an error where the certificate or its signature is not good."""
    return ["-tls1_3", "-CAfile", f"{keys}/{kind.name}.crt", "-verify_return_error", *more]


def check_said(kind: credentials.Kind, said: list[str]) -> None:
    for text in said:
        if f"Peer signature type: {kind.name}" not in text or "Verify return code: 0 (ok)" not in text:
            raise Failure(f"{kind.name}: a client was not satisfied: {text}")


def visit(nginx: rig.Nginx, server: rig.Server, keys: Path, kind: credentials.Kind, *more: str,
          conf: str = "") -> dict[str, rig.Counts]:
    """What a herd made the server do."""
    before = nginx.counters()
    herd = [options(keys, kind, *more)] * HERD
    check_said(kind, clients.s_clients(nginx.worker_pids()[0], server.port, herd, conf))
    counts = {name: count - before[name] for name, count in nginx.counters().items()}
    if any(count.failed or count.recomputed or count.cancelled for count in counts.values()):
        raise Failure(f"{kind.name}: operations failed: {counts}")
    return counts


def check_lanes(name: str, count: rig.Counts, least: int) -> None:
    print(f"{HERD} handshakes; {name} {count.done} of {count.all} in lanes", flush=True)
    if count.all < least or count.done == 0:
        raise Failure(f"{name}: lanes did not serve: {count}")


def run_ours(keys: Path, build: rig.Build) -> None:
    servers = [rig.Server(kind.name) for kind in KINDS]
    asking = [rig.Server(kind.name, text=f"ssl_verify_client on; ssl_client_certificate {keys}/{kind.name}.crt;")
              for kind in KINDS]
    with rig.Nginx(keys, build, [*servers, *asking], by_command=True) as nginx:
        if not nginx.uses_shim():
            raise Failure("`octuple run` has not preloaded the shim")
        for kind, server, asker in zip(KINDS, servers, asking):
            counts = visit(nginx, server, keys, kind)
            check_lanes(kind.operation, counts[kind.operation], HERD)
            counts = visit(nginx, asker, keys, kind, "-cert", f"{keys}/{kind.name}.crt",
                           "-key", f"{keys}/{kind.name}.key")
            check_lanes(VERIFIED[kind.name], counts[VERIFIED[kind.name]], HERD)


def run_stock(keys: Path, conf: str) -> None:
    """The same certificates at a stock server, for clients with the provider and without."""
    servers = [rig.Server(kind.name) for kind in KINDS]
    with rig.Nginx(keys, None, servers) as stock:
        for kind, server in zip(KINDS, servers):
            for own in ("", conf):
                herd = [options(keys, kind)] * HERD
                check_said(kind, clients.s_clients(stock.worker_pids()[0], server.port, herd, own))


def run(build: rig.Build, where: Path) -> None:
    keys = credentials.make_keys(where / "keys", KINDS)
    run_stock(keys, str(rig.write_openssl_conf(where, build)))
    run_ours(keys, build)


if __name__ == "__main__":
    TOO_OLD = "this OpenSSL has no ML-DSA" if rig.openssl_version() < (3, 5) else ""
    sys.exit(command.main("mldsa", __doc__, TOO_OLD, run))
