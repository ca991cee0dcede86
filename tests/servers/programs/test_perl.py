# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server in Perl whose callbacks die, through libssl to an eval, or let other coroutines run."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
PERL = shutil.which("perl") or "perl"
SERVER = str(Path(__file__).parent / "perl_server.pl")
ROUNDS = crowd.amount(4, 2)


def has_modules() -> bool:
    return subprocess.run([PERL, "-e", "use Coro::EV; use Net::SSLeay; use AnyEvent"], check=False,
                          capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not has_modules(),
                                reason="libcoro-perl, libev-perl, libanyevent-perl, libnet-ssleay-perl are missing")
HOW = [("plain", "nothing"), ("plain", "die"), ("plain", "catch"), ("coro", "nothing"), ("coro", "cede"),
       ("coro", "sleep"), ("coro", "die")]


def verdict(arguments: list[str], version: str, keys, build, place) -> tuple[crowd.Verdict, bool]:
    """And whether lanes served the last round, where nobody dies."""
    order = random.Random(1)
    with crowd.Program([PERL, SERVER, *arguments], keys, build, place) as server:
        context = rig.client_context(version)
        context.set_alpn_protocols(["it"])
        for number in range(ROUNDS):
            kinds = ["plain", "plain", "other"] * (crowd.SIZE // 3)
            order.shuffle(kinds)
            server.receive([crowd.Guest(kind, context, f"{kind}.test") for kind in kinds], together=number % 2 == 0)
        before = server.in_lanes()
        server.receive([crowd.Guest("last", context, "plain.test") for _ in range(crowd.SIZE)])
        return server.verdict(), server.in_lanes() > before


@each("version", ["1.2", "1.3"])
@each("callback", ["servername", "alpn"])
@each("kind, what", HOW)
def test_perl(build, keys, place, kind, what, callback, version):
    arguments = [kind, callback, what]
    stock, _ = verdict(arguments, version, keys, None, place)
    others = crowd.SIZE // 3 * ROUNDS
    assert stock.guests["plain"] == {"good": 2 * others}, stock
    assert stock.guests["other"] == ({"closed": others} if what == "die" else {"good": others}), stock
    assert stock.status == 0 and stock.said["called"] and stock.said["inside"] == stock.said["bad"] == 0, stock
    under, in_lanes = verdict(arguments, version, keys, build, place)
    crowd.compare(under, stock)
    assert in_lanes or kind == "coro", "after a callback has died, no handshake is paused any more"
