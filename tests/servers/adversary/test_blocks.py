# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Sockets that become blocking in mid-handshake: the next call has its result, and does not want to read."""

from __future__ import annotations

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
ROUNDS = crowd.amount(4, 2)


def verdict(arguments, version, keys, build, place, program) -> crowd.Verdict:
    with crowd.Program([program, *arguments], keys, build, place) as server:
        for _ in range(ROUNDS):
            server.receive([crowd.Guest("plain", rig.client_context(version)) for _ in range(crowd.SIZE)])
        return server.verdict()


@each("version", ["1.2", "1.3"])
@each("when", ["round", "later"])
@each("how", ["fcntl", "ioctl", "dup", "fork", "thread"])
def test_blocks(build, keys, place, how, when, version):
    program = crowd.program("blocks", build, "libssl-dev")
    stock = verdict([how, when], version, keys, None, place, program)
    assert stock.guests == {"plain": {"good": ROUNDS * crowd.SIZE}} and stock.status == 0, stock
    assert stock.said == {"some": True, "again": 0, "failed": 0}, stock
    crowd.compare(verdict([how, when], version, keys, build, place, program), stock)
