# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server in C++ whose callbacks throw: the exception crosses libssl, to where the program called it."""

from __future__ import annotations

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
CALLBACKS = ["servername", "alpn", "certificate", "hello", "info", "message", "verify", "keylog", "ticket"]
ROUNDS = 2


def verdict(callback: str, where: str, version: str, keys, build, place, program) -> crowd.Verdict:
    with crowd.Program([program, callback, where], keys, build, place) as server:
        context = rig.client_context(version, certificate=keys / "client-ecdsa-p256.crt",
                                     key=keys / "client-ecdsa-p256.key")
        context.set_alpn_protocols(["it"])
        for _ in range(ROUNDS):
            kinds = ("plain", "plain", "other") * (crowd.SIZE // 3)
            server.receive([crowd.Guest(kind, context, f"{kind}.test") for kind in kinds])
        return server.verdict()


@each("version", ["1.2", "1.3"])
@each("where", ["main", "thread"])
@each("callback", CALLBACKS)
def test_throws(build, keys, place, callback, where, version):
    program = crowd.program("throws", build, "g++")
    stock = verdict(callback, where, version, keys, None, place, program)
    refused = crowd.SIZE // 3 * ROUNDS
    assert stock.guests == {"plain": {"good": 2 * refused}, "other": {"closed": refused}}, stock
    assert stock.said["thrown"] == stock.said["caught"] == refused and stock.said["alive"] == 0, stock
    assert stock.status == 0, stock
    crowd.compare(verdict(callback, where, version, keys, build, place, program), stock)
