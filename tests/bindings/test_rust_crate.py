# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The crate's own tests (bindings/rust/octuple/tests), on the kernels that this CPU gets, on the portable ones, on none."""
import re

import pytest
from octbench import cargo


@pytest.mark.parametrize("table", ("auto", "c", "off"))
def test_crate(build, program, table):
    assert program.exists()
    done = cargo.run(build, "test", "--release", "--locked", "--offline", "--workspace", OCTUPLE_TABLE=table)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sum(int(count) for count in re.findall(r"(\d+) passed", done.stdout)) >= 17


@pytest.mark.parametrize("version, reason", (
    ("cargo 1.63.0 (fd9c4297c 2022-07-01)", "1.63"), ("cargo 1.84.1", "needs 1.85"), ("1.95", "not its version"),
    ("cargo 1.85.0", ""), ("cargo 1.95.0 (f2d3ce0bd 2026-03-21)", ""), ("cargo 2.0.0", "")))
def test_old_cargos_are_known(version, reason):
    assert (reason in cargo.too_old(version)) if reason else not cargo.too_old(version)
