# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers that call libssl until it has a result: what is paused goes on in such a loop as well."""

from __future__ import annotations

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
ROUNDS = crowd.amount(4, 2)


def verdict(arguments, version, keys, build, place, program) -> crowd.Verdict:
    with crowd.Program([program, *arguments], keys, build, place) as server:
        for number in range(ROUNDS):
            guests = [crowd.Guest("plain", rig.client_context(version)) for _ in range(crowd.SIZE)]
            server.receive(guests, together=number % 2 == 0)
        said = server.verdict()
        assert build is None or arguments[0] != "twice" or server.paused()
        return said


def compare(arguments, version, keys, build, place, looped):
    program = crowd.program("loops", build, "libssl-dev")
    stock = verdict(arguments, version, keys, None, place, program)
    assert stock.guests == {"plain": {"good": ROUNDS * crowd.SIZE}} and stock.status == 0, stock
    assert (stock.said["looped"] > 0) == looped, stock
    crowd.compare(verdict(arguments, version, keys, build, place, program), stock)


@each("version", ["1.2", "1.3"])
@each("where", ["main", "thread"])
@each("rests", ["spins", "sleeps", "yields"])
@each("call", ["accept", "read"])
def test_loops(build, keys, place, call, rests, where, version):
    compare([call, rests, "3", where], version, keys, build, place, True)


@each("version", ["1.2", "1.3"])
@each("where", ["main", "thread"])
def test_two_events(build, keys, place, where, version):
    """In a round, for each connection."""
    compare(["twice", "spins", "1", where], version, keys, build, place, False)
