# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server whose memory is a conservative garbage collector's, which scans the stacks of threads."""

from __future__ import annotations

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
ROUNDS = crowd.amount(3, 2)


def verdict(arguments: list[str], version: str, keys, build, place, program) -> crowd.Verdict:
    with crowd.Program([program, *arguments], keys, build, place) as server:
        context = rig.client_context(version)
        for number in range(ROUNDS):
            kinds = ("plain", "other") * (crowd.SIZE // 2)
            server.receive([crowd.Guest(kind, context, f"{kind}.test") for kind in kinds], together=number != 1)
        return server.verdict()


@each("version", ["1.2", "1.3"])
@each("memory", ["own", "openssl"])
@each("where", ["main", "thread"])
@each("collects", ["callback", "beside"])
def test_boehm(build, keys, place, collects, where, memory, version):
    program = crowd.program("boehm", build, "libgc-dev")
    arguments = [collects, where, memory]
    stock = verdict(arguments, version, keys, None, place, program)
    all_good = {"good": crowd.SIZE // 2 * ROUNDS}
    assert stock.guests == {"plain": all_good, "other": all_good}, stock
    assert (stock.said, stock.status) == ({"called": True, "wrong": 0}, 0), stock
    crowd.compare(verdict(arguments, version, keys, build, place, program), stock)
