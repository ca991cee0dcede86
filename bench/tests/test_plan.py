# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The plan: it decides about batches as the queue does, and its workers do what simple arithmetic says they must."""

from __future__ import annotations

import argparse
import ctypes
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from bench.measure.plan import forecast, workers
from bench.measure.plan.costs import Costs, LANES, Operation
from bench.measure.plan.model import EXCHANGE, SIGN, mean_fill, simulate

ROOT = Path(__file__).parents[2]
COSTS = Costs("made up", 130.0, 40.0, Operation("exchange", 30.0, 24.0, 24.0, True),
              Operation("sign", 240.0, 300.0, 480.0, False))


class Estimate(ctypes.Structure):
    _fields_ = [("value", ctypes.c_uint64), ("samples", ctypes.c_uint)]


class Cost(ctypes.Structure):
    """struct oct_cost."""

    _fields_ = [("vector", Estimate * 2), ("fallback", Estimate), ("unused", ctypes.c_uint * 2),
                ("fallback_age", ctypes.c_uint), ("whole", ctypes.c_bool), ("frozen", ctypes.c_bool),
                ("lost", ctypes.c_uint)]


@pytest.fixture(scope="module")
def cost_c(tmp_path_factory):
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    library = tmp_path_factory.mktemp("plan") / "cost.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-I", ROOT / "src", "-I", ROOT / "include", "-o", library,
                    ROOT / "src/batch/cost.c"], check=True)
    return ctypes.CDLL(str(library))


def test_decides_as_the_queue_does(cost_c):
    chance = random.Random(1)
    for _ in range(2000):
        fallback, small, large = (chance.randrange(10, 1000) for _ in range(3))
        for whole in (False, True):
            ours = Operation("x", fallback, small, large, whole)
            for jobs in range(1, LANES + 1):
                theirs = Cost((Estimate(small, 4), Estimate(large, 4)), Estimate(fallback, 4), (0, 0), 0, whole, False)
                assert ours.lanes(jobs) == cost_c.oct_cost_plan(ctypes.byref(theirs), jobs, 0), (ours, jobs)


def test_lone_handshakes_run_alone():
    out = simulate(COSTS, rate=1, handshakes=300)
    assert out.fill == [[0] * LANES] * 2 and out.fallback == [300, 300]
    assert out.cpu_us == pytest.approx(COSTS.lone() + COSTS.wake * out.wakes / 300, rel=0.01)


def test_every_operation_runs_once():
    for rate in (1000, 3000, 4500):
        out = simulate(COSTS, rate, workers=2, handshakes=2000)
        for stage in (EXCHANGE, SIGN):
            assert out.fallback[stage] + sum(n * count for n, count in enumerate(out.fill[stage], 1)) == 2000


def test_too_much_load_fills_lanes():
    out = simulate(COSTS, rate=20000, handshakes=4000)
    assert out.mean_fill() > 7.5
    assert out.cpu_us == pytest.approx(COSTS.saturated(), rel=0.03)
    assert COSTS.saturated() == pytest.approx(130 + 24 / 8 + 480 / 8)


def test_fewer_workers_fill_more():
    fills = [simulate(COSTS, 3000, workers=count).mean_fill() for count in (1, 2, 4)]
    assert fills == sorted(fills, reverse=True) and fills[0] > 1.1 * fills[2]


def test_fewest_workers_keep_within_their_cores():
    one = forecast.fewest(COSTS, 1000, 8, busy=70)
    many = forecast.fewest(COSTS, 10000, 8, busy=70)
    assert one == 1 and many > 1
    used = [out.cpu / out.seconds / 1e6 for out in (forecast.outcome(COSTS, 10000 / n, 1) for n in (many, many - 1))]
    assert used[0] <= 0.7 < used[1]
    assert forecast.fewest(COSTS, 10000, 1, busy=70) is None


def test_plan_is_a_table_of_workers():
    options = argparse.Namespace(rate=6000.0, nodes=2, cores=2, busy=70.0)
    found = forecast.plan(COSTS, options)
    rows = {row["workers"]: row for row in found["rows"]}
    assert found["workers"] == 2 and set(rows) == {2, 4}
    assert rows[2]["fill"] > rows[4]["fill"] and rows[2]["cpu_us_per_handshake"] < rows[4]["cpu_us_per_handshake"]
    assert rows[2]["cores_in_all"] == pytest.approx(6000 * rows[2]["cpu_us_per_handshake"] / 1e6, rel=0.05)
    too_much = forecast.plan(COSTS, argparse.Namespace(**vars(options) | {"rate": 1e6}))
    assert too_much["workers"] is None and too_much["rows"] == [{"workers": 2}, {"workers": 4}]


def test_mean_fill_counts_what_ran_alone():
    assert mean_fill([0, 2, 0, 0, 0, 0, 0, 1], 4) == pytest.approx((2 * 2 + 8 + 4) / 7)
    assert mean_fill([0] * LANES, 0) == 0.0


def configured(folder, setting):
    server = workers.Workers(setting, folder, folder, ["rsa2048"], 0, None)
    server.write_config()
    return (folder / "nginx.conf").read_text()


def test_settings_change_the_configuration(tmp_path):
    changed = configured(tmp_path, workers.Setting(4, "mutex", True))
    assert "worker_processes 4;" in changed and "accept_mutex on;" in changed and "multi_accept on;" in changed
    assert "reuseport" not in changed and "backlog=4096 reuseport;" in configured(tmp_path, workers.Setting(2))


def test_costs_survive_json():
    assert Costs.of(COSTS.as_dict()) == COSTS
