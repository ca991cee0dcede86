# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What the tests of the bindings share: the build folder (OCTUPLE_BUILD; ctest sets it), and cargo, if it is there."""
import os
import pathlib

import pytest

from lab import cargo


@pytest.fixture(scope="session")
def build() -> pathlib.Path:
    return pathlib.Path(os.environ.get("OCTUPLE_BUILD", "build/dev")).resolve()


# A hundred crates, of which nothing here asks for speed: so they compile in a third of the time.
SETTINGS = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "0"}


@pytest.fixture(scope="session")
def program(build) -> pathlib.Path:
    """The program `transfer`, just built."""
    reason = cargo.why_not(build)
    if reason:
        pytest.skip(reason)
    return cargo.build_all(build, **SETTINGS)
