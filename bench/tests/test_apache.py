# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH any
"""bench/run apache runs, no handshake fails, and threads meet in lanes with combining only. OCTUPLE_BUILD is the build
folder; OCT_APACHE_ROOT is where Debian's packages of Apache were unpacked, if they are not installed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bench.measure import apache
from bench.measure.demo import octuple_info
from lab import schemas
from lab.programs import Build

ROOT = os.environ.get("OCT_APACHE_ROOT", "")


@pytest.mark.skipif(not Path(f"{ROOT}/usr/sbin/apache2").exists(), reason="apache2-bin is not installed")
def test_apache(tmp_path):
    build = Build(Path(os.environ["OCTUPLE_BUILD"]))
    out = tmp_path / "out.json"
    assert apache.main(["--build-dir", str(build.folder), "--root",
                        ROOT, "--rounds", "1", "--seconds", "0.3", "--connections", "24",
                        "--threads", "24", "--handshake", "tls13-rsa2048", "--json", str(out)]) == 0
    document = json.loads(out.read_text())
    schemas.check("apache", document)
    (result,) = document
    fill = {variant: result[variant]["operation"]["batch_fill"] for variant in apache.VARIANTS}
    assert not any(fill["stock"]) and not any(fill["off"][1:])
    if any(operation["on"] and operation["name"] == "rsa2048-private"
           for operation in octuple_info(build)["operations"]):
        assert sum(fill["octuple"][1:]) > 0
