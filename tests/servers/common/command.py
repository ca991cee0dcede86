# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What test programs of their own, which are not run by pytest, have around what they show."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from tests.servers.common import credentials, rig

SKIPPED = 77


class Failure(Exception):
    """What the run was to show is not so."""


def main(name: str, about: str, why_not: str, run: Callable[[rig.Build, Path], None]) -> int:
    """Runs it in a folder that is removed in the end, unless OpenSSL (why_not) or the CPU forbids it. Returns the exit
    status."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/dev", help="the build folder")
    build = rig.Build(Path(parser.parse_args().build).resolve())
    if not why_not and not rig.has_lanes():
        why_not = "without AVX2 `octuple run` starts servers as they are"
    if why_not:
        print(f"{name}: SKIPPED, {why_not}")
        return SKIPPED
    where = rig.folder(name)
    try:
        run(build, where)
    except (Failure, ConnectionError, rig.LabError, credentials.CredentialsError) as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print(f"{name}: good")
    return 0
