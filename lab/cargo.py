# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Builds the Rust binding, or another workspace, against a build folder. The tests use it too."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from . import ROOT
from .programs import clean_environment

WORKSPACE = ROOT / "bindings/rust"
NEEDED = (1, 85)  # rust-version in each Cargo.toml; Debian 12 has 1.63


class CargoError(Exception):
    """A command of cargo's failed."""


def environment(build: Path) -> dict[str, str]:
    """For cargo, and for what it has built."""
    return clean_environment() | {"OCTUPLE_BUILD": str(build), "CARGO_TARGET_DIR": str(build / "cargo"),
                                  "LD_LIBRARY_PATH": str(build / "lib")}


def run(build: Path, *arguments: str, workspace: Path = WORKSPACE, **settings: str) -> subprocess.CompletedProcess:
    return subprocess.run(["cargo", *arguments], cwd=workspace, env=environment(build) | settings, capture_output=True,
                          text=True, check=False)


def too_old(version: str) -> str:
    """What is wrong with a cargo that says this of itself; empty if nothing."""
    found = re.match(r"cargo (\d+)\.(\d+)", version)
    if not found:
        return f"cargo says {version!r}, not its version"
    if (int(found[1]), int(found[2])) < NEEDED:
        return f"cargo is {found[1]}.{found[2]}, Rust code here needs {NEEDED[0]}.{NEEDED[1]}"
    return ""


def why_not(build: Path, workspace: Path = WORKSPACE) -> str:
    """Why the workspace cannot be built here; empty if it can. Fetches what it depends on."""
    try:
        version = subprocess.run(["cargo", "--version"], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return "cargo is not installed"
    if too_old(version):
        return too_old(version)
    fetched = run(build, "fetch", "--locked", workspace=workspace)
    # A Cargo.lock that does not fit is a defect of the tree's, for the build to fail by.
    if fetched.returncode == 0 or "lock file" in fetched.stderr:
        return ""
    lines = [line.strip() for line in fetched.stderr.splitlines() if line.strip()]
    return f"crates.io cannot be reached, and not all crates are here ({lines[-1]})"


def build_all(build: Path, **settings: str) -> Path:
    """Programs and tests, all at once so that everything is compiled once; returns the program `transfer`."""
    done = run(build, "build", "--release", "--locked", "--offline", "--workspace", "--all-targets", **settings)
    if done.returncode:
        raise CargoError(done.stderr.strip())
    return build / "cargo/release/transfer"
