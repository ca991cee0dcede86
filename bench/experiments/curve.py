# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Latency and CPU from little load to all that the stock server bears."""

from __future__ import annotations

import statistics
from contextlib import ExitStack, contextmanager
from typing import Iterator

from bench.measure import curves, versus
from lab import load
from lab.servers.nginx import make_keys
from . import frame, pairs


class Curves(frame.Experiment):
    name = "curves"
    title = "Latency and CPU by load"
    about = ("nginx and HAProxy as they are and by `octuple run`, in turns, under connections that begin at random "
             "moments, 10 % to 100 % of the rate at which stock was saturated (load 0, a closed loop of 64 "
             "connections), the same moments for both. Latency counts from the moment at which a connection was due, "
             "CPU is the server's for each completed handshake.")
    full, quick = frame.Size(3, 1.0), frame.Size(1, 0.6)
    pivots = ("load, %",)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        servers = list(curves.SERVERS)[:1] if quick else curves.SERVERS
        return [frame.Point({"server": server, "handshake": name, "load, %": percent},
                            2 * size.rounds * (size.seconds + 0.15))
                for server in servers for name in curves.HANDSHAKES for percent in (0, *curves.PERCENTS)]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        kinds = sorted({load.named(name).key for name in curves.HANDSHAKES})
        make_keys(lab.folder / "keys", kinds)
        with ExitStack() as stack:
            benches: dict[str, versus.Bench] = {}
            for name in dict.fromkeys(point.key["server"] for point in lab.points):
                make = curves.SERVERS[name]
                both = {side: stack.enter_context(make(side, lab.folder / f"{name}-{side}",
                                                       lab.folder / "keys", kinds, lab.place.server,
                                                       lab.build if side == "octuple" else None))
                        for side in versus.VARIANTS}
                benches[name] = versus.Bench(both, lab.build.load, lab.place.client)
            yield lambda point: self.measure(lab, benches[point.key["server"]], point.key)

    @staticmethod
    def measure(lab: frame.Lab, bench: versus.Bench, key: dict) -> dict:
        handshake, percent = load.named(key["handshake"]), key["load, %"]
        options: dict = {"connections": pairs.CONNECTIONS}
        if percent:
            saturated = lab.run.record(key | {"load, %": 0})
            if saturated is None:
                raise frame.ExperimentError("what a load is a part of has to be measured first: load, % 0")
            full = saturated["metrics"]["handshakes"]["sides"]["stock"]
            options = {"connections": curves.PLACES, "rate": round(statistics.median(full) * percent / 100, 1)}
        samples = bench.rounds(handshake, f"{percent} %", lab.size.rounds, lab.size.seconds, **options)
        metrics = {"p50": pairs.latency(samples, "p50"), "p99": pairs.latency(samples, "p99"),
                   "CPU of a handshake": pairs.cpu(samples)}
        return {"metrics": metrics | ({} if percent else {"handshakes": pairs.rate(samples)}),
                "notes": pairs.notes(samples, handshake)}

    def pictures(self, records: list[dict]) -> dict:
        from bench.report import pictures

        shown = [record for record in records if record["key"]["load, %"]]
        return {"load": pictures.lines(shown, "load, %", "% of what stock can do", False)}
