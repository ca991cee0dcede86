# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH any LONG
"""Whole runs of measurements, as short as they can be: they end well, and write what docs/schemas says. No figure of
them means anything. OCTUPLE_BUILD is the build folder."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.measure import keys, machinery, official, servers, trace
from bench.measure.plan import __main__ as plan
from lab import devices, schemas, tracefs
from lab.servers.nginx import find_nginx
from lab.testing import needs

SHORT = ("--rounds", "1", "--seconds", "0.1")


@pytest.fixture(name="written")
def fixture_written(tmp_path) -> Callable[..., dict]:
    """What a measurement writes, which is as its schema says."""
    if "OCTUPLE_BUILD" not in os.environ:
        pytest.skip("OCTUPLE_BUILD does not name a build")

    def run(main: Callable, schema: str, *options: object) -> dict:
        file = tmp_path / f"{schema}.json"
        assert main([*map(str, options), "--build-dir", os.environ["OCTUPLE_BUILD"], "--json", str(file)]) == 0
        document = json.loads(file.read_text())
        schemas.check(schema, document)
        return document

    return run


@needs("haproxy", "curl")
def test_servers(written):
    document = written(servers.main, "servers", "--only", "haproxy", "--only", "curl", *SHORT)
    assert [row["server"] for row in document["servers"]] == ["haproxy"]
    assert [row["client"] for row in document["clients"]] == ["curl"]


class Unpatched(official.Server):
    """A side for which any nginx will do: without the patches' directive."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.text = ""


@needs("nginx")
def test_official(written, monkeypatch):
    monkeypatch.setattr(official, "Server", Unpatched)
    document = written(official.main, "official", find_nginx(), "--none", "--handshake", "tls13-ecdsa-p256",
                       "--connections", "2", *SHORT)
    point, = document["points"]
    assert set(point["metrics"][official.METRIC]["median"]) == {*official.SIDES, official.NONE}


def samples_of_perf() -> bool:
    done = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "true"], check=False,
                          capture_output=True)
    return done.returncode == 0


@needs("nginx", "perf")
def test_machinery(written):
    if not samples_of_perf():
        pytest.skip("perf may not sample here")
    document = written(machinery.main, "machinery", "--handshake", "tls13-ecdsa-p256", "--profile", "1", *SHORT)
    assert all(document["results"][0][side]["samples"] > 0 for side in document["sides"])


def test_trace(written):
    reason = tracefs.obstacle()
    if reason:
        pytest.skip(reason)
    document = written(trace.main, "bench-trace", "--tool", "latency", *SHORT)
    assert [row["server"] for row in document["results"]] == ["stock", "octuple"]


@pytest.mark.skipif(bool(devices.missing()), reason=f"not installed: {devices.missing()}")
def test_keys(written):
    document = written(keys.main, "keys", "--row", "nginx:card:1:1", "--row", "haproxy:pausing:1:1", "--no-install",
                       *SHORT)
    assert [row["name"] for row in document["results"]] == ["nginx-card-1ms-1threads", "haproxy-pausing-1ms-1threads"]


@needs("nginx")
def test_plan(written, tmp_path, monkeypatch):
    """With what it makes of the costs, for one kind of handshake; `measure` writes a part of what `check` does."""
    monkeypatch.setattr(plan, "HANDSHAKES", ("tls13-ecdsa-p256",))
    monkeypatch.setattr(plan, "CHECKED", (plan.Point("tls13-ecdsa-p256", plan.Setting(2), 50),))
    document = written(plan.main, "plan", "check", *SHORT)
    assert any("predicted" in value["median"] for row in document["points"] for value in row["metrics"].values())
    for rate in ("3000", "1e9"):  # one that machines bear, and one that none does
        plan_file = tmp_path / "for.json"
        assert plan.main(["for", "--costs", str(tmp_path / "plan.json"), "--rate", rate, "--cores", "4",
                          "--json", str(plan_file)]) == 0
        schemas.check("plan-for", json.loads(plan_file.read_text()))
