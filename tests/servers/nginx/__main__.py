# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx's own tests of TLS and QUIC, stock and by `octuple run`: the verdicts must be the same.

The tests are those of nginx's repository nginx-tests, in a folder that --source names. All files run that speak of TLS
or HTTP/3, or those that --only picks. A file whose verdicts differ runs again, up to three times in all, as some depend
on time; what differs each time is a difference.

With --release the nginx of another Debian is tested, in a folder that is made for it (forky has HTTP/3). With --async
it is an nginx built with the patches of packaging/nginx, `ssl_async` off and on, and on that side with the provider.

Exit status: 0 without a difference, 1 with one, 2 if there is nothing to compare.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lab import ROOT, counters
from lab.debian import ENTER, as_root, cache, not_installed
from lab.programs import Build, clean_environment
from tests.places.openssl.verdicts import tap_cases

NGINX, MODULES = "/usr/sbin/nginx", "/usr/lib/nginx/modules"
# The tests load every module that `nginx -V` names as dynamic.
OF_NGINX = ("http-geoip", "http-image-filter", "http-perl", "http-xslt-filter", "mail", "stream", "stream-geoip")
PACKAGES = ("nginx", *(f"libnginx-mod-{name}" for name in OF_NGINX), "libjansson4", "openssl", "python3", "perl",
            "libio-socket-ssl-perl", "libcryptx-perl")
SPEAKS_OF_TLS = re.compile(r"_ssl\b|http_v3|\bquic\b")
SECONDS = 300  # for one file
TRIES = 3


class Nothing(Exception):
    """There is nothing to compare; the text says why."""


@dataclass
class Side:
    name: str
    folder: Path
    build: Build | None  # None: stock
    patched: Path | None  # an nginx with `ssl_async`

    def binary(self) -> Path:
        """What the tests start as nginx."""
        if self.patched or self.build is None:
            return self.patched or Path(NGINX)
        path = self.folder / "nginx"
        path.write_text(f'#!/bin/sh\nexec {shlex.quote(str(self.build.octuple))} run -- {NGINX} "$@"\n')
        path.chmod(0o755)
        return path

    def environment(self, counted: Path) -> dict[str, str]:
        env = {**clean_environment(), "TEST_NGINX_BINARY": str(self.binary()), "TEST_NGINX_MODULES": MODULES,
               "PERL5LIB": "lib", "LC_ALL": "C"}
        if os.geteuid() == 0:
            env["TEST_NGINX_GLOBALS"] = "user root;"  # the tests' folders are for their owner alone
        if self.build:
            env["OCTUPLE_COUNTERS"] = str(counted)
        if self.build and self.patched:
            from tests.servers.common.rig import write_openssl_conf  # its psutil is not in other Debians' folders
            env["OPENSSL_CONF"] = str(write_openssl_conf(self.folder, self.build))
            env |= {f"TEST_NGINX_GLOBALS_{which}": "ssl_async on;" for which in ("HTTP", "STREAM")}
        return env


@dataclass
class Result:
    cases: dict[str, str]
    end: str
    operations: int


@dataclass
class Outcome:
    """A file on both sides."""

    file: str
    stock: Result
    operations: int
    differences: list[str]


def run(side: Side, source: Path, file: str) -> Result:
    with tempfile.TemporaryDirectory(dir=side.folder) as name:
        counted = Path(name)
        child = subprocess.Popen(["perl", file], cwd=source, env=side.environment(counted), text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 start_new_session=True)
        try:
            said, _ = child.communicate(timeout=SECONDS)
            end = f"exit {child.returncode}"
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            said, _ = child.communicate()
            end = "timeout"
        operations = sum(count.all for path in counted.glob("*.octuple") for count in counters.read(path).values())
    return Result(tap_cases(said), end, operations)


def differences(stock: Result, ours: Result) -> list[str]:
    found = [f"{case}: {stock.cases.get(case, 'did not run')} without, {ours.cases.get(case, 'did not run')} with"
             for case in {**stock.cases, **ours.cases} if stock.cases.get(case) != ours.cases.get(case)]
    if stock.end != ours.end:
        found.append(f"end: {stock.end} without, {ours.end} with")
    return found


def compare(sides: tuple[Side, Side], source: Path, file: str) -> Outcome:
    """What differs every time, by the names of the cases."""
    operations, lasting = 0, None
    for _ in range(TRIES):
        stock, ours = (run(side, source, file) for side in sides)
        operations = max(operations, ours.operations)
        found = differences(stock, ours)
        lasting = found if lasting is None else [one for one in found if one in lasting]
        if not lasting:
            break
    return Outcome(file, stock, operations, lasting)


def files(source: Path, only: str | None) -> list[str]:
    found = [path.name for path in sorted(source.glob("*.t"))
             if (re.search(only, path.name) if only else SPEAKS_OF_TLS.search(path.read_text(errors="replace")))]
    if not found:
        raise Nothing(f"no test in {source}" + (f" is called {only}" if only else ""))
    return found


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/servers/run nginx", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="the build folder of Octuple")
    parser.add_argument("--source", type=Path, required=True, help="a checkout of nginx-tests")
    parser.add_argument("--only", metavar="PATTERN", help="the files in whose names this pattern is found")
    parser.add_argument("--release", help="the Debian whose nginx is tested (default: this one)")
    parser.add_argument("--async", type=Path, dest="patched", metavar="NGINX",
                        help="an nginx with `ssl_async`, which is tested instead of Debian's")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files at a time (default: one per CPU)")
    return parser.parse_args()


def enter(args: argparse.Namespace) -> None:
    """The same inside that Debian; never returns."""
    words = [word for flag in ("build", "source") for word in (f"--{flag}", str(getattr(args, flag).resolve()))]
    words += ["--only", args.only] if args.only else []
    seen = [word for folder in (args.build, args.source) for word in ("--see", str(folder.resolve()))]
    command = [*as_root(), str(ENTER), "--install", " ".join(PACKAGES), *seen, str(cache()), args.release, "env",
               f"PYTHONPATH={ROOT}", "PYTHONDONTWRITEBYTECODE=1", "python3", "-m", "tests.servers.nginx", *words,
               "--jobs", str(args.jobs)]
    os.execvpe(command[0], command, clean_environment())


def report(outcomes: list[Outcome]) -> int:
    print(f"{'file':<40} {'cases':>6} {'operations':>10} {'differ':>6}  stock's end")
    for one in outcomes:
        cases, differ = len(one.stock.cases), len(one.differences)
        print(f"{one.file:<40} {cases:>6} {one.operations:>10} {differ:>6}  {one.stock.end}")
        for difference in one.differences:
            print(f"  {difference}")
    different = sum(bool(one.differences) for one in outcomes)
    if not any(one.operations for one in outcomes):
        raise Nothing("no operation was counted with Octuple")
    print(f"{len(outcomes) - different} passed, {different} failed")
    return 1 if different else 0


def main() -> int:
    args = arguments()
    build = Build(args.build.resolve())
    if build.missing():
        raise Nothing(f"{build.missing()[0]} is not there; build it first")
    chosen = files(args.source, args.only)
    if args.release:
        enter(args)
    if missing := not_installed(PACKAGES):
        raise Nothing(f"install Debian's {' '.join(missing)} first")
    with tempfile.TemporaryDirectory(prefix="octuple-nginx-tests.") as name:
        patched = args.patched.resolve() if args.patched else None
        sides = tuple(Side(which, Path(name) / which, one, patched)
                      for which, one in (("stock", None), ("octuple", build)))
        for side in sides:
            side.folder.mkdir()
        with ThreadPoolExecutor(args.jobs) as pool:
            outcomes = list(pool.map(lambda file: compare(sides, args.source.resolve(), file), chosen))
    return report(outcomes)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Nothing as error:
        print(f"nginx: {error}", file=sys.stderr)
        sys.exit(2)
