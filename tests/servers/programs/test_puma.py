# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers that feed libssl through memory and ask it before they read: Puma, and the same in few lines."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers.common import clients, crowd, rig
from tests.servers.programs.memory import PYTHON

each = pytest.mark.parametrize
HERE = Path(__file__).parent
RUBY = shutil.which("ruby")
COMMANDS = {"puma": [str(RUBY), str(HERE / "puma_server.rb")],
            "in few lines": [PYTHON, "-B", str(HERE / "asks_first_server.py")]}


class Asker(crowd.Guest):
    """Sends a request, and is served when the answer has come."""

    def __init__(self, kind: str, context):
        super().__init__(kind, context)
        self.line = clients.REQUEST

    def heard(self) -> str:
        return "good" if b"200 OK" in self.got and self.got.endswith(b"ok\n") else ""


class Later(Asker):
    """Says hello when all have connected: the server waits for it already."""

    def greet(self) -> None:
        pass

    def after(self) -> None:
        if not self.outcome:
            self.advance()


@pytest.fixture(params=COMMANDS)
def command(request):
    if request.param == "puma":
        done = RUBY and subprocess.run([RUBY, "-e", "require 'puma'; require 'puma/minissl'"], capture_output=True,
                                       check=False)
        if not done or done.returncode:
            pytest.skip("puma is not installed")
    return COMMANDS[request.param]


def verdict(command, size, version, keys, build, place, **env) -> crowd.Verdict:
    with crowd.Program(command, keys, build, place, **env) as server:
        server.receive([Asker("at once", rig.client_context(version)) for _ in range(size)])
        server.receive([Asker("as they come", rig.client_context(version)) for _ in range(size)], together=False)
        server.receive([Later("later", rig.client_context(version)) for _ in range(size)], together=False)
        return server.verdict()


@each("loops", ["auto", "auto,memory=off"])
@each("version", ["1.2", "1.3"])
@each("size", [24, 200])
def test_served(command, build, keys, place, size, version, loops):
    stock = verdict(command, size, version, keys, None, place)
    assert stock.guests == {kind: {"good": size} for kind in ("at once", "as they come", "later")}, stock
    assert stock.status == 0, stock
    crowd.compare(verdict(command, size, version, keys, build, place, OCTUPLE_LOOPS=loops), stock)
