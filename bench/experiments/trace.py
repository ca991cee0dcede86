# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Runs `octuple trace` beside a load and reads what it says: events of `snoop`, totals and histograms of `latency`."""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Iterable

from lab.programs import Build, clean_environment
from .frame import Unavailable

HANDSHAKE = ("SSL_do_handshake", "SSL_accept")
# Statuses of `octuple trace`: a build that does not have it, a process or a machine that cannot be traced.
CANNOT = (2, 5, 6)
START = 2.5  # seconds until its probes are in place, and for its server to start and end


class TraceError(Exception):
    """What was read is not what `octuple trace` writes."""


@dataclass(frozen=True)
class Event:
    """One call that ended, or one batch that ran; or one that is only known to have begun, without a latency."""

    step: str
    latency_us: float | None
    result: int | None = None

    @property
    def handshake_over(self) -> bool:
        return self.step in HANDSHAKE and self.result == 1


def step_name(found: dict) -> str:
    """A function, or what Octuple's own probes say with the operation."""
    return found["function"] + (f" {found['operation']}" if found.get("operation") else "")


def parse_event(line: str) -> Event:
    try:
        found = json.loads(line)
        latency, result = found["latency_us"], found.get("result")
        return Event(step_name(found), None if latency is None else float(latency),
                     None if result is None else int(result))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TraceError(f"no event of octuple trace snoop ({error!r}): {line[:200]}") from error


def parse_snoop(text: str) -> list[Event]:
    return [parse_event(line) for line in text.splitlines() if line.strip()]


def steps(events: Iterable[Event]) -> dict[str, float]:
    """The median over the handshakes of what each step took in one of them, all its calls together, in the order of
    first calls.

    With one connection at a time a handshake's events are those since the end of the one before; the first one may have
    been met in its middle and is left out."""
    handshakes: list[dict[str, float]] = []
    current: dict[str, float] = {}
    for event in events:
        if event.latency_us is not None:
            current[event.step] = current.get(event.step, 0.0) + event.latency_us
        if event.handshake_over:
            handshakes.append(current)
            current = {}
    whole = handshakes[1:]
    if not whole:
        raise TraceError("octuple trace snoop saw no whole handshake")
    names = dict.fromkeys(name for handshake in whole for name in handshake)
    return {name: round(statistics.median(handshake.get(name, 0.0) for handshake in whole), 2) for name in names}


@dataclass
class Latencies:
    """Calls of one function: how many, their mean, and (from, to, count) for each bucket of microseconds."""

    count: int
    average_us: float
    histogram: list[tuple[float, float, int]]


def parse_latency(text: str) -> dict[str, Latencies]:
    """The totals, which come last; lines of intervals stand before them. Calls that came to nothing yet, such as those
    of a handshake that waits for the client or for a batch, are a function of their own."""
    for line in reversed(text.splitlines()):
        try:
            found = json.loads(line)
            if not found.get("total"):
                continue
            return {step_name(function) + more: latencies(function[which]) for function in found["functions"]
                    for which, more in (("ok", ""), ("failed", ", not over"))}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise TraceError(f"no line of octuple trace latency ({error!r}): {line[:200]}") from error
    raise TraceError("octuple trace latency ended without its totals")


def latencies(found: dict) -> Latencies:
    histogram = [(float(bucket["from_us"]), float(bucket["to_us"]), int(bucket["count"]))
                 for bucket in found["histogram"]]
    if sum(count for _, _, count in histogram) != found["count"]:
        raise TraceError(f"{found['count']} calls, but the histogram has {sum(count for _, _, count in histogram)}")
    return Latencies(found["count"], float(found["average_us"]), histogram)


def add(one: list[tuple], other: list[tuple]) -> list[tuple]:
    """The sum of two histograms with buckets of the same form."""
    counts: dict[tuple, int] = {}
    for low, high, count in [*one, *other]:
        counts[low, high] = counts.get((low, high), 0) + count
    return [(low, high, count) for (low, high), count in sorted(counts.items())]


class Tracer:
    """`octuple trace` of one process for whole seconds, which begin when its probes are in place, while the body of the
    `with` statement keeps the process busy as long as `running`; its text, and the lines that it said besides (lost
    events, what it could not trace), are there after it."""

    def __init__(self, build: Build, what: str, pid: int, seconds: float):
        self.seconds, self.text, self.said = max(1, math.ceil(seconds)), "", []
        self.command = [str(build.octuple), "trace", what, "--json", "--pid", str(pid), "--seconds", str(self.seconds)]

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def __enter__(self) -> "Tracer":
        """Into files: a pipe that nobody reads would fill."""
        self.files = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                        stdout=self.files[0], stderr=self.files[1],
                                        env=clean_environment())
        return self

    def __exit__(self, kind, *_exception) -> None:
        if kind:
            self.process.terminate()
        self.process.wait(60)
        self.text, said = (self.read(file) for file in self.files)
        self.said = [line for line in said.splitlines() if not line.endswith(": tracing")]  # that it began
        if self.process.returncode and not kind:
            why = next(iter(self.said), "it does not say why")
            error = Unavailable if self.process.returncode in CANNOT else TraceError
            raise error(f"octuple trace {self.command[2]} ended with status {self.process.returncode}: {why}")

    @staticmethod
    def read(file) -> str:
        with file:
            file.seek(0)
            return file.read()
