# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Other servers whose key is in SoftHSM2, behind pkcs11-provider: stock, with Octuple, and with OCTUPLE_KEYS.

They take keys from files, and a PEM file may refer to a token where there is that provider: from Debian 13 on
(docs/keys.md)."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from lab import counters, der, devices, openssl_conf
from lab.servers import dialogue, services, web
from tests.servers.common import crowd, daemons, rig

MODULE = Path("/usr/lib/x86_64-linux-gnu/ossl-modules/pkcs11.so")
PROVIDER = f"""\
module = {MODULE}
pkcs11-module-path = {devices.SOFTHSM}
pkcs11-module-quirks = no-deinit no-operation-state
pkcs11-module-token-pin = {devices.PIN}
activate = 1
"""
THREADS = 8
# Stock HAProxy and lighttpd do not start with such a key: the one crashes, the other refuses it.
SERVERS = {kind.name: kind for kind in (*web.KINDS, *services.KINDS) if kind.name in ("hitch", "squid")}
pytestmark = pytest.mark.skipif(not (MODULE.exists() and Path(devices.SOFTHSM).exists()),
                                reason="no pkcs11-provider with softhsm2 (Debian 13)")


@pytest.fixture(name="token", scope="module")
def make_token(keys):
    """A folder with a key file that refers to the token, and what finds the token."""
    where = rig.folder("token")
    environment = devices.make_token(where, keys)
    shutil.copy(keys / "rsa2048.crt", where)
    (where / "rsa2048.key").write_text(der.pem(
        "PKCS#11 PROVIDER URI", der.value(der.VISIBLE_STRING, b"PKCS#11 Provider URI v1.0"),
        der.value(der.UTF8_STRING, devices.URI.encode())))
    yield where, environment
    shutil.rmtree(where)


def see(kind, place: Path, token, build, threads: int, backend: int) -> tuple[crowd.Verdict, int]:
    """What came of a server and its guests, and how many operations helper threads did."""
    where, environment = token
    make = services.MoreServer if isinstance(kind, services.More) else web.Other
    server = make(kind, place, where, "rsa2048", backend)
    server.settings = rig.shim_environment(server.folder, build) if build else {}
    conf = place / "pkcs11.cnf"
    conf.write_text(openssl_conf.text({"pkcs11": PROVIDER}))
    server.settings |= environment | {"OPENSSL_CONF": str(conf)}
    if threads:
        server.settings["OCTUPLE_KEYS"] = str(threads)
    talk = dialogue.Dialogue(web.REQUEST, kind.answer)
    with server:
        guests = [daemons.Asker(version, rig.client_context(version), talk) for version in ("1.2", "1.3")
                  for _ in range(24)]
        guests += [daemons.Leaver("gone", rig.client_context(), talk) for _ in range(12)]
        crowd.visit(server.port, guests)
        last = [daemons.Asker("last", rig.client_context(), talk) for _ in range(24)]
        crowd.visit(server.port, last)
        server.stop()
        # Squid frees what it has of pkcs11-provider after libcrypto's end, stock too, which nearly always ends it.
        ended = server.child.returncode if kind.name != "squid" else server.child.returncode in (0, -signal.SIGABRT)
        verdict = crowd.Verdict(crowd.outcomes(guests + last), "", ended, server.said()[-3000:])
        keys = counters.of_keys(build.octuple, server.counters_folder) if build else []
        return verdict, sum(one["by_threads"] for one in keys)


@pytest.mark.parametrize("name", SERVERS)
def test_key_in_token(build, token, place, name):
    kind = SERVERS[name]
    if kind.path() is None:
        pytest.skip(f"{name} is not installed ({kind.package})")
    with web.Backend() as backend:
        stock, _ = see(kind, place / "stock", token, None, 0, backend.port)
        under, alone = see(kind, place / "octuple", token, build, 0, backend.port)
        helped, by_threads = see(kind, place / "helped", token, build, THREADS, backend.port)
    assert all("TLSv1" in end for name, ends in stock.guests.items() if name != "gone" for end in ends), stock
    crowd.compare(under, stock)
    crowd.compare(helped, stock)
    assert alone == 0 and by_threads >= 24, (alone, by_threads)
