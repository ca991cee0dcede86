# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The latency of a single handshake, and what of it its steps take."""

from __future__ import annotations

import statistics
from contextlib import contextmanager
from typing import Iterator

from bench.measure import versus
from lab import load
from . import frame, pairs, trace

TRACE, SLICE = 2, 0.4  # seconds of a trace, and of load at a time for as long as it takes


def traces(size: frame.Size) -> int:
    """How often each side is traced: starting it takes longer than the trace."""
    return max(1, size.rounds // 5)


class Alone(frame.Experiment):
    name = "alone"
    title = "A single handshake and its steps"
    about = ("nginx as it is and by `octuple run`, one connection at a time, the next when the last is over: there is "
             "nothing to gather, and Octuple must not be in the way. Latency is the client's, without any tracing. The "
             "steps are those of `octuple trace snoop` in the worker, the median over the handshakes of all calls of a "
             "function in one. Functions call each other, so steps do not add up. Under Octuple, where handshakes are "
             "paused, what a handshake calls is timed by Octuple's own probes (`octuple:operation`, `octuple:flush`), "
             "without it by OpenSSL's functions. A probe costs some microseconds, and a handshake holds those of all "
             "its steps: it is the latency that says what is faster, the steps say where time goes.")
    full, quick = frame.Size(15, 0.4), frame.Size(5, 0.25)
    summed_up = {"of": "latency"}

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        latency = [frame.Point({"handshake": name, "of": "latency"}, 2 * size.rounds * (size.seconds + 0.1))
                   for name in pairs.FIELD]
        return latency + [frame.Point({"handshake": name, "of": "steps"}, 2 * traces(size) * (TRACE + trace.START))
                          for name in pairs.FIELD]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        yield lambda point: getattr(self, point.key["of"])(lab, load.named(point.key["handshake"]))

    @staticmethod
    def latency(lab: frame.Lab, handshake: load.Handshake) -> dict:
        with pairs.pair(lab, [handshake]) as bench:
            samples = bench.rounds(handshake, "alone", lab.size.rounds, lab.size.seconds, connections=1)
        return {"metrics": {name: pairs.latency(samples, name) for name in ("p50", "p99")},
                "notes": pairs.notes(samples, handshake)}

    @staticmethod
    def steps(lab: frame.Lab, handshake: load.Handshake) -> dict:
        """Each round's medians; in the order of stock's steps, then Octuple's own."""
        found: dict[str, list[dict[str, float]]] = {side: [] for side in versus.VARIANTS}
        said = []
        for number in range(traces(lab.size)):
            for side in versus.order(number):
                with pairs.single(lab, side, handshake) as bench, \
                        trace.Tracer(lab.build, "snoop", bench.servers[side].worker, TRACE) as tracer:
                    while tracer.running:
                        bench.run(side, handshake, "steps", SLICE, connections=1, seed=number + 1)
                found[side].append(trace.steps(trace.parse_snoop(tracer.text)))
                said += tracer.said
        names = dict.fromkeys(name for runs in found.values() for run in runs for name in run)
        return {"metrics": {name: frame.metric("us", "less", {side: [run[name] for run in runs if name in run]
                                                               for side, runs in found.items()}) for name in names},
                "notes": {"said": said}}

    def pictures(self, records: list[dict]) -> dict:
        from bench.report import pictures

        shown = [record for record in records if record["key"]["of"] == "steps"]
        found = pictures.ratios([record for record in records if record["key"]["of"] == "latency"])
        for record in shown:
            medians = {name: {side: statistics.median(values) for side, values in metric["sides"].items() if values}
                       for name, metric in record["metrics"].items()}
            found[f"steps-{record['key']['handshake']}"] = pictures.bars(
                medians, f"{record['key']['handshake']}, us of one handshake")
        return found
