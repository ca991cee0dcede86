# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What all experiments have in common: points to measure, sides in turns, and a folder that keeps every measured point.

An experiment is a list of points; a point is measured for all its sides in turns and then appended to points.jsonl as
one line. So an interrupted run has lost one point at most, and goes on with the next when it is started again in the
same folder, on the same machine, with the same programs and sizes; anything else in that folder is an error and never
mixed in.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from bench.measure import versus
from bench.measure.versus import STOCK, rounded
from lab import machine
from lab.programs import Build, clean_environment
from lab.servers.nginx import ServerError

NOT_SERVED = 77  # a program's status: Octuple does not serve that here


class ExperimentError(Exception):
    """A run cannot begin or go on; the text says why and what helps."""


class Unavailable(Exception):
    """This machine or build cannot measure that; the text says what is missing."""


@dataclass(frozen=True)
class Size:
    """How much is measured of each point: rounds of all sides, and seconds of one side in one round."""

    rounds: int
    seconds: float


@dataclass(frozen=True)
class Point:
    """What tells it from the others, and about how many seconds it takes."""

    key: dict
    seconds: float

    @property
    def name(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.key.items())


class Run:
    """The folder of one run: machine.json, points.jsonl, and what reports are made of them."""

    def __init__(self, folder: Path, about: dict):
        self.folder, self.about = folder, about
        self.data = folder / "points.jsonl"
        self.records: list[dict] = read_records(self.data)

    @classmethod
    def begin(cls, folder: Path, about: dict, points: list[Point], again: bool = False) -> "Run":
        """A new run, or the one in this folder to go on with; one that has all points already stays as it is."""
        folder.mkdir(parents=True, exist_ok=True)
        known = folder / "machine.json"
        if known.exists() and not again:
            sessions = same_run(json.loads(known.read_text()), about, folder)
            before = cls.read(folder)
            if all(before.record(point.key) for point in points):
                return before
            about["sessions"] = sessions + about["sessions"]
        else:
            (folder / "points.jsonl").unlink(missing_ok=True)
        known.write_text(json.dumps(about, indent=1) + "\n")
        return cls(folder, about)

    @classmethod
    def read(cls, folder: Path) -> "Run":
        """What a folder holds, to report it."""
        try:
            return cls(folder, json.loads((folder / "machine.json").read_text()))
        except (OSError, ValueError) as error:
            raise ExperimentError(f"{folder} holds no run of an experiment: {error}") from error

    def record(self, key: dict) -> dict | None:
        return next((record for record in self.records if record["key"] == key), None)

    def append(self, record: dict) -> None:
        with self.data.open("a") as file:
            file.write(json.dumps(record) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.records.append(record)


def read_records(path: Path) -> list[dict]:
    """All whole lines. A last one without its end was being written when the run was stopped: it is cut off."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[:data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        path.write_bytes(whole)
    return [json.loads(line) for line in whole.splitlines()]


def same_run(before: dict, now: dict, folder: Path) -> list[dict]:
    """The sessions of a run that may be gone on with."""
    differing = [name for name in ("experiment", "size", "identity") if before.get(name) != now[name]]
    if "identity" in differing:
        old, new = before.get("identity", {}), now["identity"]
        differing = [f"{name} (was {old.get(name)!r}, is {value!r})"
                     for name, value in new.items() if old.get(name) != value]
    if differing:
        raise ExperimentError(f"{folder} holds another run, that differs in {', '.join(differing)}: --again discards "
                              "it, --folder keeps both")
    return before["sessions"]


@dataclass
class Lab:
    """What an experiment gets: a folder for its servers, the build, CPUs, how much to measure,
    and what is measured already."""

    folder: Path
    build: Build
    place: machine.Placement
    size: Size
    run: Run
    points: list[Point]
    tell: Callable[[str], None] = lambda what: None


Measure = Callable[[Point], dict]


class Experiment:
    """One experiment. `opened` starts what points need and yields what measures one:
    it returns metrics, and perhaps notes."""

    name = title = about = ""
    full, quick = Size(5, 1.0), Size(1, 0.5)
    pivots: tuple[str, ...] = ()  # parts of keys that tables have as columns
    main_metric = ""  # results of this one go by their point's name alone
    every_metric = False  # whether a run is summed up by all metrics of its points, not by the first of each
    summed_up: dict = {}  # a run is summed up by points with this in their keys
    within = 90, 400  # seconds for quick and for full runs

    def points(self, size: Size, quick: bool) -> list[Point]:
        raise NotImplementedError

    def opened(self, lab: Lab) -> AbstractContextManager[Measure]:
        raise NotImplementedError

    def pictures(self, records: list[dict]) -> dict:
        """HTML of pictures, by what they show."""
        from bench.report import pictures

        return pictures.ratios(records)

    def sentence(self, points: list[dict]) -> str:
        """What came out, of the points of a summary; it stands above all else on the page."""
        from bench.report import html

        return html.sentence(points, self)

    def results(self, records: list[dict]) -> list[dict]:
        """What results.json lists: every ratio, with the medians of both sides."""
        from bench.report import summary

        return summary.results(records, self.main_metric)

    def chart(self, _points: list[dict]) -> str:
        """An SVG file for the results page, made of the points of a summary; empty for none."""
        return ""


def metric(unit: str, better: str, sides: dict[str, list[float]]) -> dict:
    """One measured quantity: what is better ("more" or "less"), and the values of all rounds for each side."""
    return {"unit": unit, "better": better,
            "sides": {side: [rounded(value) for value in values] for side, values in sides.items()}}


def in_turns(sides: tuple[str, ...], rounds: int, defined: dict[str, tuple[str, str]],
             one: Callable[[str, int], dict[str, float]]) -> dict:
    """Metrics of `rounds` rounds, in each of which one(side, number) has given the values of every side,
    in changing order."""
    values: dict[str, dict[str, list[float]]] = {name: {side: [] for side in sides} for name in defined}
    for number in range(rounds):
        for side in versus.order(number, sides):
            found = one(side, number)
            for name in defined:
                values[name][side].append(found[name])
    return {name: metric(*defined[name], values[name]) for name in defined}


def measure_points(experiment: Experiment, lab: Lab, done: Callable[[Point], None]) -> list[str]:
    """Measures what the run does not have yet; returns what could not be measured here, and why."""
    missing, left = [], [point for point in lab.points if lab.run.record(point.key) is None]
    for point in lab.points:
        if point not in left:
            done(point)
    if not left:
        return missing
    with experiment.opened(lab) as one:
        for point in left:
            lab.tell(point.name)
            try:
                record = one(point)
            except Unavailable as reason:
                missing.append(f"{point.name}: {reason}")
            else:
                lab.run.append({"key": point.key, "at": now()} | record)
            done(point)
    return missing


def surroundings(cpus: set[int] | None) -> dict:
    """Of a program that makes its own library contexts and reads no configuration."""
    return {"env": clean_environment() | {"OPENSSL_CONF": "/dev/null"},
            "preexec_fn": lambda: os.sched_setaffinity(0, cpus or os.sched_getaffinity(0))}


def started(command: list[str], cpus: set[int]) -> subprocess.Popen:
    """A program whose lines are read while it runs."""
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, **surroundings(cpus))


def output_of(command: list[str], cpus: set[int] | None = None, good: tuple[int, ...] = (0,)) -> str:
    """What one of our own programs says, if it ends with a good status."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **surroundings(cpus))
    if done.returncode == NOT_SERVED:
        raise Unavailable(done.stderr.strip())
    if done.returncode not in good:
        raise ServerError(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def now() -> str:
    return datetime.datetime.now().astimezone().isoformat(timespec="seconds")
