# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server whose threads end in mid-handshake: no callback follows behind the destructors of a thread's objects."""

from __future__ import annotations

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
ROUNDS, SIZE, WANT = crowd.amount(20, 6), 8, 2


class Left(crowd.Guest):
    """Is left by the server, in one way or another: that may be an alert, a reset or an end."""

    def receive(self) -> None:
        super().receive()
        if self.outcome != "good" and self.outcome:
            self.outcome = "left"


def verdict(when, frees, version, keys, build, place, program) -> crowd.Verdict:
    context = rig.client_context(version, "ALL", keys / "client-rsa2048.crt", keys / "client-rsa2048.key")
    with crowd.Program([program, when, frees, str(WANT)], keys, build, place) as server:
        for _ in range(ROUNDS):
            server.receive([Left("left", context) for _ in range(SIZE)])
        return server.verdict()


@each("version", ["1.2", "1.3"])
@each("frees", ["joins", "ends"])
@each("when", ["before", "inside", "after"])
def test_threads(build, keys, place, when, frees, version):
    program = crowd.program("threads", build, "g++")
    stock = verdict(when, frees, version, keys, None, place, program)
    assert stock.guests == {"left": {"left": ROUNDS * SIZE}}, stock
    assert (stock.said, stock.status) == ({"late": 0}, 0), stock
    crowd.compare(verdict(when, frees, version, keys, build, place, program), stock)
