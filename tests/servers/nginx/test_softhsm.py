# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx whose key is in SoftHSM2, behind libp11's engine, under load: stock, with Octuple, and with OCTUPLE_KEYS
(docs/keys.md). Where there is no such engine, as from Debian 13 on, tests/places/run keys has the provider."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab import counters, devices, openssl_conf
from tests.servers.common import clients, rig

HERD = 16
THREADS = 8
WAYS = {"1.2": ("1.2", "ECDHE+aRSA"), "1.2, RSA key exchange": ("1.2", "kRSA"), "1.3": ("1.3", "ALL")}
ABSENT = [path for path in (devices.ENGINE, devices.SOFTHSM) if not Path(path).exists()]
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=f"no {', '.join(ABSENT)} (softhsm2, libengine-pkcs11-openssl)")


@pytest.fixture(name="token", scope="module")
def make_token(keys):
    """What finds the token in which the key is."""
    where = rig.folder("token")
    yield devices.make_token(where, keys)
    rig.shutil.rmtree(where)


def make(build, keys: Path, place: Path, token: dict[str, str], threads: int) -> rig.Nginx:
    key = f'ssl_certificate {keys}/rsa2048.crt; ssl_certificate_key "engine:pkcs11:{devices.URI}";'
    kept = "".join(f"env {name};" for name in token)
    nginx = rig.Nginx(keys, build, [rig.Server(text=key)], own_certificate=False, main=kept, env=token)
    conf = place / f"engine-{threads}.cnf"
    one = openssl_conf.engine("pkcs11", devices.ENGINE, f"MODULE_PATH = {devices.SOFTHSM}", "init = 1")
    conf.write_text(openssl_conf.text({}, default=False, engine=one))
    nginx.env["OPENSSL_CONF"] = str(conf)
    if threads:
        nginx.env["OCTUPLE_KEYS"] = str(threads)
    nginx.may_say = ("SSL_do_handshake() failed",)
    return nginx


def settled(nginx: rig.Nginx) -> None:
    rig.wait_until(lambda: len(nginx.master().children()) == 1, "the old worker ends")


@dataclass
class Counted:
    """The last worker's threads, and operations with the key that helper threads of all workers did."""

    threads: int = 0
    by_threads: int = 0


def play(nginx: rig.Nginx) -> tuple[dict[str, object], Counted]:
    """Herds in step, clients that go while the token works, and a reload in the midst of load."""
    seen: dict[str, object] = {}
    with nginx:
        for name, (version, ciphers) in WAYS.items():
            seen[name] = clients.in_any_case(nginx.worker_pids()[0], nginx.port,
                                             [rig.client_context(version, ciphers)] * HERD)
        for by_reset in (False, True):
            for client in clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), HERD):
                client.reset() if by_reset else client.close()
        with clients.load(nginx.port, rig.client_context(), HERD) as result:
            rig.wait_until(lambda: result["good"] > 3 * HERD, "it serves")
            nginx.reload()
            settled(nginx)
            before = result["good"]
            rig.wait_until(lambda: result["good"] > before + 3 * HERD, "the new worker serves")
        seen["under load"] = sorted(set(map(repr, result["bad"])))
        time.sleep(0.2)  # the last connections are closed
        idle = rig.descriptors(nginx.worker_pids()[0], "socket:")
        seen["after that"] = clients.in_any_case(nginx.worker_pids()[0], nginx.port, [rig.client_context()] * HERD)
        rig.wait_until(lambda: rig.descriptors(nginx.worker_pids()[0], "socket:") <= idle, "connections are closed")
        seen["token"] = "libsofthsm2" in (rig.maps_of(nginx.worker_pids()[0]) or "")
        keys = counters.of_keys(nginx.build.octuple, nginx.folder / "counters") if nginx.build else []
        return seen, Counted(nginx.worker().num_threads(), sum(one["by_threads"] for one in keys))


@pytest.mark.parametrize("threads", [0, THREADS])
def test_softhsm(build, keys, place, token, threads):
    stock, _ = play(make(None, keys, place, token, threads))
    under, counted = play(make(build, keys, place, token, threads))
    assert under == stock
    assert stock["under load"] == [] and stock["token"] and all("ok" in one for one in stock["1.3"] + stock["1.2"])
    assert counted.threads == 1 + threads and (counted.by_threads > HERD) == bool(threads), counted
