# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/run trace`: what `octuple trace` costs the server that it watches, and whether it counts right.

Two of the same nginx run all the time on one CPU, each with a copy of OpenSSL's libraries of its own: a probe stands in
a library's file, so only one of them meets it. They are loaded in turns, in short runs. What is compared is server CPU
for each handshake, which decides how many a second there can be: the median over the pairs of runs, and its quartiles.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.table import Table

from lab import load, machine
from lab.programs import Build, copy_libraries
from lab.servers.nginx import Nginx, ServerError, make_keys
from . import common, versus
from .arguments import new_file

TOOLS = ("latency", "snoop", "sniff")
HANDSHAKE = load.named("tls13-rsa2048")


class Tracer:
    """A running `octuple trace TOOL --json`. Use it in a `with` statement; its lines are there afterwards."""

    def __init__(self, build: Build, tool: str, pid: int, folder: Path, *options: str):
        self.command = [str(build.octuple), "trace", tool, "--pid", str(pid), "--json", *options]
        self.out, self.err = folder / f"{tool}.out", folder / f"{tool}.err"
        self.lines: list[dict] = []

    def __enter__(self) -> Self:
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.child = subprocess.Popen(self.command, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while ": tracing" not in self.err.read_text():
            if self.child.poll() is not None or time.monotonic() > deadline:
                self.child.kill()
                raise ServerError(self.err.read_text().strip())
            time.sleep(0.02)
        return self

    def __exit__(self, *_exception) -> None:
        self.child.send_signal(signal.SIGINT)
        self.child.wait(60)
        self.lines = [json.loads(line) for line in self.out.read_text().splitlines()]

    def handshakes(self) -> int:
        """How many handshake calls succeeded."""
        if "functions" in self.lines[-1]:
            return sum(row["ok"]["count"] for row in self.lines[-1]["functions"]
                       if row["function"] == "SSL_do_handshake")
        return sum(line["function"] == "SSL_do_handshake" and (line["result"] or 0) > 0 for line in self.lines)


def sample(server: Nginx, place: machine.Placement, build: Build, seconds: float) -> tuple[int, float]:
    """Completed handshakes, and server CPU for each in microseconds."""
    before = sum(server.cpu_times())
    report = load.run(build.load, server.ports[HANDSHAKE.key], place.client, HANDSHAKE, connections=64, seconds=seconds)
    time.sleep(versus.SETTLE)
    if report["failed_total"] or not report["completed"]:
        raise ServerError(f"{server.name}: {report['first_failure'] or 'no handshake was completed'}; {server.said()}")
    return report["completed"], (sum(server.cpu_times()) - before) * 1e6 / report["completed"]


def overhead(plain: list[float], traced: list[float]) -> dict:
    """In per cent: median and quartiles over the pairs of runs."""
    ratios = [100 * (after / before - 1) for before, after in zip(plain, traced)]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    return {"overhead_percent": round(middle, 1), "overhead_quartiles": [round(low, 1), round(high, 1)]}


def measure_tool(tool: str, variant: str, folder: Path, build: Build, options: argparse.Namespace) -> dict:
    place = machine.place()
    names = ("plain", "traced")
    servers = {name: Nginx(name, folder / name, folder.parent / "keys", [HANDSHAKE.key], place.server,
                           build if variant == "octuple" else None) for name in names}
    for name, server in servers.items():
        server.settings["LD_LIBRARY_PATH"] = str(copy_libraries(folder / name / "libraries"))
    cpu: dict[str, list[float]] = {name: [] for name in names}
    completed = 0
    with servers["plain"], servers["traced"]:
        for server in servers.values():
            sample(server, place, build, options.seconds)
        with Tracer(build, tool, servers["traced"].master.pid, folder) as tracer:
            for number in range(options.rounds):
                for name in versus.order(number, names):
                    count, cost = sample(servers[name], place, build, options.seconds)
                    cpu[name].append(cost)
                    completed += count if name == "traced" else 0
    return {"tool": tool, "server": variant, "plain_us": round(statistics.median(cpu["plain"]), 1),
            "traced_us": round(statistics.median(cpu["traced"]), 1),
            **overhead(cpu["plain"], cpu["traced"]), "completed": completed,
            "counted": tracer.handshakes(), "said": tracer.err.read_text()}


def run(folder: Path, build: Build, options: argparse.Namespace) -> dict:
    make_keys(folder / "keys", [HANDSHAKE.key])
    return {"handshake": HANDSHAKE.title, "results": [
        measure_tool(tool, variant, folder / f"{tool}-{variant}", build, options)
        for tool in options.tool or TOOLS for variant in versus.VARIANTS]}


def print_table(document: dict, console: Console) -> None:
    table = Table("tool", "nginx", "CPU us", "traced us", "overhead", "completed", "counted",
                  title=f"Server CPU for each handshake, {document['handshake']}", title_justify="left")
    for one in document["results"]:
        low, high = one["overhead_quartiles"]
        table.add_row(one["tool"], one["server"], f"{one['plain_us']:.0f}", f"{one['traced_us']:.0f}",
                      f"{one['overhead_percent']:.1f} % ({low:.1f} to {high:.1f})",
                      str(one["completed"]), str(one["counted"]))
    console.print(table)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run trace",
                                     description="What octuple trace costs the server that it watches, as it is and "
                                                 "under Octuple.")
    parser.add_argument("--json", metavar="FILE", type=new_file, help="write the numbers to FILE")
    parser.add_argument("--build-dir", metavar="DIR", type=Path, default=Path("build/release"),
                        help="the build to measure")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="only this tool; may be repeated")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=0.5, help="of one run")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    build = Build(options.build_dir.resolve())
    document = common.measured("trace", lambda folder: run(folder, build, options), options.json)
    if document is None:
        return 1
    print_table(document, Console())
    return 0


if __name__ == "__main__":
    sys.exit(main())
