# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH any
"""The experiment of storms: what it reckons of what it has read, and a whole point in small. No rate is asserted."""

from __future__ import annotations

import os

import pytest

from bench.experiments import __main__ as command, frame, storm
from bench.report import summary
from bench.tests.test_veth import why_not


def record(server: str = "nginx", patience: str = "spread", **goodput: list[float]) -> dict:
    sides = {"stock": [0.0, 2.0], "octuple": [50.0, 70.0], "controller": [80.0, 90.0]} | goodput
    return {"key": {"server": server, "key": "rsa2048", "load": "4x", "patience": patience},
            "metrics": {storm.GOODPUT: frame.metric("1/s", "more", sides),
                        storm.SATURATION: frame.metric("1/s", "more", {"stock": [40.0],
                                                                       "octuple": [90.0, 100.0, 110.0]})}}


def test_results_are_shares_of_what_octuple_serves_saturated():
    found = storm.Storm().results([record(), record(patience="fixed")])
    assert [result["name"] for result in found] == [
        "nginx rsa2048 4x spread", "nginx rsa2048 4x spread controller",
        "nginx rsa2048 4x fixed", "nginx rsa2048 4x fixed controller"]
    assert found[0] == {"name": "nginx rsa2048 4x spread", "stock": 1.0, "octuple": 60.0, "saturated": 100.0,
                        "ratio": 0.6, "spread": [0.55, 0.65], "unit": "1/s", "better": "more"}
    assert found[1]["ratio"] == 0.85


def test_users_are_measured_by_the_time_until_all_are_in():
    key = {"server": "nginx", "key": "rsa2048", "load": "users", "patience": "fixed"}
    metrics = record()["metrics"] | {storm.ALL_IN: frame.metric("s", "less", {
        "stock": [40.0], "octuple": [30.0], "controller": [20.0]})}
    del metrics[storm.GOODPUT]
    octuple, controller = storm.Storm().results([{"key": key, "metrics": metrics}])
    assert octuple["name"] == "nginx rsa2048 users fixed" and octuple["ratio"] == 0.5  # 1500 users at 100 a second
    assert controller["name"].endswith("fixed controller") and controller["ratio"] == 0.75


def test_page_says_what_came_out():
    experiment, records = storm.Storm(), [record(), record("haproxy", octuple=[70.0], controller=[90.0], stock=[0.0])]
    said = experiment.sentence(summary.of_records(records))
    assert "stock serves 0 %" in said and "Octuple 65 %" in said and "controller 88 %" in said
    picture = str(experiment.pictures(records)["shares"])
    assert picture.count('class="name">nginx 4x spread<') == 1
    assert all(f"width:{width}%" in picture for width in ("1.11", "66.67", "94.44", "100.0"))


def test_backlogs_are_no_limit():
    texts = {name: kind.conf for name, kind in storm.SERVERS.items()}
    assert list(texts) == ["nginx", "haproxy", "mosquitto", "redis"]
    for name, line in (("nginx", "backlog=16384"), ("haproxy", "backlog 16384"), ("redis", "tcp-backlog 16384")):
        assert line in texts[name]


def test_a_whole_run_has_each_kind_of_row_and_an_end():
    experiment = storm.Storm()
    points = experiment.points(experiment.full, False)
    assert sum(point.seconds for point in points) < experiment.within[1]
    for part, values in {"server": storm.SERVERS, "patience": storm.PATIENCE,
                         "load": ("0.5x", "1x", "2x", "4x", "8x", "users")}.items():
        assert {point.key[part] for point in points} == set(values)


@pytest.mark.skipif(bool(why_not()), reason=why_not() or "it can run")
def test_a_whole_point(monkeypatch, tmp_path, capsys):
    """Both measurements on the real server, all sides; what is not installed is left out with its reason."""
    before = os.readlink("/proc/self/ns/net")
    monkeypatch.setitem(storm.WARM_UP, "fixed", 0.5)
    monkeypatch.setattr(storm, "ALL_IN_WITHIN", 10)
    monkeypatch.setattr(storm, "USERS", 50)
    monkeypatch.setattr(storm, "QUICK_SERVERS", ("nginx", "redis"))
    monkeypatch.setitem(storm.SERVERS, "redis", storm.dataclasses.replace(storm.SERVERS["redis"], program="no-such"))
    points = [frame.Point({"server": server, "key": "rsa2048", "load": load, "patience": "fixed"}, 1)
              for server, load in (("nginx", "2x"), ("nginx", "users"), ("redis", "2x"))]
    monkeypatch.setattr(storm.Storm, "points", lambda *_: points)
    assert command.main(["storm", "--quick", "--seconds", "0.5", "--build-dir", os.environ["OCTUPLE_BUILD"],
                         "--folder", str(tmp_path)]) == command.DONE
    run = frame.Run.read(tmp_path / "storm-quick")
    storms, users = run.records
    assert set(storms["metrics"][storm.GOODPUT]["sides"]) == set(storm.SIDES)
    assert storms["metrics"][storm.GOODPUT]["sides"]["controller"][0] > 0
    assert 0 < users["metrics"][storm.ALL_IN]["sides"]["octuple"][0] < 10
    assert "redis is not installed; Debian's package: redis-server" in capsys.readouterr().out
    assert os.readlink("/proc/self/ns/net") == before
