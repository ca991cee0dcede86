# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Measuring a stock and an accelerated server against each other.

Both run all the time, on the same CPU, and are loaded in turns: what the machine does meanwhile (its clock, its
neighbours) meets both. The order changes from round to round. Medians are taken over the rounds.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from lab import counters, load
from lab.servers.nginx import Nginx, ServerError

STOCK = "stock"
VARIANTS = (STOCK, "octuple")
SETTLE = 0.02  # seconds for the server to see the last connections close, before its CPU time is read


@dataclass
class Sample:
    """One run of the load against one server."""

    report: dict
    server_seconds: float
    server_waited: float = 0.0
    operations: dict[str, counters.Operation] = field(default_factory=dict)
    group: str = ""  # of the key exchange

    @property
    def completed(self) -> int:
        return self.report["completed"]

    @property
    def cpu_us(self) -> float:
        """Server CPU for each completed handshake."""
        return self.server_seconds * 1e6 / self.completed

    @property
    def waited_percent(self) -> float:
        """How much of the time in which the server could have run another program had its CPU."""
        return 100 * self.server_waited / (self.server_seconds + self.server_waited)

    def latency(self, quantile: str) -> float:
        return self.report["latency_us"][quantile]


def rounded(value: float) -> float:
    """Six digits: more are noise."""
    return float(f"{value:.6g}")


def median(values: list[float]) -> float:
    return round(statistics.median(values), 2)


def order(round_number: int, names: tuple[str, ...] = VARIANTS) -> tuple[str, ...]:
    return names if round_number % 2 == 0 else names[::-1]


class Bench:
    """The servers and the load generator. `progress` hears of each run:
    what it was, and how long it was to take."""

    def __init__(self, servers: dict[str, Nginx], program: Path, client_cpu: int,
                 progress: Callable[[str, float], None] = lambda what, seconds: None):
        self.servers, self.program, self.client_cpu, self.progress = servers, program, client_cpu, progress

    def run(self, variant: str, handshake: load.Handshake, what: str, seconds: float, **options) -> Sample:
        server = self.servers[variant]
        spoken = handshake.served_by(server.hybrids)
        self.progress(f"{handshake.name}: {what}, {variant}", 0)
        try:
            counted, (ran, waited) = server.counters(), server.cpu_times()
            report = load.run(self.program, server.ports[spoken.key], self.client_cpu, spoken, seconds=seconds,
                              **options)
            time.sleep(SETTLE)
            ran_after, waited_after = server.cpu_times()
            sample = Sample(report, ran_after - ran, waited_after - waited,
                            counters.difference(server.counters(), counted), spoken.group)
        except FileNotFoundError as error:
            raise ServerError(f"the worker of the {variant} nginx has ended: {server.said()}") from error
        self.progress(f"{handshake.name}: {what}, {variant}", seconds)
        if not sample.completed:
            raise ServerError(f"no {handshake.name} handshake with the {variant} nginx was completed "
                              f"({report['first_failure']}): {server.said()}")
        return sample

    def rounds(self, handshake: load.Handshake, what: str, count: int, seconds: float,
               variants: tuple[str, ...] = VARIANTS, **options) -> dict[str, list[Sample]]:
        """`count` rounds of the servers in turns."""
        samples: dict[str, list[Sample]] = {variant: [] for variant in variants}
        for number in range(count):
            for variant in order(number, variants):
                samples[variant].append(self.run(variant, handshake, what, seconds, seed=number + 1, **options))
        return samples


def failures(samples: list[Sample]) -> int:
    return sum(sample.report["failed_total"] for sample in samples)


def operation_total(samples: list[Sample], name: str) -> counters.Operation:
    total = counters.Operation()
    for sample in samples:
        total += sample.operations.get(name, counters.Operation())
    return total


def capacity_summary(samples: list[Sample]) -> dict:
    """What a saturated server does."""
    return {
        "group": samples[0].group,
        "cpu_us_per_handshake": median([sample.cpu_us for sample in samples]),
        "handshakes_per_s": median([sample.report["handshakes_per_s"] for sample in samples]),
        "client_cpu_us_per_handshake": median([sample.report["cpu_us_per_handshake"] for sample in samples]),
        "server_waited_percent": median([sample.waited_percent for sample in samples]),
        "completed": sum(sample.completed for sample in samples),
        "failed": failures(samples),
        "rounds_cpu_us": [round(sample.cpu_us, 2) for sample in samples],
    }


def latency_summary(samples: list[Sample]) -> dict:
    """What a client waits when the server is not saturated. `overdue` connections found no place in time: with any of
    them the server was overloaded after all."""
    return {
        "p50": median([sample.latency("p50") for sample in samples]),
        "p90": median([sample.latency("p90") for sample in samples]),
        "p99": median([sample.latency("p99") for sample in samples]),
        "cpu_us_per_handshake": median([sample.cpu_us for sample in samples]),
        "overdue": sum(sample.report["overdue"] for sample in samples),
        "failed": failures(samples),
    }


def operation_summary(operation: counters.Operation) -> dict:
    """batch_fill[n-1]: batches that held n operations. `fallback`: run by OpenSSL's own code, alone."""
    return {"batch_fill": operation.flushes, "in_batches": operation.done, "fallback": operation.fallback,
            "failed": operation.failed, "recomputed": operation.recomputed}


def ratio(stock: float, octuple: float) -> float:
    return round(stock / octuple, 3) if octuple else 0.0


@dataclass(frozen=True)
class Plan:
    """How much is measured; times in seconds."""

    rounds: int = 4
    seconds: float = 0.9
    warm_up: float = 0.2
    connections: int = 64
    load_rounds: int = 2
    load_seconds: float = 0.8
    load_fraction: float = 0.7
    alone_rounds: int = 14
    alone_seconds: float = 0.25
    few_rounds: int = 4
    few_seconds: float = 0.8

    def handshake_time(self) -> float:
        return 2 * (self.warm_up + self.rounds * self.seconds + self.load_rounds * self.load_seconds)

    def alone_time(self) -> float:
        return 2 * self.alone_rounds * self.alone_seconds

    def few_time(self) -> float:
        return 2 * self.few_rounds * self.few_seconds


QUICK = Plan(rounds=3, seconds=0.55, warm_up=0.12, load_rounds=1, load_seconds=0.6, alone_rounds=8, alone_seconds=0.16,
             few_rounds=3, few_seconds=0.4)


def measure_handshake(bench: Bench, plan: Plan, handshake: load.Handshake) -> dict:
    """Capacity and CPU of both, then latencies of both at the same load, which is a part of what stock can do."""
    bench.rounds(handshake, "warm-up", 1, plan.warm_up, connections=plan.connections)
    full = bench.rounds(handshake, "saturated", plan.rounds, plan.seconds, connections=plan.connections)
    result: dict = {"server": "nginx", **handshake.describe(), "connections": plan.connections}
    for variant in VARIANTS:
        result[variant] = capacity_summary(full[variant])
    offered = round(plan.load_fraction * result["stock"]["handshakes_per_s"], 1)
    part = bench.rounds(handshake, "same load", plan.load_rounds, plan.load_seconds, connections=1024, rate=offered)
    result["offered_per_s"] = offered
    for variant in VARIANTS:
        result[variant]["latency_us"] = latency_summary(part[variant])
    result["octuple"]["saturated"] = operation_summary(operation_total(full["octuple"], handshake.operation))
    result["octuple"]["same_load"] = operation_summary(operation_total(part["octuple"], handshake.operation))
    result["cpu_ratio"] = ratio(result["stock"]["cpu_us_per_handshake"], result["octuple"]["cpu_us_per_handshake"])
    result["rate_ratio"] = ratio(result["octuple"]["handshakes_per_s"], result["stock"]["handshakes_per_s"])
    return result


def measure_alone(bench: Bench, plan: Plan, handshake: load.Handshake) -> dict:
    """One connection at a time: there is nothing to gather, and Octuple must not be in the way. The two runs of a round
    are neighbours in time and share what the machine does: the change is the median over the rounds, each its own
    pair."""
    samples = bench.rounds(handshake, "one connection", plan.alone_rounds, plan.alone_seconds, connections=1)
    result: dict = handshake.describe()
    for variant in VARIANTS:
        result[variant] = {"p50_us": median([sample.latency("p50") for sample in samples[variant]]),
                           "p99_us": median([sample.latency("p99") for sample in samples[variant]]),
                           "failed": failures(samples[variant])}
    pairs = [(octuple.latency("p50") / stock.latency("p50") - 1) * 100
             for stock, octuple in zip(samples["stock"], samples["octuple"])]
    result["p50_change_percent"] = median(pairs)
    result["rounds_change_percent"] = [round(change, 2) for change in pairs]
    return result


def measure_few(bench: Bench, plan: Plan, handshake: load.Handshake, connections: int = 4) -> dict:
    """Few connections: batches stay small."""
    samples = bench.rounds(handshake, f"{connections} connections", plan.few_rounds, plan.few_seconds,
                           connections=connections)
    result: dict = {**handshake.describe(), "connections": connections}
    for variant in VARIANTS:
        result[variant] = capacity_summary(samples[variant])
    result["octuple"].update(operation_summary(operation_total(samples["octuple"], handshake.operation)))
    result["cpu_ratio"] = ratio(result["stock"]["cpu_us_per_handshake"], result["octuple"]["cpu_us_per_handshake"])
    return result


def measure_memory(servers: dict[str, Nginx]) -> dict:
    """Of workers that have served nothing yet."""
    result: dict = {variant: servers[variant].memory_kb() for variant in VARIANTS}
    result["added"] = {name: result["octuple"][name] - result["stock"][name] for name in result["stock"]}
    return result
