# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Histograms of how long the server's TLS calls take under load."""

from __future__ import annotations

import statistics
from contextlib import contextmanager
from typing import Iterator

from bench.measure import versus
from lab import load
from . import frame, pairs, trace

PERCENT = 70  # of the rate at which stock is saturated
PLACES = 1024  # for connections under way in open loop
SLICE = 1.0  # seconds of load at a time, as long as a trace takes


class Latency(frame.Experiment):
    name = "latency"
    title = "Latencies of TLS calls under load"
    about = ("nginx as it is and by `octuple run`, in turns, under connections that begin at random moments, "
             f"{PERCENT} % of what saturates the stock server, the same moments for both; `octuple trace latency` "
             "counts in the worker how long each call took, with the cost of its probes. Calls that came to nothing "
             "yet (`not over`: the client or a batch is waited for) are apart. Under Octuple a handshake takes more "
             "calls, and `octuple:operation` includes the time for which an operation waited for its batch; the "
             "latency of a whole handshake is in the experiments `alone` and `curves`.")
    full, quick = frame.Size(3, 3.0), frame.Size(1, 2.0)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"handshake": name}, 1.5 + 2 * size.rounds * (size.seconds + trace.START))
                for name in pairs.FIELD]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        yield lambda point: self.measure(lab, load.named(point.key["handshake"]))

    @staticmethod
    def measure(lab: frame.Lab, handshake: load.Handshake) -> dict:
        with pairs.single(lab, "stock", handshake) as bench:
            full = [bench.run("stock", handshake, "saturated", 0.5, connections=pairs.CONNECTIONS) for _ in range(2)]
        offered = round(statistics.median(sample.report["handshakes_per_s"] for sample in full) * PERCENT / 100, 1)
        found: dict[str, list[dict[str, trace.Latencies]]] = {side: [] for side in versus.VARIANTS}
        said = []
        for number in range(lab.size.rounds):
            for side in versus.order(number):
                with pairs.single(lab, side, handshake) as bench, \
                        trace.Tracer(lab.build, "latency", bench.servers[side].worker, lab.size.seconds) as tracer:
                    while tracer.running:
                        bench.run(side, handshake, "latency", SLICE, connections=PLACES, rate=offered, seed=number + 1)
                found[side].append(trace.parse_latency(tracer.text))
                said += tracer.said
        return summed(found) | {"notes": {"offered_per_s": offered, "said": said}}

    def pictures(self, records: list[dict]) -> dict:
        from bench.report import pictures

        return {name: pictures.histograms(name, record["histograms"])
                for record in records for name in [record["key"]["handshake"]]}


def summed(found: dict[str, list[dict[str, trace.Latencies]]]) -> dict:
    """Averages of each round as metrics, histograms of all rounds together."""
    names = dict.fromkeys(name for runs in found.values() for run in runs for name, calls in run.items() if calls.count)
    metrics, histograms = {}, {}
    for name in names:
        calls = {side: [run[name] for run in runs if name in run and run[name].count] for side, runs in found.items()}
        metrics[f"{name}, mean"] = frame.metric("us", "less",
                                                {side: [one.average_us for one in some]
                                                 for side, some in calls.items()})
        histograms[name] = {}
        for side, some in calls.items():
            total: list[tuple] = []
            for one in some:
                total = trace.add(total, one.histogram)
            histograms[name][side] = total
    return {"metrics": metrics, "histograms": histograms}
