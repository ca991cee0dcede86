# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Runs of real workers: what the model is calibrated by, and what it is held against."""

from __future__ import annotations

import json
import statistics
import subprocess
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from bench.measure import versus
from lab import counters, load, machine
from lab.programs import Build, clean_environment
from lab.servers.nginx import ServerError, make_keys
from .costs import Costs, LANES, Operation
from .model import mean_fill, simulate
from .workers import Setting, Workers

CONNECTIONS, PLACES = 64, 2048
LOW = 30  # % of what is saturated: the second run of a calibration
EXCHANGE = "x25519-derive"


@dataclass(frozen=True)
class Point:
    """`percent` of what one worker does when it is saturated; 100 is a closed loop."""

    handshake: str
    setting: Setting
    percent: int

    @property
    def name(self) -> str:
        return f"{self.handshake}, {self.setting.name}, {self.percent} %"


@dataclass
class Seen:
    """Medians of a point's rounds."""

    rate: float
    cpu_us: float
    p50: float
    p99: float
    failed: int
    waited: float
    operations: dict[str, counters.Operation]
    completed: int

    def of(self, name: str) -> counters.Operation:
        return self.operations.get(name, counters.Operation())

    def fill(self, name: str) -> float:
        return mean_fill(self.of(name).flushes, self.of(name).fallback)


def combine(samples: list[versus.Sample]) -> Seen:
    def median(values) -> float:
        return statistics.median(values)

    total = counters.total(sample.operations for sample in samples)
    return Seen(median(sample.report["handshakes_per_s"] for sample in samples),
                median(sample.cpu_us for sample in samples), median(sample.latency("p50") for sample in samples),
                median(sample.latency("p99") for sample in samples), versus.failures(samples),
                median(sample.waited_percent for sample in samples), total,
                sum(sample.completed for sample in samples))


class Lab:
    """Servers that all run, and are loaded in turns."""

    def __init__(self, folder: Path, build: Build, points: list[Point], rounds: int, seconds: float):
        self.folder, self.build, self.rounds, self.seconds = folder, build, rounds, seconds
        self.points = points
        self.place = machine.place()
        self.rates: dict[str, float] = {}
        self.alone: dict[str, tuple[float, float]] = {}  # what operations cost, by `octuple speed`
        self.samples: dict[Point, list[versus.Sample]] = {point: [] for point in points}

    def run(self) -> dict[Point, Seen]:
        kinds = sorted({load.named(point.handshake).key for point in self.points})
        make_keys(self.folder / "keys", kinds)
        with ExitStack() as stack:
            servers = {}
            for i, setting in enumerate(dict.fromkeys(point.setting for point in self.points)):
                server = Workers(setting, self.folder / f"s{i}", self.folder / "keys", kinds, self.place.server,
                                 self.build)
                servers[setting.name] = stack.enter_context(server)
            bench = versus.Bench(servers, self.build.load, self.place.client)
            for number in range(self.rounds):
                for point in self.points:
                    self.measure(bench, point, number)
        return {point: combine(samples) for point, samples in self.samples.items()}

    def rounds_seen(self) -> list[dict[Point, Seen]]:
        """Each round by itself: all of it met the same phase of the machine."""
        return [{point: combine([samples[number]]) for point, samples in self.samples.items()}
                for number in range(self.rounds)]

    def speeds(self, names: list[str]) -> dict[str, tuple[float, float]]:
        if not self.alone:
            self.alone = speeds(self.build, names)
        return self.alone

    def measure(self, bench: versus.Bench, point: Point, number: int) -> None:
        """Every load is a part of the rate that one saturated worker had in the first round."""
        handshake = load.named(point.handshake)
        options: dict = {"connections": CONNECTIONS}
        if point.percent < 100:
            options = {"connections": PLACES, "rate": self.rates[point.handshake] * point.percent / 100}
        if number == 0:
            bench.run(point.setting.name, handshake, "warm-up", 0.2, **options)
        sample = bench.run(point.setting.name, handshake, point.name, self.seconds, seed=number + 1, **options)
        if point.percent == 100:
            self.rates.setdefault(point.handshake, sample.report["handshakes_per_s"])
        self.samples[point].append(sample)


def speeds(build: Build, names: list[str]) -> dict[str, tuple[float, float]]:
    """Microseconds of OpenSSL's own operation, and of a full batch of eight, on a core that does nothing else."""
    done = subprocess.run([str(build.octuple), "speed", "--json", "--seconds", "0.3", *names], capture_output=True,
                          text=True, check=False, env=clean_environment())
    if done.returncode:
        raise ServerError(f"octuple speed ended with status {done.returncode}: {done.stderr.strip()}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["op"]: (1e6 / row["openssl_per_s"], LANES * 1e6 / row["octuple_per_s"]) for row in rows}


def operation(name: str, full: Seen, low: Seen, speed: tuple[float, float]) -> Operation:
    """Vectors as the counters have them, of the saturated run where they are full. OpenSSL's own code is slowed down by
    the client beside it as much as full batches are."""
    at = full.of(name), low.of(name)
    if name.startswith("rsa"):
        large = at[0].lane_nanoseconds / 1e3 / max(1, sum(at[0].flushes))
        few, many = sum(at[1].flushes[:4]), sum(at[1].flushes[4:])
        small = (at[1].lane_nanoseconds / 1e3 - many * large) / few if few else 0.6 * large
        return Operation(name, speed[0] * large / speed[1], small, large, False)
    both = at[0] + at[1]
    one = both.lane_nanoseconds / 1e3 / max(1, sum(both.flushes))
    return Operation(name, speed[0] * one / speed[1], one, one, True)


def calibrated(handshake: str, full: Seen, low: Seen, speed: dict[str, tuple[float, float]]) -> Costs:
    """`rest` is what the saturated run leaves. `wake` and `client` make CPU and p50 of the model those of the run at
    little load."""
    sign = load.named(handshake).operation
    ops = [operation(name, full, low, speed[name]) for name in (EXCHANGE, sign)]
    spent = sum(full.of(one.name).lane_nanoseconds / 1e3 + full.of(one.name).fallback * one.fallback for one in ops)
    found = Costs(handshake, full.cpu_us - spent / full.completed, 0.0, *ops)
    for _ in range(2):
        found = replace(found, wake=wake_of(found, low))
        lacks = low.p50 - simulate(found, low.rate).quantile(0.5)
        found = replace(found, client=max(10.0, found.client + lacks / 2))
    return found


def wake_of(costs: Costs, low: Seen) -> float:
    below, above = 0.0, 400.0
    for _ in range(10):
        wake = (below + above) / 2
        dear = simulate(replace(costs, wake=wake), low.rate).cpu_us > low.cpu_us
        below, above = (below, wake) if dear else (wake, above)
    return wake
