# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What a program can ask after a call that wants to read: a paused handshake answers as one that waits for a client."""

from __future__ import annotations

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
ROUNDS = crowd.amount(4, 2)


def verdict(drive, version, keys, build, place, program) -> crowd.Verdict:
    with crowd.Program([program, drive], keys, build, place) as server:
        for _ in range(ROUNDS):
            server.receive([crowd.Guest("plain", rig.client_context(version)) for _ in range(crowd.SIZE)])
        said = server.verdict()
        assert build is None or server.paused()
        return said


@each("version", ["1.2", "1.3"])
@each("drive", ["accept", "handshake", "read"])
def test_asks(build, keys, place, drive, version):
    program = crowd.program("asks", build, "libssl-dev")
    stock = verdict(drive, version, keys, None, place, program)
    assert stock.guests == {"plain": {"good": ROUNDS * crowd.SIZE}} and stock.status == 0, stock
    wanted = {"asked", "errno = 11", "ERR_peek_error = 0", "SSL_get_error = 2", "SSL_want = 3", "read should_read = 1"}
    assert wanted <= set(stock.said), stock
    crowd.compare(verdict(drive, version, keys, build, place, program), stock)
