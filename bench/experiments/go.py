# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Handshakes of a Go server: Caddy as it is and with the Go binding."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from typing import Iterator

from bench.measure import versus
from lab import counters, golang, load
from lab.servers import caddy
from lab.servers.nginx import ServerError, make_keys
from . import frame

HANDSHAKES = ("tls13-rsa2048", "tls13-rsa4096", "tls13-ecdsa-p256", "tls13-ecdsa-p384-x25519")
METRICS = {"CPU of a handshake": ("us", "less"), "handshakes": ("1/s", "more"), "p50": ("us", "less")}


class Go(frame.Experiment):
    name = "go"
    title = "Full handshakes of Caddy, a Go server"
    about = ("Caddy with the Go binding in it, as it is and with the global option `octuple`. Both run all the time "
             "and are loaded in turns with full handshakes of TLS 1.3, X25519. `processors` is GOMAXPROCS, and how "
             "many CPUs Caddy has; with two, the client shares the second. CPU is that of all of Caddy, its garbage "
             "collector included. p50 is the client's; with 64 connections in a closed loop it is throughput again.")
    full, quick = frame.Size(7, 0.5), frame.Size(3, 0.3)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"handshake": name, "processors": processors, "connections": connections},
                            2 * size.rounds * (size.seconds + 0.1))
                for processors in (1, 2) for name in HANDSHAKES for connections in (1, 64)]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        reason = golang.why_not(lab.build.folder, caddy.MODULE)
        if reason:
            def refuse(_point: frame.Point) -> dict:
                raise frame.Unavailable(reason)
            yield refuse
            return
        kinds = [load.named(name).key for name in HANDSHAKES]
        make_keys(lab.folder / "keys", kinds)
        program = caddy.build(lab.build.folder)
        with ExitStack() as stack:
            servers = {(side, count): stack.enter_context(
                caddy.Caddy(program, lab.folder / f"{side}-{count}", lab.folder / "keys", kinds,
                            {lab.place.server, lab.place.client} if count == 2 else {lab.place.server}, lab.build,
                            side == "octuple", count))
                       for side in versus.VARIANTS for count in {point.key["processors"] for point in lab.points}}
            yield lambda point: self.measure(lab, point.key, servers)

    @staticmethod
    def measure(lab: frame.Lab, key: dict, servers: dict[tuple[str, int], caddy.Caddy]) -> dict:
        handshake = load.named(key["handshake"])
        both = {side: servers[side, key["processors"]] for side in versus.VARIANTS}
        before = both["octuple"].counters()

        def run(side: str, number: int) -> dict[str, float]:
            server = both[side]
            spent = server.cpu_seconds()
            report = load.run(lab.build.load, server.ports[handshake.key], lab.place.client, handshake,
                              connections=key["connections"], seconds=lab.size.seconds, seed=number + 1)
            time.sleep(versus.SETTLE)
            if report["failed_total"] or not report["completed"]:
                raise ServerError(f"Caddy: {report['first_failure'] or 'no handshake was completed'}; {server.said()}")
            return {"CPU of a handshake": (server.cpu_seconds() - spent) * 1e6 / report["completed"],
                    "handshakes": report["handshakes_per_s"], "p50": report["latency_us"]["p50"]}

        metrics = frame.in_turns(versus.VARIANTS, lab.size.rounds, METRICS, run)
        used = counters.difference(both["octuple"].counters(), before).get(handshake.operation, counters.Operation())
        return {"metrics": metrics,
                "notes": {"operation": handshake.operation, "batches": versus.operation_summary(used)}}
