# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The latency of a single handshake, and what of it its steps take."""

from __future__ import annotations

import statistics
from contextlib import contextmanager
from typing import Iterator

from .. import load, measure
from . import frame, pairs, trace

SLICE = 0.4  # seconds of load at a time, as long as a trace takes


class Alone(frame.Experiment):
    name = "alone"
    title = "A single handshake and its steps"
    about = ("nginx as it is and by `octuple run`, one connection at a time, the next when the last is over: there is nothing to gather, and "
             "Octuple must not be in the way. Latency is the client's, without any tracing. The steps are those of `octuple trace snoop` in "
             "the worker, the median over the handshakes of all calls of a function in one; functions call each other, so steps do not "
             "add up, and probes cost some microseconds each: compare steps with steps, not with the latency.")
    full, quick = frame.Size(15, 0.4), frame.Size(6, 0.25)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        latency = [frame.Point({"handshake": name, "of": "latency"}, 2 * size.rounds * (size.seconds + 0.1)) for name in pairs.FIELD]
        return latency + [frame.Point({"handshake": name, "of": "steps"}, 2 * 3 * (4 * size.seconds + 1)) for name in pairs.FIELD]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        with pairs.pair(lab, [load.named(name) for name in pairs.FIELD]) as bench:
            yield lambda point: getattr(self, point.key["of"])(lab, bench, load.named(point.key["handshake"]))

    @staticmethod
    def latency(lab: frame.Lab, bench: measure.Bench, handshake: load.Handshake) -> dict:
        samples = bench.rounds(handshake, "alone", lab.size.rounds, lab.size.seconds, connections=1)
        return {"metrics": {name: pairs.latency(samples, name) for name in ("p50", "p99")}, "notes": pairs.notes(samples, handshake)}

    @staticmethod
    def steps(lab: frame.Lab, bench: measure.Bench, handshake: load.Handshake, rounds: int = 3) -> dict:
        """Each round's medians."""
        seconds = 4 * lab.size.seconds
        found: dict[str, list[dict[str, float]]] = {side: [] for side in measure.VARIANTS}
        for number in range(rounds):
            for side in measure.order(number):
                with trace.Tracer(lab.build, "snoop", bench.servers[side].worker, seconds) as tracer:
                    while tracer.running:
                        bench.run(side, handshake, "steps", SLICE, connections=1, seed=number + 1)
                found[side].append(trace.steps(trace.parse_snoop(tracer.text)))
        names = dict.fromkeys(name for runs in found.values() for run in runs for name in run)
        return {"metrics": {name: frame.metric("us", "less", {side: [run[name] for run in runs if name in run]
                                                               for side, runs in found.items()}) for name in names}}

    def pictures(self, records: list[dict]) -> dict:
        from . import pictures

        shown = [record for record in records if record["key"]["of"] == "steps"]
        found = pictures.ratios([record for record in records if record["key"]["of"] == "latency"])
        for record in shown:
            medians = {name: {side: statistics.median(values) for side, values in metric["sides"].items() if values}
                       for name, metric in record["metrics"].items()}
            found[f"steps-{record['key']['handshake']}"] = pictures.bars(medians, f"{record['key']['handshake']}, us of one handshake")
        return found
