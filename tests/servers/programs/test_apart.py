# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers that have libssl from dlsym(), and servers whose threads have tables of descriptors of their own: both are
served as the linked one with one table is."""

from __future__ import annotations

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
ROUNDS = crowd.amount(8, 3)
VERSION = "OPENSSL_3.0.0"
SHARE = 0.85  # of what waits for others in the linked program with one table
KINDS = [("linked", "private"), ("linked", "groups"), ("reached", "shared"), ("reached", "accepts"),
         ("reached", "shared", VERSION), ("reached", "groups")]


def verdict(command: tuple[str, ...], keys, build, place, **env: str) -> tuple[crowd.Verdict, int]:
    """And how many private operations waited for others, in pauses and not in threads that block."""
    name, *words = command
    waited, env = 0, {"OCTUPLE_COMBINE": "off"} | env
    with crowd.Program([crowd.program(name, build or rig.build_from_environment(), "cc"), *words], keys, build, place,
                       **env) as server:
        for version in ["1.2", "1.3"] * ROUNDS:
            context = rig.client_context(version)
            server.receive([crowd.Guest("plain", context) for _ in range(crowd.SIZE)])
        if build is not None:
            waited = rig.read_counters(place / "counters")["rsa2048-private"].submitted
        return server.verdict(), waited


@pytest.fixture(scope="module")
def usual(build, keys):
    """What waits in a linked program with one table and as many threads."""
    return {word: verdict(("linked", word), keys, build, rig.folder("usual"))[1] for word in ("shared", "wide")}


@each("kind", KINDS, ids=lambda kind: "-".join(kind))
def test_served(build, keys, place, usual, kind):
    stock, _ = verdict(kind, keys, None, place)
    assert stock.guests == {"plain": {"good": 2 * ROUNDS * crowd.SIZE}} and stock.status == 0, stock
    under, waited = verdict(kind, keys, build, place)
    crowd.compare(under, stock)
    wanted = usual["wide" if "groups" in kind else "shared"]
    assert waited >= SHARE * wanted, f"{waited} operations waited for others, and {wanted} in the linked program"


@each("word", ["shared", "accepts"])
def test_off(build, keys, place, word):
    """A setting leaves such a program as it is, though libssl itself calls functions by their names."""
    under, waited = verdict(("reached", word), keys, build, place, OCTUPLE_LOOPS="auto,dlsym=off")
    assert under.status == 0 and waited == 0, under
