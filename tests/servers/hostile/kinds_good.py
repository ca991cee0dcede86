# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Honest clients, and the parts of honest handshakes that others are made of."""

from __future__ import annotations

from . import wire
from tests.servers.hostile.engine import Kind
from tests.servers.hostile.steps import (DONE, SERVED, TICKET, TICKETS, TURN, ccs, certificate, ecdhe, exchange,
                                         finished, hello12, hello13, keep, request, rsa, verify)
from tests.servers.hostile.wire import many16, v16

RSA_SUITE = {"suites": many16(wire.RSA_GCM)}
FLIGHT_13 = (hello13(), SERVED)
END_13 = (finished(), TICKETS, request)
FLIGHT_12 = (hello12(), DONE)
END_12 = (exchange, ccs(), finished(), SERVED, request)
RSA_FLIGHT = (hello12(**RSA_SUITE), DONE)
RSA_END = (ccs(), finished(), SERVED, request)


def group(number: int) -> dict:
    return {"ext": {wire.GROUPS: v16(many16(number))}}


# Their tickets are what others resume with.
FIRST = [
    Kind("first", "1.3", (FLIGHT_13, finished(), TICKETS, keep("1.3"), request)),
    Kind("first", "1.2", (hello12(ext={wire.SESSION_TICKET: b""}), DONE, ecdhe(), ccs(), finished(), TICKET, SERVED,
                          keep("1.2"), request)),
]
GOOD = [
    Kind("good", "1.3", (FLIGHT_13, END_13)),
    Kind("good", "1.2", (FLIGHT_12, END_12)),
    Kind("good: RSA key exchange", "1.2", (RSA_FLIGHT, rsa(), RSA_END)),
    Kind("good: P-256", "1.2", (hello12(**group(wire.P256)), DONE, END_12)),
    Kind("good: P-384", "1.2", (hello12(**group(wire.P384)), DONE, END_12)),
    Kind("good: ChaCha20", "1.2", (hello12(suites=many16(wire.ECDHE_CHACHA)), DONE, END_12)),
    Kind("good: ChaCha20", "1.3", (hello13(suites=many16(wire.CHACHA_13)), SERVED, END_13)),
    Kind("good: CBC", "1.2", (hello12(suites=many16(wire.ECDHE_CBC)), DONE, END_12)),
    Kind("good: client certificate", "1.3", (FLIGHT_13, certificate(), verify(), finished(), TICKETS, request), "auth"),
    Kind("good: client certificate", "1.2",
         (FLIGHT_12, certificate(), ecdhe(), verify(), ccs(), finished(), SERVED, request), "auth"),
    # The last to end: whatever the others do, these must be served.
    Kind("good: slow", "1.3", (TURN, TURN, TURN, TURN, FLIGHT_13, TURN, TURN, END_13)),
    Kind("good: slow", "1.2", (TURN, TURN, TURN, TURN, FLIGHT_12, TURN, TURN, END_12)),
]
