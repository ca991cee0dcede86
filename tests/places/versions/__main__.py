# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What a program gets from OpenSSL under LD_PRELOAD, on other releases of it than Debian's, each with its FIPS module.

The source is that of the crate openssl-src, which cargo fetches. Each release is built once, below build/openssl, with
its FIPS module. Then tests of the command run there, with that release's `openssl` and libraries in front of the
system's: CMS and PKCS #7 for several recipients, FIPS, configurations, and programs that come to OpenSSL in unusual
ways.

Exit status: 0 if all was well, 1 if not, 2 if a release cannot be had.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from lab import ROOT, openssl_src
from lab.debian import InstallError

TESTS = ("run_cms", "run_fips", "config_variants", "lives")
MOST_USED = ("3.0", "3.2", "3.5")


def say(text: str) -> None:
    print(f"versions: {text}", flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/places/run versions", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", nargs="*", metavar="RELEASE",
                        help=f"of {', '.join(openssl_src.RELEASES)} (default: {', '.join(MOST_USED)})")
    parser.add_argument("--build", type=Path, default=ROOT / "build/dev", help="the build folder of Octuple")
    parser.add_argument("--prepare", action="store_true", help="build the releases, and run nothing")
    parser.add_argument("--tests", metavar="PATTERN", default="", help="what pytest takes behind -k")
    options = parser.parse_args()
    options.release = options.release or list(MOST_USED)
    unknown = set(options.release) - set(openssl_src.RELEASES)
    if unknown:
        parser.error(f"no such release: {', '.join(sorted(unknown))}")
    return options


def check(release: str, environment: dict[str, str]) -> None:
    """That the command is what the tests are to be about."""
    said = subprocess.run(["openssl", "version"], env=environment, capture_output=True, text=True, check=False).stdout
    if said.count(f"OpenSSL {release}.") != 2:
        raise InstallError(f"the command of OpenSSL {release} says: {said}")
    say(said.strip())


def run(release: str, options: argparse.Namespace) -> bool:
    environment = openssl_src.environment(release)
    check(release, environment)
    environment |= {"OCTUPLE_BUILD": str(options.build.resolve()), "PYTHONPATH": str(ROOT),
                    "PYTHONDONTWRITEBYTECODE": "1"}
    command = ["/usr/bin/python3", "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider",
               *(f"tests/cli/test_{name}.py" for name in TESTS)]
    if options.tests:
        command += ["-k", options.tests]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def main() -> int:
    options = parse()
    good = True
    for release in options.release:
        try:
            openssl_src.install(release)
            if not options.prepare:
                good = run(release, options) and good
        except InstallError as error:
            say(str(error))
            return 2
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
