# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH any
"""bench/run curves: what it calls held, and a whole run in small. No time is asserted."""
import json
import os

import pytest

from bench.measure import curves
from lab import schemas


@pytest.mark.parametrize("stock, octuple, cpu, held", (
    (1000, 1050, 1.03, True), (1000, 1051, 1.0, False), (100, 150, 1.0, True),
    (100, 151, 1.0, False), (1000, 900, 1.031, False),
))
def test_promise(stock, octuple, cpu, held):
    """5 % or 50 us, whichever is more, for each quantile; 3 % of CPU."""
    assert curves.held({"p50": (stock, octuple), "p99": (9000, 9000)}, (1, cpu)) == held
    assert curves.held({"p50": (9000, 9000), "p99": (stock, octuple)}, (1, cpu)) == held


@pytest.mark.parametrize("server", curves.SERVERS)
def test_whole_run(server, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(curves, "PERCENTS", (20, 100))
    numbers, picture = tmp_path / "curves.json", tmp_path / "curves.html"
    assert curves.main(["--build-dir", os.environ["OCTUPLE_BUILD"],
                        "--server", server, "--handshake", "tls13-ecdsa-p256", "--rounds", "1",
                        "--seconds", "0.3", "--json", str(numbers), "--html", str(picture)]) == 0
    document = json.loads(numbers.read_text())
    schemas.check("curves", document)
    result = document["servers"][server][0]
    assert result["handshake"] == "tls13-ecdsa-p256" and [at["percent"] for at in result["points"]] == [20, 100]
    for at in result["points"]:
        assert all(at[variant]["failed"] == 0 and at[variant]["p99"] >= at[variant]["p50"] > 0
                   for variant in ("stock", "octuple"))
        assert at["offered_per_s"] == pytest.approx(result["stock"]["handshakes_per_s"] * at["percent"] / 100, abs=0.1)
    assert picture.read_text().count("<svg") == 3
    assert "promise" in capsys.readouterr().out
