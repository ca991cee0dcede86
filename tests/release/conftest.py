# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What the tests of releases share: the build folder (OCTUPLE_BUILD; ctest sets it) and the tree's root."""
import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="session")
def build() -> pathlib.Path:
    return pathlib.Path(os.environ.get("OCTUPLE_BUILD", ROOT / "build/dev")).resolve()
