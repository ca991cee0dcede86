# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server on gevent, whose callback yields inside of a handshake: greenlets are slices of their thread's stack."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
PYTHON = "/usr/bin/python3"
SERVER = str(Path(__file__).parent / "gevent_server.py")
ROUNDS = crowd.amount(6, 2)
SIZE = crowd.amount(64, 32)


def has_gevent() -> bool:
    return subprocess.run([PYTHON, "-c", "import gevent.ssl"], check=False, capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not has_gevent(), reason="python3-gevent is not installed")


def verdict(where: str, callback: str, version: str, keys, build, place) -> crowd.Verdict:
    with crowd.Program([PYTHON, "-B", SERVER, where, callback], keys, build, place) as server:
        context = rig.client_context(version)
        for number in range(ROUNDS):
            server.receive([crowd.Guest(kind, context, f"{kind}.test") for kind in ("plain", "other") * (SIZE // 2)],
                           together=number % 2 == 0)
        return server.verdict()


@each("version", ["1.2", "1.3"])
@each("callback", ["nothing", "yields", "sleeps", "deep", "spawns"])
@each("where", ["main", "thread"])
def test_gevent(build, keys, place, where, callback, version):
    stock = verdict(where, callback, version, keys, None, place)
    all_good = {"good": SIZE // 2 * ROUNDS}
    assert stock.guests == {"plain": all_good, "other": all_good}, stock
    assert (stock.said, stock.status) == ({"called": True, "inside": 0, "wrong": 0}, 0), stock
    crowd.compare(verdict(where, callback, version, keys, build, place), stock)
