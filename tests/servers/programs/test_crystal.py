# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server in Crystal: fibers on stacks of their own, which others run beside in the middle of a handshake."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
SOURCE = Path(__file__).parent / "crystal_server.cr"
ROUNDS = 2
pytestmark = pytest.mark.skipif(shutil.which("crystal") is None, reason="crystal is not installed")


@pytest.fixture(scope="module")
def server(build) -> str:
    """The program, which takes some seconds to compile: it stays in the build folder."""
    made = build.folder / "bin/octuple_program_crystal"
    if not made.exists() or made.stat().st_mtime < SOURCE.stat().st_mtime:
        subprocess.run(["crystal", "build", "--no-color", "-o", str(made), str(SOURCE)], check=True, timeout=300,
                       env=rig.clean_environment())
    return str(made)


def verdict(what: str, version: str, keys, build, place, server: str) -> crowd.Verdict:
    with crowd.Program([server, what], keys, build, place) as program:
        context = rig.client_context(version)
        for number in range(ROUNDS):
            program.receive([crowd.Guest("plain", context, "plain.test") for _ in range(crowd.SIZE)],
                            together=number == 0)
        return program.verdict()


@each("version", ["1.2", "1.3"])
@each("what", ["nothing", "collect", "yield", "both"])
def test_crystal(build, keys, place, server, what, version):
    stock = verdict(what, version, keys, None, place, server)
    assert stock.guests == {"plain": {"good": crowd.SIZE * ROUNDS}} and stock.status == 0, stock
    assert stock.said == {"called": what != "nothing", "inside": 0, "wrong": 0}, stock
    crowd.compare(verdict(what, version, keys, build, place, server), stock)
