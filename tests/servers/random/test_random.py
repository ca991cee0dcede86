# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Some servers made at random, and all plans that have shown a fault once. programs.py makes more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab import depth
from tests.servers.common import credentials
from tests.servers.random import __main__ as programs, plan, runner as random_runner

SEEDS = range(1, 401 if depth.EXHAUSTIVE else 41)
TRIES = 3  # a plan may come to nothing for a reason of stock's own: too few of them may do so


@pytest.fixture(scope="module")
def runner(build, keys) -> Iterator[random_runner.Runner]:
    if not (build.folder / "bin/octuple_random_server").exists():
        pytest.skip("octuple_random_server is not built")
    credentials.revoke(keys)
    made = random_runner.Runner(build, keys)
    yield made
    made.end()


@pytest.mark.parametrize("words", plan.kept(), ids=lambda words: words[0])
def test_kept(runner, words):
    for _ in range(TRIES):
        case = programs.compare(runner, words)
        assert case.kind not in ("different", "once"), programs.explain(case)
        if case.kind == "same":
            return
    raise AssertionError(programs.explain(case))


def test_seeds(runner):
    cases = [programs.compare(runner, plan.plan(seed)) for seed in SEEDS]
    bad = [programs.explain(case) for case in cases if case.kind in ("different", "once")]
    assert not bad, "\n".join(bad)
    assert sum(case.kind == "dropped" for case in cases) <= len(cases) // 10
    paused = [case for case in cases if case.under is not None and case.under.in_lanes]
    assert len(paused) > len(cases) * 2 // 3, "handshakes did not run in lanes"
