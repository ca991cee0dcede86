# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Fixtures of the server tests: the build under test, and keys that live as long as the run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.common import credentials, rig


@pytest.fixture(scope="session")
def build() -> rig.Build:
    found = rig.build_from_environment()
    missing = found.missing_libraries()
    assert not missing, f"not built: {missing}"
    return found


@pytest.fixture(scope="session")
def keys(build: rig.Build) -> Iterator[Path]:
    where = rig.folder("keys")
    yield credentials.kept_keys(build.folder / "server-keys", where / "made")
    shutil.rmtree(where)


@pytest.fixture()
def place() -> Iterator[Path]:
    """A temporary folder that any user may enter."""
    where = rig.folder("test")
    yield where
    shutil.rmtree(where)
