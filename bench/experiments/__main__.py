# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/experiment NAME`: measures an experiment, or all, into a folder with raw data and a report.

A run that was stopped goes on when it is started again.

Exit status: 0 it was measured, and what this machine or build cannot measure is left out with a reason (no AVX-512, no
uprobes); 1 something failed; 2 wrong usage, nothing built, or the folder holds another run; 3 nothing of it can be
measured here; 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from bench.measure import common as folders
from bench.measure.arguments import be_another_cpu, new_file, table_option
from bench.report import about, html, summary
from lab import machine
from lab.load import LoadError
from lab.programs import Build
from lab.servers.nginx import ServerError
from . import ALL, frame
from .trace import TraceError

DONE, FAILED, USAGE, UNAVAILABLE, INTERRUPTED = 0, 1, 2, 3, 130


def arguments(argv: list[str] | None) -> argparse.Namespace:
    listed = "\n".join(f"  {name:<14} {one.title}" for name, one in ALL.items())
    parser = argparse.ArgumentParser(prog="bench/experiment", formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__.split("\n")[0],
                                     epilog=f"Experiments:\n{listed}\n"
                                            "  all            every one of them, in this order\n\n"
                                     + "\n".join(__doc__.split("\n")[2:]))
    parser.add_argument("name", choices=[*ALL, "all"], metavar="NAME", help="see below")
    parser.add_argument("--quick", action="store_true",
                        help="fewer points and rounds: each in less than 90 seconds, storm in four minutes")
    parser.add_argument("--rounds", type=int, help="of each point, all sides in turns")
    parser.add_argument("--seconds", type=float,
                        help="of each side in each round (of `records`: turns, of `signers`: signatures)")
    parser.add_argument("--folder", type=Path,
                        help="where runs are kept, each in a folder of its own (default: build/experiments)")
    parser.add_argument("--forget", action="store_true", help=argparse.SUPPRESS)  # the folder is gone in the end
    parser.add_argument("--again", action="store_true", help="discard what is in the run's folder")
    parser.add_argument("--resume", action="store_true",
                        help="go on with the run that is in the folder, or fail; without it a new one may begin")
    parser.add_argument("--report", action="store_true", help="measure nothing, only write the report of what is there")
    parser.add_argument("--only", metavar="TEXT", default="",
                        help="measure only points that have this in their name, as the bar shows it")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write the run's results.json there too")
    parser.add_argument("--budget", type=float, metavar="MINUTES",
                        help="of all: leave out what would not end within it")
    parser.add_argument("--build-dir", type=Path, default=Path("build/release"),
                        help="the build to measure (default: build/release)")
    parser.add_argument("--table", **table_option())
    options = parser.parse_args(argv)
    if options.again and options.resume:
        parser.error("--again discards a run, --resume goes on with it")
    if options.json and options.name == "all":
        parser.error("--json is for one experiment; each has a results.json in its folder")
    if (options.rounds or 1) < 1 or (options.seconds or 1) <= 0:
        parser.error("--rounds is 1 or more, --seconds more than 0")
    return options


def size_of(experiment: frame.Experiment, options: argparse.Namespace) -> frame.Size:
    usual = experiment.quick if options.quick else experiment.full
    return frame.Size(options.rounds or usual.rounds, options.seconds or usual.seconds)


def expected_seconds(experiment: frame.Experiment, options: argparse.Namespace) -> float:
    return sum(point.seconds for point in experiment.points(size_of(experiment, options), options.quick))


def run_folder(experiment: frame.Experiment, options: argparse.Namespace) -> Path:
    name = "-".join(filter(None, (experiment.name, options.table, "quick" * options.quick)))
    return (options.folder or Path("build/experiments")) / name


def command_line(experiment: frame.Experiment, options: argparse.Namespace) -> str:
    """What repeats the run; which build and folder is everybody's own."""
    parts = ["bench/experiment", experiment.name] + ["--quick"] * options.quick
    for name in ("rounds", "seconds"):
        if getattr(options, name):
            parts += [f"--{name}", f"{getattr(options, name):g}"]
    parts += ["--table", options.table] if options.table else []
    return shlex.join(parts)


def print_tables(experiment: frame.Experiment, run: frame.Run, console: Console) -> None:
    for found in summary.tables(summary.of_records(run.records), experiment.pivots):
        table = Table(*found["head"], title=experiment.title, title_justify="left",
                      box=None, pad_edge=False, padding=(0, 1))
        for row in found["rows"]:
            table.add_row(*row)
        console.print(table)


def measure(experiment: frame.Experiment, run: frame.Run, size: frame.Size, points: list[frame.Point], build: Build,
            console: Console) -> list[str]:
    """With a bar of the time that it is to take; returns what could not be measured."""
    columns = (TextColumn("{task.description:<58}"), BarColumn(), TimeElapsedColumn(),
               TextColumn("about"), TimeRemainingColumn(), TextColumn("left"))
    with (folders.server_folder(experiment.name) as folder,
          Progress(*columns, console=console, transient=True) as progress):
        task = progress.add_task(experiment.name, total=sum(point.seconds for point in points))
        lab = frame.Lab(folder, build, machine.place(), size, run, points,
                        lambda what: progress.update(task, description=f"{experiment.name}: {what}"[:58]))
        return frame.measure_points(experiment, lab, lambda point: progress.advance(task, point.seconds))


def run_of(experiment: frame.Experiment, options: argparse.Namespace,
           points: list[frame.Point], build: Build) -> frame.Run:
    """The run that the options ask for: one to report, to go on with, or a new one."""
    folder = run_folder(experiment, options)
    if options.report:
        return frame.Run.read(folder)
    if options.resume and not (folder / "machine.json").exists():
        raise frame.ExperimentError(f"{folder} holds no run to go on with")
    described = about.describe(experiment, build, size_of(experiment, options), command_line(experiment, options))
    return frame.Run.begin(folder, described, points, options.again)


def write_results(experiment: frame.Experiment, run: frame.Run, missing: list[str], more: Path | None) -> None:
    """results.json, and the chart if there is one."""
    document = summary.results_file(run.about, experiment.results(run.records), missing + html.reasons(run.records))
    for path in filter(None, (run.folder / "results.json", more)):
        path.write_text(json.dumps(document, indent=1) + "\n")
    chart = experiment.chart(summary.of_records(run.records))
    if chart:
        (run.folder / "ratios.svg").write_text(chart)


def show(experiment: frame.Experiment, run: frame.Run, missing: list[str], left: int, console: Console,
         forget: bool) -> None:
    """The report, and the same in short."""
    report = html.write(experiment, run, missing, left)
    print_tables(experiment, run, console)
    for warning in html.warnings(run, missing, left):
        console.print(f"Note: {warning}", style="yellow", highlight=False, markup=False, soft_wrap=True)
    if not forget:
        console.print(f"Report: {report}", highlight=False, soft_wrap=True)


def one(experiment: frame.Experiment, options: argparse.Namespace, console: Console) -> int:
    """One experiment from its folder to its report."""
    size, build = size_of(experiment, options), Build(options.build_dir.resolve())
    points = experiment.points(size, options.quick)
    run = run_of(experiment, options, points, build)
    missing: list[str] = []
    try:
        if not options.report:
            missing = measure(experiment, run, size, [point for point in points if options.only in point.name],
                              build, console)
    finally:  # what was measured is shown, whatever happened
        write_results(experiment, run, missing, options.json)
        left = sum(run.record(point.key) is None for point in points) - len(missing)
        show(experiment, run, missing, left, console, options.forget)
    if any(record.get("notes", {}).get("failed") for record in run.records):
        return FAILED
    return UNAVAILABLE if missing and not run.records else DONE


def guarded(experiment: frame.Experiment, options: argparse.Namespace, console: Console) -> int:
    """With every expected failure told in a line."""
    try:
        return one(experiment, options, console)
    except frame.ExperimentError as error:
        status = USAGE
        said = error
    except (ServerError, LoadError, TraceError, OSError, subprocess.SubprocessError) as error:
        status = FAILED
        said = error
    print(f"bench/experiment: {experiment.name}: {said}", file=sys.stderr)
    return status


def every(options: argparse.Namespace, console: Console) -> int:
    """All within the budget. A failure is that of the whole; what cannot be measured here is left out."""
    began, statuses = time.monotonic(), []
    for experiment in ALL.values():
        left = (options.budget or float("inf")) * 60 - (time.monotonic() - began)
        seconds = expected_seconds(experiment, options)
        if seconds > left:
            console.print(f"{experiment.name}: left out, as it takes about {seconds / 60:.1f} minutes", style="yellow")
            continue
        statuses.append(guarded(experiment, options, console))
    order = (FAILED, USAGE, DONE, UNAVAILABLE)
    return next((status for status in order if status in statuses), DONE)


def stop(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    if options.table:
        be_another_cpu(options.table)
    missing = Build(options.build_dir.resolve()).missing()
    if missing and not options.report:
        print(f"bench/experiment: not built: {', '.join(str(path) for path in missing)}", file=sys.stderr)
        return USAGE
    console = Console()
    if not console.is_terminal:  # a log: tables are not folded to a width that nobody has
        console = Console(width=160)
    signal.signal(signal.SIGTERM, stop)
    try:
        return every(options, console) if options.name == "all" else guarded(ALL[options.name], options, console)
    except KeyboardInterrupt:
        without = " without --again" if options.again else ""
        print(f"bench/experiment: stopped; the same command{without} goes on from here", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
