# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers that feed libssl through memory."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, contextmanager
from typing import Iterator

from bench.measure import versus
from lab import load
from lab.servers import memory
from lab.servers.nginx import ServerError, make_keys
from lab.servers.web import Other
from . import frame

HANDSHAKES = {"rsa2048": load.named("tls13-rsa2048"), "p384": load.named("tls13-ecdsa-p384")}
CONNECTIONS = (64, 1)


def kinds(quick: bool) -> list[memory.Fed]:
    """Those that can run here. Of each other one a line says what it takes."""
    wanted = memory.KINDS if quick else memory.KINDS + memory.FRAMEWORKS
    for kind in wanted:
        if not kind.path():
            print(f"not measured: {kind.name} takes Debian's package {kind.package}, with the system's libssl",
                  file=sys.stderr)
    return [kind for kind in wanted if kind.path()]


class Memory(frame.Experiment):
    name = "memory"
    title = "Servers that feed libssl through memory"
    about = ("asyncio, uvloop, Twisted and Debian's Node.js, as they are and by `octuple run`, in turns, with full "
             "handshakes of TLS 1.3, 64 at a time and one. Full runs have aiohttp, uvicorn and gunicorn too. CPU is "
             "that of the whole process, interpreter included.")
    full, quick = frame.Size(5, 1), frame.Size(3, 0.6)
    main_metric = "CPU of a handshake"

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"server": f"{kind.name} {key} {count}"}, 2 * size.rounds * (size.seconds + 0.1))
                for kind in kinds(quick) for key in HANDSHAKES for count in CONNECTIONS]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        make_keys(lab.folder / "keys", [handshake.key for handshake in HANDSHAKES.values()])
        yield lambda point: self.measure(lab, *point.key["server"].split())

    @staticmethod
    def measure(lab: frame.Lab, name: str, key: str, count: str) -> dict:
        kind = next(kind for kind in memory.KINDS + memory.FRAMEWORKS if kind.name == name)
        handshake = HANDSHAKES[key]
        with ExitStack() as stack:
            both = {side: stack.enter_context(Other(kind, lab.folder / f"{name}-{key}-{count}-{side}",
                                                    lab.folder / "keys", handshake.key, 0,
                                                    lab.build if side == "octuple" else None, {lab.place.server}))
                    for side in versus.VARIANTS}

            def run(side: str, _number: int) -> dict[str, float]:
                server, before = both[side], both[side].cpu_seconds()
                report = load.run(lab.build.load, server.port, lab.place.client, handshake, connections=int(count),
                                  seconds=lab.size.seconds)
                time.sleep(versus.SETTLE)
                if report["failed_total"] or not report["completed"]:
                    raise ServerError(f"{name}: {report['first_failure'] or 'no handshake was completed'}; "
                                      f"{server.said()}")
                return {"CPU of a handshake": (server.cpu_seconds() - before) * 1e6 / report["completed"],
                        "handshakes": report["handshakes_per_s"]}

            for side in versus.VARIANTS:  # the interpreter warms up, and costs are learned
                run(side, 0)
            metrics = frame.in_turns(versus.VARIANTS, lab.size.rounds,
                                     {"CPU of a handshake": ("us", "less"), "handshakes": ("1/s", "more")}, run)
            counts = both["octuple"].counters()[handshake.operation]
            return {"metrics": metrics,
                    "notes": {"in_lanes_percent": round(100 * counts.done / counts.all, 1) if counts.all else 0.0}}
