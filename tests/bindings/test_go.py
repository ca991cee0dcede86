# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LOCK go COST 60
"""The Go binding's own tests (bindings/go), on each table, without a library, without cgo, and under the race
detector."""
import json
import pathlib
import re
import subprocess

import pytest
from lab import depth, golang


@pytest.fixture(scope="module")
def module(build) -> pathlib.Path:
    reason = golang.why_not(build)
    if reason:
        pytest.skip(reason)
    return golang.MODULE


def has_lanes(build, table: str) -> bool:
    """What `octuple info` says, so that the binding cannot fail to find lanes unnoticed."""
    said = subprocess.run([build / "bin/octuple", "info", "--json"], capture_output=True, text=True, check=True,
                          env={"OCTUPLE_TABLE": table}).stdout
    return json.loads(said)["table"]["name"] != "none"


def run_tests(build, *arguments: str, lanes: bool, **settings: str) -> None:
    # `go vet` has a test of its own; in each of these it would read the whole standard library again.
    done = golang.run(build, "test", "-vet=off", "-count=1", "-v", *arguments, ".",
                      OCTUPLE_TEST_LANES="yes" if lanes else "no", **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"^--- PASS: Test", done.stdout, re.MULTILINE)) >= 20


@pytest.mark.parametrize("table, length", (("auto", "-short=false"), ("c", "-short"), ("off", "-short")))
def test_tables(build, module, table, length):
    if table == "c" and not depth.EXHAUSTIVE:
        pytest.skip(f"the portable table is slow: {depth.EXHAUSTIVE_ONLY}")
    run_tests(build, length, lanes=has_lanes(build, table), OCTUPLE_TABLE=table)


def test_without_the_library(build, module, tmp_path):
    run_tests(build, "-short", lanes=False, LD_LIBRARY_PATH=str(tmp_path))


def test_without_cgo(build, module):
    run_tests(build, "-short", lanes=False, CGO_ENABLED="0")


def test_races(build, module):
    if golang.run(build, "build", "-race", ".").returncode:
        pytest.skip("this go has no race detector")
    run_tests(build, "-short", "-race", lanes=has_lanes(build, "auto"))


def test_style(build, module):
    assert golang.run(build, "vet", ".").returncode == 0
    done = subprocess.run(["gofmt", "-l", "."], cwd=module, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stdout, done.stdout


@pytest.mark.parametrize("said, wrong", (("go version go1.99.1 linux/amd64", ""), ("go version go2.0 linux/amd64", ""),
                                         ("go version go1.19.8 linux/amd64", "go is 1.19"), ("", "not its version")))
def test_versions(said, wrong):
    found = golang.too_old(said)
    assert wrong in found if wrong else not found
