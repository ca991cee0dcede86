# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""AWS-LC, which no Debian has: built from the source that its crate carries, in a folder that stays. Its shared
libraries, on which the shim is tested, are in another: `python3 -m lab.aws_lc`, from the top of this source."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from . import ROOT, cargo
from .debian import InstallError, cache
from .programs import clean_environment

MANIFEST = ROOT / "bench/beside/aws_lc/Cargo.toml"
CRATE = "aws-lc-sys"
OPTIONS = ("-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-DBUILD_TOOL=OFF", "-DBUILD_LIBSSL=OFF",
           "-DDISABLE_GO=ON", "-DDISABLE_PERL=ON")
SHARED = ("-DBUILD_SHARED_LIBS=ON", "-DBUILD_LIBSSL=ON", "-DCMAKE_INSTALL_LIBDIR=lib")


def folder() -> Path:
    return cache().parent / "aws-lc"


def files() -> tuple[Path, Path]:
    """The folder of its headers, and its library."""
    return folder() / "include", folder() / "crypto/libcrypto.a"


def why_not() -> str:
    return "" if all(path.exists() for path in files()) else f"there is no AWS-LC in {folder()}"


def output_of(command: list[str]) -> str:
    """Of a command whose messages, if it fails, are the reason."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=clean_environment(),
                          check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise InstallError(f"{' '.join(command[:2])} ended with status {done.returncode}: {''.join(said)}")
    return done.stdout


def source() -> Path:
    """Where cargo keeps it; fetched unless it is there."""
    try:
        version = output_of(["cargo", "--version"])
    except FileNotFoundError as error:
        raise InstallError("AWS-LC's source comes by cargo, which is not installed") from error
    if cargo.too_old(version):
        raise InstallError(cargo.too_old(version))
    text = output_of(["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", str(MANIFEST)])
    crate = next(package for package in json.loads(text)["packages"] if package["name"] == CRATE)
    return Path(crate["manifest_path"]).parent / "aws-lc"


def install() -> None:
    """Takes some minutes the first time."""
    of = source()
    folder().mkdir(parents=True, exist_ok=True)
    output_of(["cmake", "-S", str(of), "-B", str(folder()), "-G", "Ninja", *OPTIONS])
    output_of(["cmake", "--build", str(folder()), "--target", "crypto", "-j", str(os.cpu_count())])
    include = files()[0]
    include.unlink(missing_ok=True)
    include.symlink_to(of / "include")


def install_shared() -> None:
    """As tests/shim/method finds it. Takes some minutes the first time."""
    to = folder().parent / "aws-lc-shared"
    output_of(["cmake", "-S", str(source()), "-B", str(to / "build"), "-G", "Ninja", *OPTIONS, *SHARED,
               f"-DCMAKE_INSTALL_PREFIX={to}"])
    output_of(["cmake", "--build", str(to / "build"), "-j", str(os.cpu_count())])
    output_of(["cmake", "--install", str(to / "build")])


if __name__ == "__main__":
    install_shared()
