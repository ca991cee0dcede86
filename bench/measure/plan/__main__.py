# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/run plan`: how many handshakes machines make under Octuple, and how few workers to set so that lanes fill.

    bench/run plan measure --json COSTS.json      what handshakes cost here, from a run of less than a minute
    bench/run plan for --costs COSTS.json --rate 20000 --cores 8 [--nodes 2] [--svg FILE]
    bench/run plan check --json FILE              the model beside measured runs
    bench/run plan settings --json FILE           what fewer workers, one queue and accept batching give
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.measure import common
from bench.measure.arguments import new_file
from bench.report import about, page
from lab import machine
from lab.programs import Build
from lab.servers.nginx import find_nginx
from . import forecast, measured, picture
from .costs import Costs
from .measured import LOW, Lab, Point
from .model import mean_fill, simulate
from .workers import Setting

HANDSHAKES = ("tls13-rsa2048", "tls13-ecdsa-p256")
ONE = Setting()
CHECKED = (Point("tls13-rsa2048", ONE, 60), Point("tls13-rsa2048", ONE, 75),
           Point("tls13-rsa2048", Setting(2), 50), Point("tls13-rsa2048", Setting(4), 60),
           Point("tls13-ecdsa-p256", ONE, 60), Point("tls13-ecdsa-p256", Setting(2), 50))
SETTINGS = (Setting(4), Setting(4, "shared"), Setting(4, "shared", True), Setting(4, "mutex", True), Setting(2), ONE,
            Setting(1, batch=True))
SETTING_LOADS = (40, 70)


def calibration(handshakes: tuple[str, ...]) -> list[Point]:
    return [Point(name, ONE, percent) for name in handshakes for percent in (100, LOW)]


def costs_of(lab: Lab, seen: dict[Point, measured.Seen], handshakes: tuple[str, ...]) -> dict[str, Costs]:
    names = [measured.EXCHANGE, *(measured.load.named(name).operation for name in handshakes)]
    speed = lab.speeds(names)
    return {name: measured.calibrated(name, seen[Point(name, ONE, 100)], seen[Point(name, ONE, LOW)], speed)
            for name in handshakes}


def values_of(point: Point, seen: measured.Seen) -> dict[str, float]:
    operation = seen.of(measured.load.named(point.handshake).operation)
    runs = max(1, sum(operation.flushes) + operation.fallback)
    return {"CPU of a handshake": seen.cpu_us, "operations in a run": mean_fill(operation.flushes, operation.fallback),
            "p50": seen.p50, "p99": seen.p99, "handshakes": seen.rate, "alone, %": 100 * operation.fallback / runs,
            "two, %": 100 * operation.flushes[1] / runs}


def row(point: Point, rounds: list[measured.Seen], predicted: list[dict[str, float]] = ()) -> dict:
    """As the figures of documents are found: a key, and metrics with a median for each side. How far a prediction is
    off is the median over the rounds, each with costs of its own."""
    values = [values_of(point, seen) for seen in rounds]
    metrics = {}
    for name in values[0]:
        median = {"measured": statistics.median(value[name] for value in values)}
        if predicted and name in predicted[0]:
            median["predicted"] = statistics.median(one[name] for one in predicted)
            off = [100 * (one[name] / value[name] - 1) for one, value in zip(predicted, values)]
            median["off, %"] = statistics.median(off)
        metrics[name] = {"median": {side: round(value, 2) for side, value in median.items()}}
    return {"key": {"handshake": point.handshake, "setting": point.setting.name, "load, %": point.percent},
            "metrics": metrics, "failed": sum(seen.failed for seen in rounds),
            "rounds_cpu_us": [round(seen.cpu_us, 1) for seen in rounds]}


def predict(costs: Costs, point: Point, rate: float) -> dict[str, float]:
    out = simulate(costs, rate, point.setting.workers, shared=point.setting.accept != "reuseport",
                   multi_accept=point.setting.batch)
    return {"CPU of a handshake": out.cpu_us, "operations in a run": out.mean_fill(), "p50": out.quantile(0.5),
            "p99": out.quantile(0.99)}


def show(rows: list[dict], console: Console) -> None:
    names = ("CPU of a handshake", "operations in a run", "p50", "p99")
    table = Table("handshake", "setting", "load, %", *names, title="measured, and (predicted)", title_justify="left")
    for one in rows:
        cells = []
        for name in names:
            median = one["metrics"][name]["median"]
            more = f" ({median['predicted']:.4g}: {median['off, %']:+.1f} %)" if "predicted" in median else ""
            cells.append(f"{median['measured']:.4g}{more}")
        table.add_row(*(str(part) for part in one["key"].values()), *cells)
    console.print(table)


def document(lab: Lab, rows: list[dict], costs: dict[str, Costs], command: str) -> dict:
    info = about.octuple_info(lab.build)
    return {"experiment": "plan", "command": command, "rounds": lab.rounds, "seconds": lab.seconds,
            "machine": machine.describe(lab.place, find_nginx(), info.get("version", "")),
            "costs": {name: one.as_dict() for name, one in costs.items()}, "points": rows}


def run_measure(folder: Path, options: argparse.Namespace) -> dict:
    lab = Lab(folder, options.build, calibration(HANDSHAKES), options.rounds, options.seconds)
    costs = costs_of(lab, lab.run(), HANDSHAKES)
    return document(lab, rows_of(lab, lab.points), costs, "bench/run plan measure")


def rows_of(lab: Lab, points: Iterable[Point]) -> list[dict]:
    return [row(point, [seen[point] for seen in lab.rounds_seen()]) for point in points]


def run_check(folder: Path, options: argparse.Namespace) -> dict:
    """Every round has its own calibration, so that quick and slow phases of the machine meet both sides."""
    lab = Lab(folder, options.build, [*calibration(HANDSHAKES), *CHECKED], options.rounds, options.seconds)
    medians = costs_of(lab, lab.run(), HANDSHAKES)
    rounds = lab.rounds_seen()
    costs = [costs_of(lab, seen, HANDSHAKES) for seen in rounds]
    rows = rows_of(lab, calibration(HANDSHAKES))
    for point in CHECKED:
        predicted = [predict(one[point.handshake], point, seen[point].rate) for one, seen in zip(costs, rounds)]
        rows.append(row(point, [seen[point] for seen in rounds], predicted))
    return document(lab, rows, medians, "bench/run plan check")


def run_settings(folder: Path, options: argparse.Namespace) -> dict:
    name = HANDSHAKES[0]
    points = [Point(name, ONE, 100), *(Point(name, setting, load) for load in SETTING_LOADS for setting in SETTINGS)]
    lab = Lab(folder, options.build, points, options.rounds, options.seconds)
    lab.run()
    return document(lab, rows_of(lab, points), {}, "bench/run plan settings")


def run_for(options: argparse.Namespace, console: Console) -> int:
    measured_here = json.loads(options.costs.read_text())
    costs = {name: Costs.of(values) for name, values in measured_here["costs"].items()}
    found = forecast.plan(costs[options.handshake], options)
    forecast.show(found, console)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    if options.svg:
        options.svg.write_text(picture.svg(costs, measured_here["points"]))
    return 0


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run plan", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run in (("measure", run_measure), ("check", run_check), ("settings", run_settings)):
        one = commands.add_parser(name)
        one.set_defaults(run=run)
        one.add_argument("--build-dir", type=Path, default=Path("build/release"))
        one.add_argument("--rounds", type=int, default=3)
        one.add_argument("--seconds", type=float, default=1.0)
        one.add_argument("--json", type=new_file)
    plan = commands.add_parser("for")
    plan.add_argument("--costs", type=Path, required=True)
    plan.add_argument("--handshake", choices=HANDSHAKES, default=HANDSHAKES[0])
    plan.add_argument("--rate", type=float, required=True, help="handshakes a second of all nodes")
    plan.add_argument("--cores", type=int, default=1, help="of one node")
    plan.add_argument("--nodes", type=int, default=1)
    plan.add_argument("--busy", type=float, default=70, help="%% of its core that a worker may use; default 70")
    plan.add_argument("--json", type=new_file, help="write the plan there")
    plan.add_argument("--svg", type=new_file, help="draw the costs' model and measured points there")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    console = Console(width=150)
    if options.command == "for":
        return run_for(options, console)
    options.build = Build(options.build_dir.resolve())
    found = common.measured("plan", lambda folder: options.run(folder, options), None)
    if found is None:
        return 1
    if options.json:
        options.json.write_text(page.as_text(found))
    show(found["points"], console)
    for name, costs in found["costs"].items():
        console.print(name, costs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
