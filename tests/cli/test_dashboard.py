# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The rules for Prometheus and the dashboard for Grafana ask for metrics that there are, by labels that they have."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from lab import ROOT
from prometheus_client.parser import text_string_to_metric_families
from tests.cli.counters_file import Kept, RSA, hello_counters
from tests.cli.test_top import sleeper  # noqa: F401: a fixture

RULES, DASHBOARD = ROOT / "packaging/prometheus/rules.yml", ROOT / "packaging/grafana/octuple.json"
NAME = re.compile(r"\boctuple_\w+")
LABELS = re.compile(r"\b(octuple_\w+)\{([^}]*)\}")
BY = re.compile(r"\bby \(([^)]*)\) \(rate\((octuple_\w+)")
OUTSIDE = {"instance"}  # Prometheus adds it


def written(place, pid: int) -> dict[str, set[str]]:
    """The labels of each series that is written."""
    kept = Kept(place.work / "kept", pid)
    stays = b"".join(number.to_bytes(8, "little") for number in [1, *[0] * 31])
    hellos = hello_counters(1, 1, 1, [1])
    kept.keep({RSA: {"submitted": 1, "done": 1}}, keys=hellos[:-512] + stays + hellos[-256:])
    text = place.call("top", "--prometheus", f"{kept.folder}/").stdout
    series: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            series.setdefault(sample.name, set()).update(sample.labels)
    return series


def expressions() -> list[str]:
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]
    assert len(panels) >= 5 and all(asked)
    return asked + re.findall(r"^ +expr: (.*)$", RULES.read_text(encoding="utf-8"), re.MULTILINE)


def test_metrics_exist(place, sleeper):  # noqa: F811
    series = written(place, sleeper)
    for text in expressions():
        names = set(NAME.findall(text))
        assert names <= series.keys(), f"{text}: there is no {names - series.keys()}"
        for name, labels in LABELS.findall(text):
            assert set(re.findall(r"(\w+)=~?", labels)) <= series[name] | OUTSIDE, text
        for labels, name in BY.findall(text):
            assert set(labels.split(", ")) <= series[name] | OUTSIDE, text


def test_panels_are_told_apart():
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    for member in "id", "title":
        assert len({panel[member] for panel in panels}) == len(panels)
    assert len({(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}) == len(panels)


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not installed (Debian's prometheus)")
@pytest.mark.parametrize("command", [["check", "rules", "rules.yml"], ["test", "rules", "rules.test.yml"]])
def test_rules(command):
    checked = subprocess.run(["promtool", *command], cwd=RULES.parent, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
