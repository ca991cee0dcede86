# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""RSA keys with other public exponents than 65537, of the server and of its clients: nginx, stock and with Octuple."""

from __future__ import annotations

import random
import ssl
from pathlib import Path

import pytest

from tests.servers.common import clients, credentials, rig

EXPONENTS = {"3": 3, "2^32-5": 2**32 - 5, "2^32+1": 2**32 + 1, "2^64+13": 2**64 + 13}
IN_LANES = ("3", "2^32-5")  # longer ones are OpenSSL's own (octuple/rsa.h)
SIZES = (2048, 3072)
WAYS = {"1.2, ECDHE": ("1.2", "ECDHE+aRSA"), "1.2, RSA key exchange": ("1.2", "kRSA"), "1.3": ("1.3", "ALL")}
HERD = 12
each = pytest.mark.parametrize


@pytest.fixture(name="odd", scope="module")
def make_odd(keys):
    """Servers' and clients' keys with these exponents, beside the usual ones."""
    for exponent in EXPONENTS.values():
        for size in SIZES:
            make(keys, f"e{exponent}-{size}", size, exponent)
        make(keys, f"client-e{exponent}", 2048, exponent, "-CA", f"{keys}/ca.crt", "-CAkey", f"{keys}/ca.key")
    return keys


def make(where: Path, name: str, size: int, exponent: int, *more: str) -> None:
    key = f"{where}/{name}.key"
    credentials.openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", f"rsa_keygen_bits:{size}", "-pkeyopt",
                        f"rsa_keygen_pubexp:{exponent}", "-out", key)
    credentials.openssl("req", "-x509", "-days", "2", "-subj", f"/CN={name}", "-key", key, "-out",
                        f"{where}/{name}.crt", *more)
    Path(key).chmod(0o644)


def verifying(context: ssl.SSLContext, authority: Path) -> ssl.SSLContext:
    """The client looks at the signatures, and at nothing but them."""
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(authority)
    return context


@each("way", WAYS)
@each("size", SIZES)
@each("name", EXPONENTS)
def test_server(build, odd, name, size, way):
    version, ciphers = WAYS[way]
    key = f"e{EXPONENTS[name]}-{size}"
    seen = []
    for which in (None, build):
        with rig.Nginx(odd, which, [rig.Server(key)]) as nginx:
            contexts = [verifying(rig.client_context(version, ciphers), odd / f"{key}.crt") for _ in range(HERD)]
            seen.append(clients.in_any_case(nginx.worker_pids()[0], nginx.port, contexts))
            count = nginx.counters()[f"rsa{size}-private"] if which else None
    assert seen[0] == seen[1] and all("ok" in one for one in seen[0]), seen
    assert count.failed == count.recomputed == 0, count
    assert count.all == HERD and count.waited(HERD // 2) if name in IN_LANES else count.all == 0, count


@each("version", ["1.2", "1.3"])
def test_clients(build, odd, version):
    """The server verifies their signatures, with all exponents at a time. Some have no certificate."""
    names = [f"client-e{exponent}" for exponent in EXPONENTS.values()] * 3 + ["client-rsa2048"] * 4 + [""] * 2
    random.Random(1).shuffle(names)
    seen = []
    for which in (None, build):
        server = rig.Server(text=f"ssl_client_certificate {odd}/ca.crt; ssl_verify_client on;")
        with rig.Nginx(odd, which, [server]) as nginx:
            contexts = [rig.client_context(version, "ALL", odd / f"{name}.crt" if name else None, odd / f"{name}.key")
                        for name in names]
            seen.append(clients.in_any_case(nginx.worker_pids()[0], nginx.port, contexts))
            counts = nginx.counters()
    assert seen[0] == seen[1], seen
    assert sum("ok" in one for one in seen[0]) == len(names) - 2, seen
    # A verification never waits for others, and a key that is used once gets no lanes.
    assert counts["rsa2048-public"].submitted == counts["rsa2048-public"].failed == 0, counts["rsa2048-public"]
