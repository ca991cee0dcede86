# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""200,000 handshakes with Tomcat and the Java binding, of all kinds of keys, one in twenty given up by its client.

After each round a line says how far it is and what the JVM holds. Fails on a handshake that did not complete, on an
operation that failed, or on memory that grows after the first half.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lab import java, load
from lab.programs import Build, clean_environment
from lab.servers import tomcat
from lab.servers.nginx import make_keys

KINDS = {"ecdsa-p256": 8, "rsa2048": 6, "ecdsa-p384": 2, "rsa4096": 1}  # shares of the handshakes
ABORTED = 5  # percent
MARGIN = 24 << 10  # KB that the JVM's own memory may move by: compiler, collector, arenas of malloc


def status(pid: int) -> dict[str, int]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith(("VmRSS", "Threads"))}


def shake(build: Build, port: int, kind: str, count: int, seed: int) -> dict:
    """The load generator's report on so many handshakes."""
    offered = next(one for one in load.HANDSHAKES + load.MORE_HANDSHAKES if one.key == kind and one.group == "X25519")
    done = subprocess.run(
        [build.load, "127.0.0.1", str(port), *offered.options, "--connections", "64", "--handshakes", str(count),
         "--abort", str(ABORTED), "--seed", str(seed), "--json"],
        capture_output=True, text=True, check=False, env=clean_environment())
    if done.returncode not in (0, 1):
        sys.exit(f"octuple-load: {done.stderr.strip()}")
    return json.loads(done.stdout)


def one_round(build: Build, server: tomcat.Tomcat, size: int, seed: int) -> tuple[int, int]:
    """Completed and failed handshakes."""
    completed = failed = 0
    for kind, share in KINDS.items():
        report = shake(build, server.ports[kind], kind, size * share // sum(KINDS.values()), seed)
        completed += report["completed"]
        failed += report["failed_total"]
        if report["failed_total"]:
            print(f"{kind}: {report['first_failure']}")
    return completed, failed


def run(options: argparse.Namespace, folder: Path) -> int:
    build = Build(options.build.resolve())
    make_keys(folder / "keys", list(KINDS))
    jar = java.jar(build.folder)
    jvm = [*tomcat.options("octuple", jar), "-Xmx96m", "-Xms96m", "-XX:+AlwaysPreTouch"]
    with tomcat.Tomcat(tomcat.build(build.folder), jvm, folder / "server", folder / "keys", list(KINDS),
                       os.sched_getaffinity(0), build) as server:
        completed = failed = number = 0
        memory: list[tuple[int, dict[str, int]]] = []
        while completed < options.handshakes:
            number += 1
            good, bad = one_round(build, server, options.round, number)
            completed, failed = completed + good, failed + bad
            memory.append((completed, status(server.child.pid)))
            held = memory[-1][1]
            print(f"{completed:>8} handshakes, {failed} failed, {held['VmRSS']:>7} KB, {held['Threads']} threads",
                  flush=True)
        operations = server.counters()
        print("".join(f"{name}: {one.done} in lanes, {one.failed} failed, {one.recomputed} again, batches "
                      f"{one.flushes}\n" for name, one in operations.items() if one.done))
        broken = sum(one.failed for one in operations.values())
        early = [held for at, held in memory if at <= options.handshakes / 2][-1:] or [memory[0][1]]
        grown = memory[-1][1]["VmRSS"] - early[0]["VmRSS"]
        print(f"memory since the first half: {grown:+} KB")
        return 1 if failed or broken or not operations or grown > MARGIN else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/dev"), help="the build folder")
    parser.add_argument("--handshakes", type=int, default=200_000, help="how many; default 200,000")
    parser.add_argument("--round", type=int, default=20_000, help="between two lines; default 20,000")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return run(options, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
