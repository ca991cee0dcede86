# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LOCK cargo COST 100
"""The crate's own tests (bindings/rust/octuple/tests), on the kernels that this CPU gets, on the portable ones,
on none."""
import json
import re

import pytest
from lab import cargo
from tests.bindings.conftest import SETTINGS


@pytest.mark.parametrize("table", ("auto", "c", "off"))
def test_crate(build, program, table):
    assert program.exists()
    done = cargo.run(build, "test", "--release", "--locked", "--offline",
                     "--workspace", OCTUPLE_TABLE=table, **SETTINGS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sum(int(count) for count in re.findall(r"(\d+) passed", done.stdout)) >= 17


def test_without_the_library(build, program, tmp_path):
    """A line says what is missing, and nothing panics."""
    assert program.exists()
    settings = {"CARGO_TARGET_DIR": str(tmp_path), "OCTUPLE_BUILD": "/nowhere"}
    done = cargo.run(build, "check", "-p", "octuple", "--locked", "--offline", **settings)
    said = [line for line in done.stderr.splitlines() if line.startswith("error: octuple@")]
    assert done.returncode != 0 and "panicked" not in done.stderr, done.stderr
    assert len(said) == 1 and "OCTUPLE_BUILD: there is no /nowhere/lib/liboctuple.so" in said[0]


def test_what_may_be_published(build):
    """The crate, and not what tests it: by the list of registries that each may go to, none or all."""
    done = cargo.run(build, "metadata", "--no-deps", "--offline", "--format-version=1")
    assert {one["name"]: one["publish"] for one in json.loads(done.stdout)["packages"]} == {
        "octuple": None, "transfer": []}
