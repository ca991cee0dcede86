# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers in Python whose callback recurses without end, until Python's own limit ends it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
PYTHON = "/usr/bin/python3"
SERVER = str(Path(__file__).parent / "recursion_server.py")
ROUNDS = 2


def has_tornado() -> bool:
    return subprocess.run([PYTHON, "-c", "import tornado"], check=False, capture_output=True).returncode == 0


def verdict(arguments: list[str], version: str, keys, build, place) -> crowd.Verdict:
    with crowd.Program([PYTHON, "-B", SERVER, *arguments], keys, build, place) as server:
        context = rig.client_context(version)
        for number in range(ROUNDS):
            kinds = ("plain", "other") * (crowd.SIZE // 2)
            server.receive([crowd.Guest(kind, context, f"{kind}.test") for kind in kinds], together=number == 0)
        return server.verdict()


@each("version", ["1.2", "1.3"])
@each("what", ["caught", "raised"])
@each("where", ["main", "thread"])
@each("loop", ["selectors", "tornado"])
def test_recursion(build, keys, place, loop, where, what, version):
    if loop == "tornado" and not has_tornado():
        pytest.skip("python3-tornado is not installed")
    arguments = [loop, where, what]
    stock = verdict(arguments, version, keys, None, place)
    half = crowd.SIZE // 2 * ROUNDS
    assert stock.guests["plain"] == {"good": half} and stock.status == 0, stock
    assert stock.said["caught" if what == "caught" else "raised"] == half, stock
    if what == "caught":
        assert stock.guests["other"] == {"good": half}, stock
    crowd.compare(verdict(arguments, version, keys, build, place), stock)
