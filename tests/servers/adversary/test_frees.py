# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server that frees connections in mid-verification: nothing calls it for what it has given up."""

from __future__ import annotations

import random
import socket
import ssl
import struct
import time

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
ROUNDS, SIZE = crowd.amount(100, 40), 8
PATIENCE = 0.002  # seconds at most between a certificate and the reset behind it


class Resetter(crowd.Guest):
    """Sends its certificate when all of its party can, and ends the connection by a reset a moment later."""

    def __init__(self, kind: str, context: ssl.SSLContext, party: list[Resetter]):
        super().__init__(kind, context)
        self.party, self.flight = party, b""
        party.append(self)

    def receive(self) -> None:
        if not self.outcome:
            super().receive()

    def advance(self) -> None:
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        flight = self.outgoing.read()
        if not self.asked:
            self.sock.sendall(flight)
            self.asked = True
        elif flight:
            self.flight = flight
            if all(guest.flight for guest in self.party):
                self.reset_all()

    def reset_all(self) -> None:
        for guest in self.party:
            guest.sock.sendall(guest.flight)
        time.sleep(random.random() * PATIENCE)
        for guest in self.party:
            guest.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            guest.sock.close()
            guest.outcome = "reset"


def verdict(what, version, keys, build, place, program) -> crowd.Verdict:
    context = rig.client_context(version, "ALL", keys / "client-rsa2048.crt", keys / "client-rsa2048.key")
    with crowd.Program([program, what], keys, build, place) as server:
        for _ in range(ROUNDS):
            party: list[Resetter] = []
            server.receive([Resetter("resets", context, party) for _ in range(SIZE)])
            if not server.runs:
                break
        server.receive([crowd.Guest("stays", context) for _ in range(SIZE)])
        said = server.verdict()
        assert build is None or server.in_lanes() > 0
        return said


@each("version", ["1.2", "1.3"])
@each("what", ["counts", "frees"])
def test_frees(build, keys, place, what, version):
    program = crowd.program("frees", build, "libssl-dev")
    stock = verdict(what, version, keys, None, place, program)
    assert stock.guests == {"resets": {"reset": ROUNDS * SIZE}, "stays": {"good": SIZE}}, stock
    assert (stock.said, stock.status) == ({"called": True, "late": 0}, 0), stock
    crowd.compare(verdict(what, version, keys, build, place, program), stock)
