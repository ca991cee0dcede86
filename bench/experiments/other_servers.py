# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers other than nginx, saturated and with one connection at a time."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import Iterator

from bench.measure import servers, versus
from lab.servers.nginx import make_keys
from lab.servers.web import Backend, KINDS
from . import frame


class Servers(frame.Experiment):
    name = "servers"
    title = "Servers other than nginx"
    about = ("Each server that is installed, as it is and by `octuple run`, in turns, with full handshakes of "
             f"{servers.HANDSHAKE.title}: 64 connections, and one at a time. CPU is that of the whole process tree.")
    full, quick = frame.Size(7, 0.5), frame.Size(3, 0.4)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"server": kind.name, "load": what}, 2 * size.rounds * (size.seconds + 0.1))
                for kind in KINDS if kind.path() for what in servers.LOADS]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        for what in servers.LOADS:  # each load has servers of its own
            (lab.folder / what).mkdir(mode=0o755)
            make_keys(lab.folder / what / "keys", [servers.HANDSHAKE.key])
        with Backend() as backend:
            yield lambda point: self.measure(lab, point.key, backend.port)

    @staticmethod
    def measure(lab: frame.Lab, key: dict, backend: int) -> dict:
        kind = next(kind for kind in KINDS if kind.name == key["server"])
        with ExitStack() as stack:
            both = servers.start_both(stack, kind, lab.folder / key["load"], lab.build, lab.place, backend)

            def run(side: str, _number: int) -> dict[str, float]:
                sample = servers.sample(both[side], servers.LOADS[key["load"]], lab.place, lab.build, lab.size.seconds)
                return {"CPU of a handshake": sample["cpu_us"], "handshakes": sample["per_s"]}

            metrics = frame.in_turns(versus.VARIANTS, lab.size.rounds,
                                     {"CPU of a handshake": ("us", "less"), "handshakes": ("1/s", "more")}, run)
            return {"metrics": metrics, "notes": {"in_lanes_percent": servers.in_lanes(both["octuple"])}}
