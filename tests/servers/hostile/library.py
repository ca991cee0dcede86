# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""tlslite-ng from PyPI, for the hostile client only: installed into the build folder when it is first asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")


class LibraryError(Exception):
    """It is not there and could not be had."""


def install(where: Path) -> None:
    """Into a folder of its own first: two tests may want it at the same time."""
    where.parent.mkdir(parents=True, exist_ok=True)
    fresh = tempfile.mkdtemp(prefix="python-", dir=where.parent)
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps",
                           "--only-binary=:all:",
                           "--disable-pip-version-check", "--target", fresh, "-r", str(REQUIREMENTS)],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise LibraryError(f"tlslite-ng could not be installed: {done.stderr.strip().splitlines()[-1:]}")
    try:
        os.rename(fresh, where)
    except OSError:
        pass  # somebody was faster


def use(build: Path) -> None:
    """From now on `import tlslite` works."""
    where = build / "python-tlslite-0.8.2"
    if not where.exists():
        install(where)
    if str(where) not in sys.path:
        sys.path.insert(0, str(where))
