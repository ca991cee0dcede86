# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Builds the Java binding and other Maven projects into a build folder, and runs programs with its library. The tests
use it too."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from . import ROOT
from .programs import clean_environment

MODULE = ROOT / "bindings/java"
NEEDED = 17
VERSION = re.compile(r"javac (\d+)")


class JavaError(Exception):
    """Maven could not build something."""


def environment(build: Path) -> dict[str, str]:
    """For Java, and for what it starts. Options that the user has set for all of Java would differ between runs."""
    inherited = clean_environment()
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"):
        inherited.pop(name, None)
    return inherited | {"LD_LIBRARY_PATH": str(build / "lib")}


def folder(build: Path, module: Path = MODULE) -> Path:
    """Where a project is built."""
    return build.resolve() / "java" / module.name


def maven(build: Path, *arguments: str, module: Path = MODULE) -> subprocess.CompletedProcess:
    """Runs Maven on a project: what is here already is not fetched again."""
    command = ["mvn", "-q", "-B", "-f", str(module / "pom.xml"), f"-Dfolder={folder(build, module)}"]
    # Maven ends before the second compiler's time pays.
    settings = environment(build) | {"MAVEN_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"}
    offline = subprocess.run([*command, "-o", *arguments], env=settings, capture_output=True, text=True, check=False)
    if "offline mode" not in offline.stdout:
        return offline
    return subprocess.run([*command, *arguments], env=settings, capture_output=True, text=True, check=False)


def too_old(said: str) -> str:
    """What is wrong with a javac that says this of itself; empty if nothing."""
    found = VERSION.search(said)
    if not found:
        return f"javac says {said!r}, not its version"
    return f"javac is {found[1]}, {NEEDED} is needed" if int(found[1]) < NEEDED else ""


def why_not() -> str:
    """Why Java programs cannot be built here; empty if they can, as far as that can be said without trying."""
    for program in ("javac", "mvn", "cc"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    done = subprocess.run(["javac", "-version"], capture_output=True, text=True, check=False)
    return too_old(done.stdout + done.stderr)


def cannot_fetch(done: subprocess.CompletedProcess) -> bool:
    """Whether it was the repository that Maven failed for, and not the project."""
    return done.returncode != 0 and re.search(r"Could not (transfer|find|resolve)|could not be resolved|"
                                              r"PluginResolutionException", done.stdout) is not None


def jar(build: Path) -> Path:
    """The binding, built."""
    done = maven(build, "package", "-DskipTests")
    if done.returncode:
        raise JavaError(f"Maven cannot build the binding: {done.stdout.strip()}")
    return next(folder(build).glob("octuple-jca-*.jar"))
