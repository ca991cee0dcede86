# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server on tokio and OpenSSL, stock and under `octuple run`: TLS 1.3 with RSA-2048 on 64 connections.

Its BIO hides the socket, and tokio registers a socket before it reads from it. The server is one of tokio-openssl, or
of pingora, whose threads have a runtime each (work_stealing false; OCTUPLE_LOOPS=stay says so). cargo builds it into
the build folder. The two sides run in turns, --rounds times each; what counts is the CPU time of the server per
handshake.

With one thread, nine of ten RSA operations have to run in lanes. With several threads nothing may fail.
The exit status is 0 if that was so, 1 if not, 77 if the server cannot be built here. Times are printed, not judged.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
from lab import cargo, load, process
from lab.servers.nginx import make_keys
from tests.servers.common import rig

SERVERS = {"tokio": HERE / "server", "pingora": HERE / "pingora"}
HANDSHAKE = load.named("tls13-rsa2048")
LANES_WANTED = 0.9
SIDES = ("stock", "octuple")


class Failure(Exception):
    """The test cannot go on; the text says why."""


@dataclass
class Figures:
    """Of one side, over all rounds."""

    handshakes: int = 0
    failed: int = 0
    cpu: list[float] = field(default_factory=list)  # microseconds per handshake
    in_lanes: int = 0
    operations: int = 0


def built(build: rig.Build, name: str) -> Path:
    done = cargo.run(build.folder, "build", "--release", "--locked", workspace=SERVERS[name],
                     OPENSSL_NO_VENDOR="1")  # pingora's crates would link an OpenSSL of their own
    if done.returncode:
        raise Failure(done.stderr.strip())
    return build.folder / f"cargo/release/{name}-server"


def start(server: Path, build: rig.Build, side: str, where: Path, threads: int, cpus: set[int]) -> tuple:
    port = rig.free_ports(1)[0]
    environment = rig.clean_environment()
    counters = where / f"counters-{side}"
    counters.mkdir(exist_ok=True)
    command = [str(server), str(port), str(where / "keys/rsa2048.crt"), str(where / "keys/rsa2048.key"), str(threads)]
    if side == "octuple":
        command = [str(build.octuple), "run", "--", *command]
        if server.name == "pingora-server":
            environment["OCTUPLE_LOOPS"] = "stay"
        environment["OCTUPLE_COUNTERS"] = str(counters)
    child = subprocess.Popen(command, env=environment, preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    rig.wait_port(port, child)
    return child, port, counters


def one_round(child: subprocess.Popen, port: int, build: rig.Build, seconds: float, cpu: int, figures: Figures) -> None:
    before = process.cpu_times(child.pid)[0]
    report = load.run(build.load, port, cpu, HANDSHAKE, connections=64, seconds=seconds)
    used = process.cpu_times(child.pid)[0] - before
    figures.handshakes += report["completed"]
    figures.failed += report["failed_total"]
    figures.cpu.append(used * 1e6 / max(1, report["completed"]))


def measure(server: Path, build: rig.Build, where: Path, threads: int, options: argparse.Namespace) -> dict:
    cpus = sorted(os.sched_getaffinity(0))
    on = {cpus[0]} if threads == 1 else set(cpus)
    figures = {side: Figures() for side in SIDES}
    running = {}
    try:
        for side in SIDES:
            running[side] = start(server, build, side, where, threads, on)
        while len(figures["octuple"].cpu) < options.rounds or figures["octuple"].handshakes < options.handshakes:
            for side in SIDES:
                one_round(*running[side][:2], build, options.seconds, cpus[-1], figures[side])
        counted = rig.read_counters(running["octuple"][2])["rsa2048-private"]
    finally:
        for child, _, _ in running.values():
            rig.end_process(child)
    figures["octuple"].in_lanes, figures["octuple"].operations = counted.done, counted.all
    return figures


def row(name: str, threads: int, figures: dict[str, Figures]) -> dict:
    """The same for a file: sums, and of each round the CPU time of both sides in microseconds per handshake."""
    stock, ours = figures["stock"], figures["octuple"]
    return {"server": name, "threads": threads, "handshakes": ours.handshakes, "failed": ours.failed,
            "stock_failed": stock.failed, "in_lanes": ours.in_lanes, "operations": ours.operations,
            "cpu_us": [[round(one, 1) for one in pair] for pair in zip(stock.cpu, ours.cpu)]}


def joined(before: list[dict], rows: list[dict]) -> list[dict]:
    """With what the file has of the same server: one row for all its runs."""
    result = {(one["server"], one["threads"]): one for one in before}
    for one in rows:
        other = result.get(place := (one["server"], one["threads"]), {})
        sums = {name: value + other[name] for name, value in one.items() if name not in ("server", "threads") and other}
        result[place] = one | sums
    return list(result.values())


def say(name: str, threads: int, figures: dict[str, Figures]) -> bool:
    stock, ours = figures["stock"], figures["octuple"]
    share = ours.in_lanes / max(1, ours.operations)
    ratio = statistics.median(a / b for a, b in zip(stock.cpu, ours.cpu))
    print(f"{name}: {threads} thread{'s' if threads > 1 else ''}: {ours.handshakes} handshakes, {ours.failed} failed, "
          f"{share:.3f} of {ours.operations} operations in lanes, CPU {statistics.median(stock.cpu):.0f} -> "
          f"{statistics.median(ours.cpu):.0f} us ({ratio:.2f}x)", flush=True)
    good = ours.handshakes > 0 and ours.failed == 0 and stock.failed == 0
    return good and (threads > 1 or share >= LANES_WANTED)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/servers/run tokio", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build/dev"), help="the build folder")
    parser.add_argument("--server", choices=SERVERS, default="tokio")
    parser.add_argument("--threads", type=int, action="append",
                        help="worker threads; 1: tokio's current-thread runtime; may be repeated; default: 1 and 2")
    parser.add_argument("--rounds", type=int, default=5, help="of each side")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each round")
    parser.add_argument("--handshakes", type=int, default=0, metavar="N",
                        help="more rounds, until so many were made under Octuple")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the figures to those in FILE")
    return parser.parse_args()


def main() -> int:
    options = parse()
    build, name = rig.Build(options.build.resolve()), options.server
    reason = cargo.why_not(build.folder, SERVERS[name])
    if reason or not rig.has_lanes():
        reason = reason or "without AVX2 nothing runs in lanes"
        print(f"{name}: SKIPPED, {reason}")
        return 77
    where = rig.folder("tokio")
    try:
        make_keys(where / "keys", ["rsa2048"])
        server = built(build, name)
        figures = {threads: measure(server, build, where, threads, options) for threads in options.threads or [1, 2]}
    except (Failure, rig.LabError, load.LoadError) as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    good = [say(name, threads, measured) for threads, measured in figures.items()]
    if options.json:
        before = json.loads(options.json.read_text()) if options.json.exists() else []
        rows = joined(before, [row(name, *item) for item in figures.items()])
        options.json.write_text(json.dumps(rows) + "\n")
    print(f"{name}: {'good' if all(good) else 'BAD'}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
