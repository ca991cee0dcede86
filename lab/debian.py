# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The Debian that has the libraries which Octuple is measured beside: this machine's own, or, where that is Debian 12,
a Debian 13 in a folder, which `bench/beside/in-debian` makes and enters."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from . import ROOT
from .programs import clean_environment

RELEASE = "trixie"
TOO_OLD = ("bookworm", "bullseye")
PACKAGES = ("gcc", "libc6-dev", "libssl-dev", "openssl", "libjansson4", "libcrypto-mb-dev", "libipsec-mb-dev",
            "qatengine")
ENTER = ROOT / "bench/beside/in-debian"


class InstallError(Exception):
    """The packages could not be installed; the text says why."""


def as_root() -> list[str]:
    return [] if os.geteuid() == 0 else ["sudo"]


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "octuple/debian"


def run(command: list[str]) -> None:
    """Its output goes to stderr: ours is for results."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=2, env=clean_environment(), check=False)
    if done.returncode:
        raise InstallError(f"{' '.join(command)} ended with status {done.returncode}")


def enter(folder: Path, release: str, *seen: Path) -> list[str]:
    """What stands before a command in a Debian in a folder. It sees the source, and these folders, wherever they are.
    sudo drops as on which CPU it is to run."""
    see = [word for folder in seen for word in ("--see", str(folder))]
    kept = [f"{name}={os.environ[name]}" for name in ("OCTUPLE_TABLE", "OPENSSL_ia32cap") if name in os.environ]
    return [*as_root(), str(ENTER), *see, str(folder), release, "env", *kept]


def not_installed(packages: Iterable[str]) -> list[str]:
    """Those of them that this system lacks."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n"],
                          capture_output=True, text=True, check=False)
    there = done.stdout.splitlines()
    return [name for name in packages if f"{name} installed" not in there]


def install(packages: list[str]) -> None:
    """On this system."""
    if packages:
        run([*as_root(), "apt-get", "install", "-y", "-q", "--no-install-recommends", *packages])


@dataclass(frozen=True)
class Here:
    """This system."""

    def prefix(self, _build: Path) -> list[str]:
        return []

    def missing(self) -> list[str]:
        return not_installed(PACKAGES)

    def install(self) -> None:
        install(self.missing())

    def why_not(self) -> str:
        return f"{', '.join(self.missing())} not installed" if self.missing() else ""


@dataclass(frozen=True)
class Root:
    """A Debian in a folder, that stays for the next time."""

    folder: Path

    def prefix(self, build: Path) -> list[str]:
        return enter(self.folder, RELEASE, build)

    def install(self) -> None:
        """Looks again at what is installed, as the list of packages may have grown."""
        run([*as_root(), str(ENTER), "--install", " ".join(PACKAGES), str(self.folder), RELEASE, "true"])

    def why_not(self) -> str:
        ready = self.folder / RELEASE / "var/lib/octuple-ready"
        return "" if ready.exists() else f"there is no Debian {RELEASE} in {self.folder}"


def place() -> Here | Root:
    """Where the peers are, or would be."""
    try:
        codename = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        codename = ""
    return Root(cache()) if codename in TOO_OLD else Here()
