# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Private operations by threads that block: `octuple-threads`."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import Iterator

from bench.measure import versus
from lab.servers.nginx import ServerError
from .. import frame

OPERATIONS = ("rsa2048-private", "p256-sign", "ed25519-sign", "x25519-derive")
THREADS, QUICK_THREADS = (1, 2, 4, 8, 64, 256), (1, 8, 64)
TURNS = 6  # of each side in a run
DEFINED = {"operations": ("per_s", "1/s", "more"), "CPU": ("cpu_us", "us", "less"), "p50": ("p50_us", "us", "less"),
           "p99": ("p99_us", "us", "less")}


def parse(text: str) -> dict[str, dict[str, float]]:
    """The numbers of both sides of the one row that was asked for."""
    rows = json.loads(text)
    if len(rows) != 1:
        raise ServerError(f"octuple-threads gave {len(rows)} results for one")
    return {side: rows[0][side] for side in versus.VARIANTS}


class Threads(frame.Experiment):
    name = "threads"
    title = "Threads that block"
    about = ("1 to 256 threads of one process on one CPU, each with one private operation after the other through EVP, "
             "by OpenSSL's provider and by Octuple's in turns of the same threads (`octuple-threads --cpus 1`).")
    full, quick = frame.Size(3, 0.15), frame.Size(1, 0.1)
    pivots = ("threads",)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"operation": operation, "threads": count}, size.rounds * (0.3 + 2 * TURNS * size.seconds))
                for operation in OPERATIONS for count in (QUICK_THREADS if quick else THREADS)]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        yield lambda point: self.measure(lab, point.key)

    @staticmethod
    def measure(lab: frame.Lab, key: dict) -> dict:
        command = [str(lab.build.threads), "--json", "--op", key["operation"],
                   "--threads", str(key["threads"]), "--cpus", "1", "--turns",
                   str(TURNS), "--milliseconds", str(int(1000 * lab.size.seconds)), str(lab.build.provider.parent)]
        runs = [parse(frame.output_of(command)) for _ in range(lab.size.rounds)]
        return {"metrics": {name: frame.metric(unit, better,
                                               {side: [run[side][field] for run in runs] for side in versus.VARIANTS})
                            for name, (field, unit, better) in DEFINED.items()}}

    def pictures(self, records: list[dict]) -> dict:
        from bench.report import pictures

        return {"threads": pictures.lines(records, "threads", "threads")}
