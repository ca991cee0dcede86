# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LOCK cargo COST 100
"""The crate's own tests (bindings/rust/octuple/tests), on the kernels that this CPU gets, on the portable ones,
on none."""
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
