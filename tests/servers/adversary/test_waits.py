# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Programs whose call wants to read, and what they do then: ask, let the socket block, or call again at once. A paused
handshake is as one that waits for a client."""

from __future__ import annotations

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
versions = each("version", ["1.2", "1.3"])
wheres = each("where", ["main", "thread"])
ROUNDS = crowd.amount(4, 2)


class Drive:
    """How a program is driven, as it is and with Octuple; `apart`: the hellos of every second crowd do not come at the
    same time."""

    def __init__(self, name: str, arguments: list[str], keys, build, place, apart: bool = False):
        self.command = [crowd.program(name, build, "libssl-dev"), *arguments]
        self.keys, self.build, self.place, self.apart = keys, build, place, apart

    def verdict(self, version: str, build, pauses: bool) -> crowd.Verdict:
        with crowd.Program(self.command, self.keys, build, self.place) as server:
            for number in range(ROUNDS):
                guests = [crowd.Guest("plain", rig.client_context(version)) for _ in range(crowd.SIZE)]
                server.receive(guests, together=not self.apart or number % 2 == 0)
            said = server.verdict()
            assert not pauses or server.paused()
            return said

    def compare(self, version: str, pauses: bool = True) -> crowd.Verdict:
        """What stock says, which Octuple says too."""
        stock = self.verdict(version, None, False)
        assert stock.guests == {"plain": {"good": ROUNDS * crowd.SIZE}} and stock.status == 0, stock
        crowd.compare(self.verdict(version, self.build, pauses), stock)
        return stock


@versions
@each("call", ["accept", "handshake", "read"])
def test_asks(build, keys, place, call, version):
    stock = Drive("asks", [call], keys, build, place).compare(version)
    wanted = {"asked", "errno = 11", "ERR_peek_error = 0", "SSL_get_error = 2", "SSL_want = 3", "read should_read = 1"}
    assert wanted <= set(stock.said), stock


@versions
@each("when", ["round", "later"])
@each("how", ["fcntl", "ioctl", "dup", "fork", "thread"])
def test_blocks(build, keys, place, how, when, version):
    """A socket that becomes blocking in mid-handshake: the next call has its result, and does not want to read."""
    stock = Drive("blocks", [how, when], keys, build, place).compare(version, pauses=False)
    assert stock.said == {"some": True, "again": 0, "failed": 0}, stock


@versions
@wheres
@each("rests", ["spins", "sleeps", "yields"])
@each("call", ["accept", "read"])
def test_loops(build, keys, place, call, rests, where, version):
    """Until libssl has a result: what is paused goes on in such a loop as well."""
    stock = Drive("loops", [call, rests, "3", where], keys, build, place, apart=True).compare(version, pauses=False)
    assert stock.said["looped"] > 0, stock


@versions
@wheres
def test_two_events(build, keys, place, where, version):
    """In a round, for each connection."""
    stock = Drive("loops", ["twice", "spins", "1", where], keys, build, place, apart=True).compare(version)
    assert stock.said["looped"] == 0, stock
