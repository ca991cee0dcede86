# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Post-quantum handshakes between nginx under `octuple run` and other TLS stacks, in both directions.

Every stack takes each group that it shares with Octuple. A line says the stack, its side, the group, and `ok` or why
not. A stack that this machine lacks is SKIPPED. The exit status is 0 if all was ok, 1 if not, 77 if nothing could run.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.servers.interop import ours, stacks
from tests.servers.common import rig


def ask_nginx(site: ours.Site, stack: stacks.Stack, group: str) -> None:
    said = stack.client(group)
    ours.check_nginx(said, group)
    stacks.check_named(stack, said, group)


def serve_nginx(site: ours.Site, stack: stacks.Stack, group: str) -> None:
    with open(site.where / "server", "w+", encoding="utf-8", errors="replace") as heard:
        process = subprocess.Popen(stack.server(group), env=stack.env, stdin=subprocess.DEVNULL, stdout=heard,
                                   stderr=heard)
        try:
            rig.wait_port(site.peer, process)
            stacks.check_named(stack, site.fetch_through(group), group)
        finally:
            rig.end_process(process)


def judge(site: ours.Site, group: str, handshake: Callable[[], None]) -> str:
    """`ok`, or why not."""
    before = site.counted(group)
    try:
        handshake()
    except (ours.Failure, rig.LabError, OSError) as failure:
        return str(failure)
    return "ok" if site.counted(group) > before else "Octuple's counters have not seen it"


def try_stack(name: str, stack: stacks.Stack, site: ours.Site) -> bool:
    print(f"{name}: {stack.version}", flush=True)
    sides = {"client": ask_nginx} | ({"server": serve_nginx} if stack.server else {})
    good = bool(stack.groups)
    for side, handshake in sides.items():
        for group in stack.groups:
            verdict = judge(site, group, lambda: handshake(site, stack, group))
            print(f"  {name:12} {side:6} {group:18} {verdict}", flush=True)
            good = good and verdict == "ok"
    return good


def run(names: list[str], settings: stacks.Settings) -> list[bool]:
    """Whether each stack that could run was good."""
    results = []
    for name in names:
        try:
            results.append(try_stack(name, stacks.STACKS[name](settings), settings.site))
        except ours.Missing as reason:
            print(f"SKIPPED [interop] {name}: {reason}", flush=True)
        except ours.Failure as failure:
            print(f"  {name:12} cannot be tried: {failure}", flush=True)
            results.append(False)
    return results


def why_not() -> str:
    """Why nothing can run here; empty if something can."""
    said = subprocess.run(["openssl", "version"], capture_output=True, text=True, check=True).stdout
    if tuple(int(part) for part in said.split()[1].split(".")) < (3, 0, 10):
        return "this OpenSSL could take a group of TLS 1.3 for TLS 1.2"
    return "" if rig.has_lanes() else "without AVX2 `octuple run` starts servers as they are"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/servers/run interop", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/dev", help="the build folder")
    parser.add_argument("--only", action="append", choices=stacks.STACKS, help="this stack; may be repeated")
    parser.add_argument("--root", type=Path, help="a folder with a Debian 13 or later, for root-curl and root-openssl")
    return parser.parse_args()


def main() -> int:
    arguments = parse()
    if reason := why_not():
        print(f"interop: SKIPPED, {reason}")
        return 77
    where = rig.folder("interop")
    try:
        with ours.Site(rig.Build(Path(arguments.build).resolve()), where) as site:
            root = arguments.root and arguments.root.resolve()
            results = run(arguments.only or list(stacks.STACKS), stacks.Settings(site, root))
    except (ours.Failure, rig.LabError) as failure:
        print(f"interop: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    if not results:
        return 77
    print(f"interop: {'good' if all(results) else 'BAD'}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
