# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Handshakes of a Java server: Tomcat on the JDK's TLS, as it is, with the Java binding, and with Corretto's
provider."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from typing import Iterator

from bench.measure import versus
from lab import counters, java, load
from lab.servers import tomcat
from lab.servers.nginx import ServerError, make_keys
from . import frame

HANDSHAKES = ("tls13-rsa2048", "tls13-rsa4096", "tls13-ecdsa-p256", "tls13-ecdsa-p384-x25519")
METRICS = {"CPU of a handshake": ("us", "less"), "handshakes": ("1/s", "more"), "p50": ("us", "less")}
WARM = 8  # seconds of load for each kind of key and side, at its full size, before anything is measured


class Java(frame.Experiment):
    name = "java"
    title = "Full handshakes of Tomcat, a Java server"
    about = ("Tomcat with its defaults, on JSSE and one CPU. `stock` has the JDK's own providers, `octuple` the Java "
             "binding in front of them, `corretto` Amazon Corretto's provider. All run all the time and are loaded in "
             "turns with full handshakes of TLS 1.3, X25519, after the JIT compiler has seen some thousand of them. "
             "CPU is that of the whole JVM, its compiler and collector included. p50 is the client's; with 64 "
             "connections in a closed loop it is throughput again.")
    full, quick = frame.Size(7, 1.0), frame.Size(3, 0.4)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"handshake": name, "connections": connections}, 3 * size.rounds * (size.seconds + 0.1))
                for name in HANDSHAKES for connections in (1, 64)]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        reason = java.why_not()
        if reason:
            def refuse(_point: frame.Point) -> dict:
                raise frame.Unavailable(reason)
            yield refuse
            return
        kinds = [load.named(name).key for name in HANDSHAKES]
        make_keys(lab.folder / "keys", kinds)
        try:
            jar, program = java.jar(lab.build.folder), tomcat.build(lab.build.folder)
        except java.JavaError as error:
            raise ServerError(str(error)) from error
        with ExitStack() as stack:
            servers = {side: stack.enter_context(
                tomcat.Tomcat(program, tomcat.options(side, jar), lab.folder / side, lab.folder / "keys", kinds,
                              {lab.place.server}, lab.build)) for side in tomcat.SIDES}
            warmed: set[str] = set()
            yield lambda point: self.measure(lab, point.key, servers, warmed)

    @staticmethod
    def load(lab: frame.Lab, server: tomcat.Tomcat, handshake: load.Handshake, connections: int, seconds: float,
             seed: int) -> dict:
        report = load.run(lab.build.load, server.ports[handshake.key], lab.place.client, handshake,
                          connections=connections, seconds=seconds, seed=seed)
        time.sleep(versus.SETTLE)
        if report["failed_total"] or not report["completed"]:
            raise ServerError(f"Tomcat: {report['first_failure'] or 'no handshake was completed'}; {server.said()}")
        return report

    def measure(self, lab: frame.Lab, key: dict, servers: dict[str, tomcat.Tomcat], warmed: set[str]) -> dict:
        handshake = load.named(key["handshake"])
        if handshake.name not in warmed:
            warmed.add(handshake.name)
            for server in servers.values():
                lab.tell(f"{handshake.name}: the JIT compiler")
                self.load(lab, server, handshake, 64, WARM * lab.size.seconds, 99)
        before = servers["octuple"].counters()

        def run(side: str, number: int) -> dict[str, float]:
            server = servers[side]
            spent = server.cpu_seconds()
            report = self.load(lab, server, handshake, key["connections"], lab.size.seconds, number + 1)
            return {"CPU of a handshake": (server.cpu_seconds() - spent) * 1e6 / report["completed"],
                    "handshakes": report["handshakes_per_s"], "p50": report["latency_us"]["p50"]}

        metrics = frame.in_turns(tomcat.SIDES, lab.size.rounds, METRICS, run)
        used = counters.difference(servers["octuple"].counters(), before).get(handshake.operation,
                                                                              counters.Operation())
        return {"metrics": metrics,
                "notes": {"operation": handshake.operation, "batches": versus.operation_summary(used)}}
