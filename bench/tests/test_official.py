# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""bench/run official without a patched nginx: what each side is started with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.measure import official
from lab.programs import Build

PATCHED = Path("/patched/nginx")


@pytest.mark.skipif(shutil.which("nginx", path="/usr/sbin:/usr/bin") is None, reason="nginx is not installed")
def test_sides(tmp_path):
    sides = {name: official.Server(name, tmp_path / name, tmp_path, ["rsa2048"], 0, Build(Path("/built")), PATCHED)
             for name in (*official.SIDES, official.NONE)}
    assert {name for name, side in sides.items() if str(PATCHED) in side.command()} == {"off", "on", "none"}
    assert {name for name, side in sides.items() if "run" in side.command()} == {"shim"}
    assert {name for name, side in sides.items() if "OPENSSL_CONF" in side.environment()} == {"on"}
    said = {name: "".join(side.servers()) for name, side in sides.items()}
    assert {name for name, text in said.items() if "ssl_async on;" in text} == {"on", "none"}
    assert {name for name, text in said.items() if "ssl_async off;" in text} == {"off"}
