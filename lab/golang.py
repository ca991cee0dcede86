# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Runs Go's tools on the Go binding, or another module, with the library of a build folder. The tests use it too."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from . import ROOT
from .programs import clean_environment

MODULE = ROOT / "bindings/go"
GO_MOD = re.compile(r"^go (\d+)\.(\d+)", re.MULTILINE)


def environment(build: Path) -> dict[str, str]:
    """For go, and for what it has built. Only the toolchain that is here is used."""
    return {"GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false"} | clean_environment() | \
        {"LD_LIBRARY_PATH": str(build / "lib")}


def run(build: Path, *arguments: str, module: Path = MODULE, **settings: str) -> subprocess.CompletedProcess:
    return subprocess.run(["go", *arguments], cwd=module, env=environment(build) | settings, capture_output=True,
                          text=True, check=False)


def too_old(version: str, module: Path = MODULE) -> str:
    """What is wrong with a go that says this of itself; empty if nothing. The module's go.mod has what it needs."""
    found = re.search(r"go(\d+)\.(\d+)", version)
    if not found:
        return f"go says {version!r}, not its version"
    needed = GO_MOD.search((module / "go.mod").read_text())
    if tuple(map(int, found.groups())) < tuple(map(int, needed.groups())):
        return f"go is {found[1]}.{found[2]}, {module.name}/go.mod needs {needed[1]}.{needed[2]}"
    return ""


def why_not(build: Path, module: Path = MODULE) -> str:
    """Why the module cannot be built here; empty if it can. Fetches what it depends on."""
    try:
        version = subprocess.run(["go", "version"], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return "go is not installed"
    if too_old(version, module):
        return too_old(version, module)
    if run(build, "mod", "download", module=module).returncode:
        return "the module proxy cannot be reached, and not all modules are here"
    return ""
