# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers on BIO_f_ssl: an unfinished handshake lets nothing through, however the program enters it."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from tests.servers.adversary import forger
from tests.servers.common import credentials, crowd, rig

each = pytest.mark.parametrize
FORGERS, AT_ONCE, IDLE = 200, 20, 3
GREETING = b"220 the greeting\n"


def forged_certificate(keys, place):
    """One whose issuer has the name of the server's authority and another key."""
    credentials.self_signed(place, "ca", ("rsa:2048",), "test ca")
    credentials.self_signed(place, "client", ("rsa:2048",), "client")
    now, day = datetime.now(timezone.utc), timedelta(days=1)
    credentials.issue(place, "forged", "client", "ca", now - day, now + day)
    return {"certificate": place / "forged.crt", "signature": keys / "client-rsa2048.crt"}


def verdict_on_forgers(claims, certificate, keys, build, place, program) -> crowd.Verdict:
    with crowd.Program([program, "asks"], keys, build, place) as server:
        known = rig.client_context("1.3", "ALL", keys / "client-rsa2048.crt", keys / "client-rsa2048.key")
        for _ in range(FORGERS // AT_ONCE):
            guests = [forger.Idle("idle", known) for _ in range(IDLE)]
            guests += [forger.Forger(claims, certificate) for _ in range(AT_ONCE)]
            server.receive(guests)
        server.receive([crowd.Guest("known", known) for _ in range(crowd.SIZE)])
        return server.verdict()


@each("claims", ["certificate", "signature"])
def test_forgers_are_refused(build, keys, place, claims):
    program = crowd.program("bio", build, "libssl-dev")
    certificate = forged_certificate(keys, place)[claims]
    stock = verdict_on_forgers(claims, certificate, keys, None, place, program)
    # From 3.5 on OpenSSL finds no authority for a certificate whose key identifier is another one's.
    assert stock.guests[claims] in ({"alert 51": FORGERS}, {"alert 48": FORGERS} if claims == "certificate" else None)
    assert stock.guests["known"] == {"good": crowd.SIZE}, stock
    assert (stock.said, stock.status) == ({"early": 0, "unknown": 0}, 0), stock
    crowd.compare(verdict_on_forgers(claims, certificate, keys, build, place, program), stock)


class Listener(crowd.Guest):
    """Hears whether the greeting comes as it is, outside of TLS."""

    greeting = GREETING

    def __init__(self, kind, context):
        super().__init__(kind, context)
        self.wire = b""

    def advance(self) -> None:
        heard = self.incoming.read()
        self.wire += heard
        self.incoming.write(heard)
        super().advance()
        if GREETING in self.wire:
            self.outcome = "greeted in plain text"


def verdict_on_greeting(version, keys, build, place, program) -> crowd.Verdict:
    with crowd.Program([program, "greets"], keys, build, place) as server:
        for _ in range(4):
            server.receive([Listener("plain", rig.client_context(version)) for _ in range(crowd.SIZE)])
        return server.verdict()


@each("version", ["1.2", "1.3"])
def test_greeting_is_encrypted(build, keys, place, version):
    program = crowd.program("bio", build, "libssl-dev")
    stock = verdict_on_greeting(version, keys, None, place, program)
    assert stock.guests == {"plain": {"good": 4 * crowd.SIZE}} and stock.status == 0, stock
    crowd.compare(verdict_on_greeting(version, keys, build, place, program), stock)
