# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Records between random pairs of pages: `octuple-pages`."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import Iterator

from bench.measure import versus
from bench.measure.arguments import PORTABLE, asked_table
from .. import frame

SIZES, QUICK_SIZES = (256, 1440, 16384), (1440,)
# Output a vector behind the input is what goes wrong where it does; 0 is what callers with pages of their own have.
DISTANCES = (0, 16, 32, 64, 128)
QUICK_DISTANCES = (64,)
PAIRS = 400


def parse(text: str) -> dict[str, dict[str, float]]:
    """Of both sides: the time of a record, and how many times longer the slowest pair took than the median."""
    found = json.loads(text)
    return {side: {"time": found[side]["median_ns"],
                   "slowest over median": found[side]["slowest_ns"] / found[side]["median_ns"]}
            for side in versus.VARIANTS}


class PagePairs(frame.Experiment):
    name = "page-pairs"
    title = "Pairs of pages"
    about = (f"AES-128-GCM records between {PAIRS} random pairs of pages, output so many bytes behind the input modulo "
             "4 KiB, by OpenSSL's EVP and by Octuple's C API (`octuple-pages`), pinned to one CPU: time of one record, "
             "and the slowest pair over the median.")
    full, quick = frame.Size(3, 1), frame.Size(1, 1)
    pivots = ("distance",)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"bytes": count, "distance": distance}, size.rounds * (0.5 + count * 1.5e-4))
                for count in (QUICK_SIZES if quick else SIZES)
                for distance in (QUICK_DISTANCES if quick else DISTANCES)]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        yield lambda point: self.measure(lab, point.key)

    @staticmethod
    def measure(lab: frame.Lab, key: dict) -> dict:
        if asked_table() == PORTABLE:
            raise frame.Unavailable(f"the table {PORTABLE} has no vectors that could meet, and would take minutes")
        command = [str(lab.build.pages), str(key["bytes"]), str(key["distance"]), str(PAIRS)]
        runs = [parse(frame.output_of(command, {lab.place.server})) for _ in range(lab.size.rounds)]
        return {"metrics": {name: frame.metric(unit, "less",
                                               {side: [run[side][name] for run in runs] for side in versus.VARIANTS})
                            for name, unit in (("time", "ns"), ("slowest over median", "times"))}}
