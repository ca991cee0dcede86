# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""bench/run official without a patched nginx: what each side is started with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.measure import official
from bench.report import summary
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


def test_each_way_is_compared_with_the_same_nginx():
    costs = {"off": [400.0, 420.0, 500.0], "on": [200.0, 210.0, 200.0], "stock": [400.0] * 3, "shim": [160.0] * 3}
    metric = summary.of_metric({"unit": "us", "better": "less", "sides": costs}, official.BASES)
    assert metric["median"] == {"off": 420, "on": 200, "stock": 400, "shim": 160}
    assert metric["ratio"] == {"on": 2, "stock": 1.05, "shim": 2.5}
    assert metric["rounds"] == 3 and metric["quartiles"]["on"] == [2, 2.25]
