# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""From what a test printed to one verdict for each of its cases, and what differs between two such lists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.places.openssl.programs import Run
from tests.places.openssl.sides import Result

TAP = re.compile(r"^( *)(not ok|ok) (\d+) - (.*?)( # skipped| # SKIP.*)?$", re.IGNORECASE)
SUBTEST = re.compile(r"^ *# Subtest: (.*)$")
# evp_test names the line of its file where a case stands; the sum says how many it has met.
EVP_CASE = re.compile(r"([\w.-]+\.txt):(\d+):? (.*)$", re.MULTILINE)
EVP_SUM = re.compile(r"Completed (\d+) tests with (\d+) errors and (\d+) skipped")


@dataclass
class Difference:
    program: str
    case: str
    stock: str
    ours: str
    reason: str = ""  # of one that is wanted


@dataclass
class Wanted:
    """A row of wanted.txt."""

    release: str
    program: str
    case: str
    reason: str
    met: bool = False


def tap_cases(text: str) -> dict[str, str]:
    """By the number and name of each case, below the name of its subtest."""
    cases, subtest = {}, ""
    for line in text.splitlines():
        title = SUBTEST.match(line)
        if title:
            subtest = title.group(1)
            continue
        found = TAP.match(line)
        if not found:
            continue
        indent, verdict, number, name, skipped = found.groups()
        # A file's own path may be its name; the number tells cases apart whatever they are called.
        key = f"{subtest + ': ' if indent else ''}{number} - {name.rsplit('/', 1)[-1]}"
        while key in cases:
            key += " again"
        cases[key] = "skipped" if skipped else verdict
    return cases


def evp_cases(result: Result) -> dict[str, str]:
    """Cases that are right have no name in the output: of these there is the number."""
    text = result.stdout + result.stderr
    cases = {}
    for _file, line, what in EVP_CASE.findall(text):
        cases.setdefault(f"line {line}", what)
    total = EVP_SUM.search(text)
    cases["tests"], cases["skipped"] = (total.group(1), total.group(3)) if total else ("not completed",) * 2
    return cases


def cases_of(run: Run, result: Result) -> dict[str, str]:
    return evp_cases(result) if run.program == "evp_test" else tap_cases(result.stdout)


def count(run: Run, cases: dict[str, str]) -> int:
    return int(cases["tests"]) if run.program == "evp_test" and cases["tests"].isdigit() else len(cases)


def ends_alike(stock: Result, ours: Result, cases_differ: bool) -> bool:
    """A test that failed makes its program end with 1, which says nothing more than the case did."""
    return stock.end == ours.end or (cases_differ and {stock.end, ours.end} == {"exit 0", "exit 1"})


def compare(run: Run, stock: Result, ours: Result) -> list[Difference]:
    left, right = cases_of(run, stock), cases_of(run, ours)
    absent = "right" if run.program == "evp_test" else "did not run"
    found = [Difference(run.name, case, left.get(case, absent), right.get(case, absent))
             for case in {**left, **right} if left.get(case) != right.get(case)]
    if not ends_alike(stock, ours, bool(found)):
        found.append(Difference(run.name, "end", stock.end, ours.end))
    return found


def read_wanted(path: Path, release: str) -> list[Wanted]:
    """The rows for this release: release, program, case and reason, with tabs between them."""
    rows = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            rows.append(Wanted(*(field.strip() for field in re.split(r"\t+", line))))
    return [row for row in rows if row.release == release]


def excuse(differences: list[Difference], wanted: list[Wanted]) -> None:
    for difference in differences:
        for row in wanted:
            if (row.program, row.case) == (difference.program, difference.case):
                difference.reason, row.met = row.reason, True
