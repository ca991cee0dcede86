# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Doors into an unfinished handshake: each says what it says in stock, nothing goes through, and all are served."""

from __future__ import annotations

import ssl
import time

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
ROUNDS, SIZE = crowd.amount(4, 2), 12
DOORS = ("read", "read_ex", "peek", "write", "write_ex", "early_write", "handshake", "shutdown", "key_update",
         "post_handshake", "bio_read", "bio_write", "bio_write_ex", "bio_puts", "bio_handshake", "bio_flush",
         "bio_pending", "buffer")


class Patient(crowd.Guest):
    """Says its last when all of its party can, and a moment later: the server has tried the door for each by then."""

    def __init__(self, kind: str, context: ssl.SSLContext, party: list[Patient]):
        super().__init__(kind, context)
        self.party, self.flight, self.wire, self.greeted = party, b"", b"", False
        party.append(self)

    def advance(self) -> None:
        heard = self.incoming.read()
        self.wire += heard
        self.incoming.write(heard)
        if b"secret" in self.wire:
            self.outcome = "told in plain text"
        elif self.flight:
            super().advance()
        else:
            self.wait()

    def wait(self) -> None:
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            self.outcome = f"error {error.reason}"
        flight = self.outgoing.read()
        if not self.greeted:
            self.sock.sendall(flight)
            self.greeted = True
        elif flight:
            self.flight = flight
            if all(guest.flight for guest in self.party):
                time.sleep(0.05)
                for guest in self.party:
                    guest.sock.sendall(guest.flight)
                    guest.finish()

    def finish(self) -> None:
        super().advance()


def verdict(door, version, keys, build, place, program) -> crowd.Verdict:
    with crowd.Program([program, door], keys, build, place) as server:
        for _ in range(ROUNDS):
            party: list[Patient] = []
            server.receive([Patient("plain", rig.client_context(version), party) for _ in range(SIZE)])
        said = server.verdict()
        assert build is None or server.paused()
        return said


@each("version", ["1.2", "1.3"])
@each("door", DOORS)
def test_doors(build, keys, place, door, version):
    program = crowd.program("doors", build, "libssl-dev")
    stock = verdict(door, version, keys, None, place, program)
    assert stock.guests == {"plain": {"good": ROUNDS * SIZE}} and stock.status == 0, stock
    assert stock.said["answers"] > 0, stock
    crowd.compare(verdict(door, version, keys, build, place, program), stock)
