# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The server tests on an OpenSSL that was built no-async, as Alpine's is: handshakes pause without its jobs.

The source is found as tests/places/run openssl finds it, and built once, beside what that builds. Then the tests of the
label `server` run on it, as every program of theirs finds these libraries first. What is about OpenSSL's own
asynchronous jobs is skipped there. Exit status: that of ctest, or 2 if there is nothing to test.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from lab import ROOT
from tests.places.openssl import source

SERVERS = ("nginx", "haproxy", "lighttpd")
OPTIONS = ("shared", "no-async", "no-tests", "no-zlib", "no-ssl3", "no-ssl3-method", "enable-rfc3779", "enable-cms",
           "enable-ec_nistp_64_gcc_128", "no-capieng", "no-rdrand", "--prefix=/usr", "--openssldir=/usr/lib/ssl")
ASK = "import ctypes; print(ctypes.CDLL('libcrypto.so.3').ASYNC_is_capable())"


def say(text: str) -> None:
    print(f"noasync: {text}", flush=True)


def built(tree: source.Tree, jobs: int) -> Path:
    """The folder of its libraries."""
    where = tree.folder / "noasync"
    where.mkdir(parents=True, exist_ok=True)
    if not (where / "configdata.pm").exists():
        source.logged(["perl", str(tree.source / "Configure"), *OPTIONS], tree, where)
    source.logged(["make", "-s", f"-j{jobs}", "build_libs"], tree, where)
    return where


def check(libraries: Path, environment: dict[str, str]) -> None:
    """That they are what the tests are to be about, and what the servers will use."""
    said = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=False)
    if said.stdout.strip() != "0":
        raise source.SourceError(f"{libraries} has asynchronous jobs: {said.stdout}{said.stderr}")
    for name in SERVERS:
        program = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")
        linked = program and subprocess.run(["ldd", program], env=environment, capture_output=True, text=True).stdout
        if linked and "libssl.so" in linked and str(libraries) not in linked:
            raise source.SourceError(f"{program} does not use {libraries}:\n{linked}")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/places/run noasync", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="the build folder of Octuple")
    parser.add_argument("--source", type=Path, help="a source of OpenSSL instead of the system's")
    parser.add_argument("--cache", type=Path, default=ROOT / "build/openssl", help="where sources are kept and built")
    parser.add_argument("--tests", metavar="PATTERN", default=".", help="those whose name this pattern is found in")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="so many at a time")
    return parser.parse_args()


def main() -> int:
    options = parse()
    try:
        source.check_tools()
        tree = source.given(options.cache, options.source) if options.source else source.fetch(options.cache, say)
        say(f"OpenSSL {tree.version}, built no-async")
        libraries = built(tree, options.jobs)
        environment = os.environ | {"LD_LIBRARY_PATH": str(libraries)}
        check(libraries, environment)
    except source.SourceError as error:
        say(str(error))
        return 2
    return subprocess.run(["ctest", "--test-dir", str(options.build), "-L", "^(shim|servers)$",
                           "-R", options.tests, "-E", "valgrind|_jobs", "--output-on-failure", "-j", str(options.jobs)],
                          env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
