# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers made at random, each as it is and with Octuple: both must come to the same verdict on the same guests.

    tests/servers/run random --build build/dev --count 2000 --first-seed 1
    tests/servers/run random --build build/dev --plan 'seed=1 loop=epoll ...' [--times 10] [--shrink]

A plan whose verdict differs is tried again. Where stock itself comes to different verdicts, or fails, it is dropped.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.servers.common import credentials, rig
from tests.servers.random import kinds, plan as random_plan
from tests.servers.random.runner import Runner, Verdict

LINES_MAX = 8


@dataclass
class Case:
    """What came of a plan: same, dropped, different, or once (different, and then not again)."""

    words: list[str]
    kind: str
    stock: Verdict
    under: Verdict | None = None


def compare(runner: Runner, words: list[str], again: int = 2) -> Case:
    stock = runner.run(words, False)
    if stock.bad:
        return Case(words, "dropped", stock)
    under = runner.run(words, True)
    if under.is_like(stock):
        return Case(words, "same", stock, under)
    more_stock = [runner.run(words, False) for _ in range(again)]
    if any(one != stock for one in more_stock) and (any(one.bad for one in more_stock) or not under.bad):
        return Case(words, "dropped", stock, under)
    for _ in range(again):
        if not (more := runner.run(words, True)).is_like(stock):
            return Case(words, "different", stock, more)
    return Case(words, "once", stock, under)


def shrink(runner: Runner, words: list[str], report=print) -> list[str]:
    """Fewer words that still differ."""
    runner.seconds = 2.0

    def differs(fewer: list[str]) -> bool:
        return compare(runner, fewer, 1).kind == "different"

    def guests(fewer: list[str], key: str) -> list[list[str]]:
        ways = random_plan.ways(fewer, key)
        smaller = [ways[:len(ways) // 2], ways[:-1], ["plain"] * len(ways)]
        return [[f"{key}={','.join(some)}" if word.startswith(f"{key}=") else word for word in fewer]
                for some in smaller if some and some != ways]

    changed = True
    while changed:
        changed = False
        without = [words[:i] + words[i + 1:] for i in range(len(words))
                   if not words[i].startswith(("seed=", "guests1="))]
        for fewer in without + guests(words, "guests1") + guests(words, "guests2"):
            if fewer != words and differs(fewer):
                words, changed = fewer, True
                report(" ".join(words), flush=True)
                break
    return words


def explain(case: Case) -> str:
    """Where the two verdicts differ."""
    lines = [f"{case.kind}: {' '.join(case.words)}"]
    stock, under = case.stock, case.under
    if under is None:
        return "\n".join([*lines, f"  stock {stock}"])
    for number in sorted(set(stock.guests) | set(under.guests)):
        a, b = stock.guests.get(number), under.guests.get(number)
        if a != b:
            lines.append(f"  guest {number}: stock {a}, Octuple {b}")
    if isinstance(stock.said, dict) and isinstance(under.said, dict):
        for number in stock.said["guests"].keys() | under.said["guests"].keys():
            a, b = stock.said["guests"].get(number), under.said["guests"].get(number)
            if a != b and len(lines) < LINES_MAX:
                lines.append(f"  said of {number}: stock {a}\n  {' ' * len(number)}       Octuple {b}")
        for name in ("open", "bad ends", "odd"):
            if stock.said[name] != under.said[name]:
                lines.append(f"  {name}: stock {stock.said[name]}, Octuple {under.said[name]}")
    elif stock.said != under.said:
        lines.append(f"  said: stock {stock.said}\n  Octuple {under.said}")
    if stock.status != under.status:
        lines.append(f"  status: stock {stock.status}, Octuple {under.status}")
    return "\n".join([*lines, under.errors])


_runner: Runner | None = None


def _start(build: rig.Build, keys: Path) -> None:
    global _runner  # one of each process of the pool
    _runner = Runner(build, keys)


def _one(seed: int, kind: str) -> Case:
    assert _runner is not None
    return compare(_runner, random_plan.plan(seed, kind))


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests/servers/run random", description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=os.environ.get("OCTUPLE_BUILD"), help="the build folder")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kind", default="", choices=sorted(kinds.KINDS), help="what all of them do, if they can")
    parser.add_argument("--plan", help="the words of one plan")
    parser.add_argument("--times", type=int, default=1, help="how often it runs")
    parser.add_argument("--shrink", action="store_true", help="look for fewer words that still differ")
    options = parser.parse_args()
    if options.build is None:
        parser.error("--build or OCTUPLE_BUILD is needed")
    build = rig.Build(options.build.resolve())
    where = rig.folder("keys")
    try:
        keys = credentials.make_keys(where / "made")
        credentials.revoke(keys)
        if options.plan:
            return one_plan(Runner(build, keys), options)
        return many_plans(build, keys, options)
    finally:
        shutil.rmtree(where, ignore_errors=True)


def one_plan(runner: Runner, options: argparse.Namespace) -> int:
    words, bad = options.plan.split(), 0
    for _ in range(options.times):
        case = compare(runner, words)
        bad += case.kind != "same"
        print(explain(case), flush=True)
    if options.shrink and bad:
        print("shrunk:", " ".join(shrink(runner, words)))
    runner.end()
    return bad != 0


def many_plans(build: rig.Build, keys: Path, options: argparse.Namespace) -> int:
    counts, in_lanes, served, begin = dict.fromkeys(("same", "dropped", "different", "once"), 0), 0, 0, time.monotonic()
    seeds = range(options.first_seed, options.first_seed + options.count)
    with multiprocessing.Pool(options.jobs, _start, (build, keys)) as pool:
        for case in pool.imap_unordered(partial(_one, kind=options.kind), seeds):
            counts[case.kind] += 1
            if case.under is not None:
                in_lanes += case.under.in_lanes
                served += case.under.in_lanes > 0
            if case.kind != "same":
                print(explain(case), flush=True)
    print(f"{options.count} programs in {time.monotonic() - begin:.0f} s: {counts}")
    print(f"lanes did {in_lanes} operations, in {served} programs")
    return 1 if counts["different"] or counts["once"] else 0


if __name__ == "__main__":
    sys.exit(main())
