# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""OpenSSL's own tests with the provider preferred and the shim preloaded, and without: the verdicts must be the same.

The source is that of the OpenSSL which is installed, from the archives that this system's apt uses (apt-get source,
with lists of its own), or a folder. It is built once, below build/openssl of this project, which takes some minutes;
what the runs print stays there, each beside a script `again` that starts it anew.

Exit status: 0 without an unexpected difference, 1 with one, 2 if there is nothing to compare.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lab import ROOT
from tests.places.openssl import sides, source, verdicts
from tests.places.openssl.programs import LANES, NOTHING, Run, all_runs, programs

WANTED = Path(__file__).with_name("wanted.txt")
SHOWN = 12  # differences of one program


@dataclass
class Outcome:
    """A program on both sides."""

    run: Run
    cases: int
    operations: int
    differences: list[verdicts.Difference]
    fault: str = ""  # why the comparison means nothing

    @property
    def unexpected(self) -> list[verdicts.Difference]:
        return [one for one in self.differences if not one.reason]

    @property
    def good(self) -> bool:
        return not self.unexpected and not self.fault


def say(text: str) -> None:
    print(f"openssl: {text}", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/places/run openssl", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="the build folder of Octuple")
    parser.add_argument("--source", type=Path, help="a source of OpenSSL instead of the system's")
    parser.add_argument("--cache", type=Path, default=ROOT / "build/openssl", help="where sources are kept and built")
    parser.add_argument("--quick", action="store_true",
                        help="without sslapitest and static programs, ssl_test in one context")
    parser.add_argument("--only", metavar="PATTERN",
                        help="the programs whose name, as in the table, this pattern is found in")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1,
                        help="so many at a time (default: one per CPU)")
    return parser.parse_args()


def fault_of(run: Run, stock: sides.Result, ours: sides.Result, served: dict[str, set[str]], cases: int) -> str:
    """A comparison of nothing, or of OpenSSL with itself, would always pass."""
    if cases == 0:
        return "no case was found in what it printed"
    if stock.end != "exit 0":
        return f"it does not pass without Octuple either: {stock.end}"
    if "cannot be preloaded" in ours.stderr:
        return "the shim was not preloaded"
    if stock.operations != 0:
        return "the provider took part without being asked"
    if run.proof == LANES:
        return "" if ours.operations > 0 else "the provider did not count a single operation"
    names = [] if run.proof == NOTHING else run.proof.split()
    others = [name for name in names if served.get(name) != {"octuple"}]
    return f"not served by the provider: {' '.join(others)}" if others else ""


def compare(run: Run, stock: sides.Side, ours: sides.Side, served: dict[str, set[str]]) -> Outcome:
    left, right = stock.start(run), ours.start(run)
    cases = verdicts.count(run, verdicts.cases_of(run, left))
    return Outcome(run, cases, right.operations, verdicts.compare(run, left, right),
                   fault_of(run, left, right, served, cases))


def show(outcomes: list[Outcome], ours: sides.Side) -> None:
    print(f"\n{'program':<52} {'cases':>6} {'operations':>10} {'wanted':>6} {'differ':>6}")
    for one in outcomes:
        wanted = len(one.differences) - len(one.unexpected)
        print(f"{one.run.name:<52} {one.cases:>6} {one.operations:>10} {wanted:>6} {len(one.unexpected):>6}")
    for one in outcomes:
        if not one.good:
            print(f"\n{one.run.name}: {ours.folder_of(one.run)}/again")
        if one.fault:
            print(f"  {one.fault}")
        for difference in one.unexpected[:SHOWN]:
            print(f"  {difference.case}: {difference.stock} without, {difference.ours} with Octuple")
        if len(one.unexpected) > SHOWN:
            print(f"  and {len(one.unexpected) - SHOWN} more of them")
    print()


def report(outcomes: list[Outcome], wanted: list[verdicts.Wanted], ours: sides.Side) -> int:
    show(outcomes, ours)
    for one in outcomes:
        for difference in one.differences:
            if difference.reason:
                print(f"wanted: {difference.program}, {difference.case}: {difference.reason}")
    ran = {one.run.name for one in outcomes}
    stale = [row for row in wanted if not row.met and row.program in ran]
    for row in stale:
        print(f"stale: {row.program}, {row.case} no longer differs; take it out of tests/places/openssl/wanted.txt")
    failed = sum(not one.good for one in outcomes) + len(stale)
    print(f"{sum(one.good for one in outcomes)} passed, {failed} failed")
    return 1 if failed else 0


def main() -> int:
    args = arguments()
    build = sides.Build(args.build.resolve())
    if build.missing_libraries():
        raise source.SourceError(f"{build.missing_libraries()[0]} is not there; build it first")
    source.check_tools()
    cache = args.cache.resolve()
    tree = source.given(cache, args.source) if args.source else source.fetch(cache, say)
    say(f"OpenSSL {tree.version}: building what is missing in {tree.folder}")
    source.build(tree, programs(), args.jobs)
    static = [] if args.quick else source.build_static(tree, programs(), args.jobs)
    stock, ours = sides.Side("stock", tree, None), sides.Side("octuple", tree, build)
    for side in (stock, ours):
        side.write_configurations()
    sides.compile_probe(tree)
    served = sides.check_sides(stock, ours)
    runs = [run for run in all_runs(tree, args.quick, static) if not args.only or re.search(args.only, run.name)]
    if not runs:
        raise source.SourceError(f"no program is called {args.only}")
    say(f"OpenSSL {tree.version}: {len(runs)} programs, each without and with Octuple")
    with ThreadPoolExecutor(args.jobs) as pool:
        outcomes = list(pool.map(lambda run: compare(run, stock, ours, served), runs))
    wanted = verdicts.read_wanted(WANTED, tree.release)
    for one in outcomes:
        verdicts.excuse(one.differences, wanted)
    return report(outcomes, wanted, ours)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except source.SourceError as error:
        say(str(error))
        sys.exit(2)
