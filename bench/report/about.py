# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What machine.json says of a run: what was measured, with which programs, on which machine, and how quiet it was.

`identity` is what must be the same for a run to be gone on with: measurements of two CPUs, kernels or builds are never
mixed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import subprocess
import time
from pathlib import Path

from bench.experiments.frame import Experiment, Size, now
from lab import machine
from lab.programs import Build
from lab.servers.nginx import ServerError, find_nginx

IDENTITY = ("cpu", "cpus", "kernel", "openssl", "nginx", "octuple", "libraries", "width", "table")
QUIET_SECONDS = 0.5


def digest(build: Build) -> str:
    """Of the libraries that are measured."""
    found = hashlib.sha256()
    for path in (build.folder / "lib/liboctuple.so", build.provider, build.shim):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def busy_ticks(stat: str) -> tuple[int, int]:
    """Clock ticks of all CPUs in which something ran (or another guest of the host did), and all of them,
    from /proc/stat."""
    ticks = [int(field) for field in stat.splitlines()[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)  # 3, 4: idle, waiting for a disk


def busy_percent(seconds: float = QUIET_SECONDS) -> float:
    """How much of all CPUs others use while we sleep."""
    before = busy_ticks(Path("/proc/stat").read_text())
    time.sleep(seconds)
    after = busy_ticks(Path("/proc/stat").read_text())
    return round(100 * (after[0] - before[0]) / max(1, after[1] - before[1]), 1)


def compiler(build: Build) -> str:
    """Of the build, by what CMake has written down."""
    try:
        lines = (build.folder / "CMakeCache.txt").read_text().splitlines()
    except OSError:
        return ""
    path = next((line.partition("=")[2] for line in lines if line.startswith("CMAKE_C_COMPILER:")), "")
    return machine.first_line([path, "--version"]) if path else ""


def octuple_info(build: Build) -> dict:
    done = subprocess.run([build.octuple, "info", "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def nginx() -> str:
    """Its path; empty where it is not installed, as not every experiment needs it."""
    try:
        return find_nginx()
    except ServerError:
        return ""


def describe(experiment: Experiment, build: Build, size: Size, command: str) -> dict:
    info = octuple_info(build)
    found = machine.describe(machine.place(), nginx(), info.get("version", ""))
    found |= {"libraries": digest(build), "compiler": compiler(build), "width": info.get("width", {}).get("bits"),
              "table": info.get("table", {}).get("name")}
    for passing in ("load_average", "date"):
        del found[passing]
    return {"experiment": experiment.name, "title": experiment.title, "about": experiment.about, "command": command,
            "size": dataclasses.asdict(size), "machine": found, "identity": {name: found[name] for name in IDENTITY},
            "sessions": [{"began": now(), "busy_percent": busy_percent()}]}
