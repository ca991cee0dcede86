# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What a server's other calls cost beside many half-open connections, stock and with Octuple: it only measures.

    tests/servers/run crowd --build build/dev [--counts 100 20000] [--rounds 3]

For each call and count: microseconds of CPU, stock's and with Octuple, and their ratio. "flat" is what the largest
count costs with Octuple, by what the smallest does. Each figure is the least of all rounds.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from tests.servers.common import credentials, rig

SECONDS = 600


def measure(build: rig.Build, count: int, keys: Path, where: Path, octuple: bool) -> dict[str, float]:
    env = rig.shim_environment(where, build) if octuple else rig.clean_environment()
    done = subprocess.run([str(build.folder / "bin/octuple_program_crowd"), str(count), str(keys)], env=env,
                          capture_output=True, text=True, check=False, timeout=SECONDS)
    if done.returncode:
        raise rig.LabError(f"with {count} connections it ended with {done.returncode}: {done.stderr}{done.stdout}")
    return json.loads(done.stdout)


def least(before: dict[str, float], more: dict[str, float]) -> dict[str, float]:
    return {name: min(value, before.get(name, value)) for name, value in more.items()}


def show(counts: list[int], found: dict[tuple[int, bool], dict[str, float]]) -> None:
    real = [found[count, True]["half-open"] for count in counts]  # the limit of descriptors may forbid more
    print(f"{'microseconds':<20}" + "".join(f"{f'stock, {n}':>14}{f'Octuple, {n}':>16}{'ratio':>8}" for n in real)
          + f"{'flat':>8}")
    for name in list(found[counts[0], False])[1:]:
        line = f"{name:<20}"
        for count in counts:
            stock, octuple = found[count, False][name], found[count, True][name]
            line += f"{stock:14.2f}{octuple:16.2f}{octuple / stock:8.2f}"
        print(line + f"{found[counts[-1], True][name] / found[counts[0], True][name]:8.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/dev", help="the build folder")
    parser.add_argument("--counts", type=int, nargs="+", default=[100, 20000], help="half-open connections")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    build, where = rig.Build(Path(arguments.build).resolve()), rig.folder("crowd")
    found: dict[tuple[int, bool], dict[str, float]] = {}
    try:
        keys = credentials.make_keys(where / "keys", credentials.KINDS[:1])
        for _ in range(arguments.rounds):
            for count in arguments.counts:
                for octuple in (False, True):
                    found[count, octuple] = least(found.get((count, octuple), {}),
                                                  measure(build, count, keys, where, octuple))
    except rig.LabError as error:
        print(f"crowd: {error}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    show(arguments.counts, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
