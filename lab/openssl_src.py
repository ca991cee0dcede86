# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""OpenSSL in other releases than the system's, each with its FIPS module: built from the source that a version of the
crate openssl-src carries, in a folder that stays."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from . import ROOT, cargo
from .debian import InstallError
from .programs import clean_environment

CRATE = "openssl-src"
# The version of the crate: a release's number, and "300." or "400." before its minor and patch level.
RELEASES = {"3.0": "300.0.13", "3.1": "300.1.6", "3.2": "300.2.3", "3.3": "300.3.2", "3.4": "300.4.2",
            "3.5": "300.5.0"}
MANIFEST = """\
[package]
name = "source"
version = "0.0.0"
[lib]
path = "none.rs"
[dependencies]
{crate} = "={version}"
"""
OPTIONS = ("shared", "enable-fips", "no-tests", "no-zlib", "no-ssl3", "no-ssl3-method", "enable-rfc3779", "enable-cms",
           "enable-ec_nistp_64_gcc_128", "no-capieng", "no-rdrand", "--libdir=lib")


def folder(release: str) -> Path:
    """Other users read it, as servers' workers."""
    return ROOT / "build/openssl" / f"{CRATE}-{RELEASES[release]}"


def root(release: str) -> Path:
    """Where it is installed, when it is."""
    return folder(release) / "root"


def environment(release: str) -> dict[str, str]:
    """By which programs find its command and its libraries before the system's."""
    here = clean_environment()
    return here | {"PATH": f"{root(release)}/bin:{here.get('PATH', '/usr/bin:/bin')}",
                   "LD_LIBRARY_PATH": str(root(release) / "lib")}


def run(command: list[str], where: Path) -> str:
    """What it prints; what it says goes into a log."""
    with (where / "log").open("a", encoding="utf-8") as log:
        done = subprocess.run(command, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                              text=True, env=clean_environment(), check=False)
    if done.returncode:
        raise InstallError(f"{' '.join(command[:2])} ended with status {done.returncode}: {where}/log")
    return done.stdout


def source(release: str) -> Path:
    """Where cargo keeps it; fetched unless it is there."""
    where = folder(release)
    where.mkdir(parents=True, exist_ok=True)
    (where / "Cargo.toml").write_text(MANIFEST.format(crate=CRATE, version=RELEASES[release]))
    try:
        version = run(["cargo", "--version"], where)
    except FileNotFoundError as error:
        raise InstallError("OpenSSL's other releases come by cargo, which is not installed") from error
    if cargo.too_old(version):
        raise InstallError(cargo.too_old(version))
    crates = json.loads(run(["cargo", "metadata", "--format-version", "1"], where))["packages"]
    return Path(next(crate for crate in crates if crate["name"] == CRATE)["manifest_path"]).parent / "openssl"


def install(release: str) -> None:
    """Takes some ten minutes on two cores, the first time."""
    where, built = folder(release), folder(release) / "built"
    if (root(release) / "lib/ossl-modules/fips.so").exists():
        return
    of = source(release)
    built.mkdir(exist_ok=True)
    run(["perl", str(of / "Configure"), *OPTIONS, f"--prefix={root(release)}", f"--openssldir={root(release)}/ssl"],
        built)
    run(["make", "-s", f"-j{os.cpu_count()}", "build_sw"], built)
    run(["make", "-s", "install_sw", "install_ssldirs", "install_fips"], built)
