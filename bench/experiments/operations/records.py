# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""AEADs by the size of the record, through EVP as libssl calls them."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import Iterator

from bench.measure import versus
from .. import frame

CIPHERS = ("AES-128-GCM", "AES-256-GCM", "ChaCha20-Poly1305")
SIZES, QUICK_SIZES = (64, 256, 512, 1024, 1440, 2048, 4096, 8192, 16384), (64, 256, 1440, 4096, 16384)


def parse(text: str) -> dict[str, dict[str, float]]:
    """Nanoseconds of a record on both sides, sealed and opened."""
    return {row["verb"]: {side: row[f"{side}_ns"] for side in versus.VARIANTS} for row in json.loads(text)}


class Records(frame.Experiment):
    name = "records"
    title = "AEADs by record size"
    about = ("Records of TLS 1.3 as libssl makes them through EVP (nonce, additional data, text, tag), by OpenSSL's "
             "provider and Octuple's in one process in turns of thirty microseconds (`octuple-evp`), pinned to one "
             "CPU; time of one record.")
    full, quick = frame.Size(7, 800), frame.Size(3, 200)  # not seconds, but turns of each run
    pivots = ("bytes",)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        seconds = size.rounds * (0.05 + size.seconds * 4 * 35e-6)
        return [frame.Point({"cipher": cipher, "bytes": count}, seconds)
                for cipher in CIPHERS for count in (QUICK_SIZES if quick else SIZES)]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        yield lambda point: self.measure(lab, point.key)

    @staticmethod
    def measure(lab: frame.Lab, key: dict) -> dict:
        command = [str(lab.build.evp), "--json", "--algorithm", key["cipher"],
                   "--shape", "records", "--len", str(key["bytes"]),
                   "--turns", str(int(lab.size.seconds)), str(lab.build.provider.parent)]
        runs = [parse(frame.output_of(command, {lab.place.server})) for _ in range(lab.size.rounds)]
        return {"metrics": {verb: frame.metric("ns", "less",
                                               {side: [run[verb][side] for run in runs] for side in versus.VARIANTS})
                            for verb in runs[0]}}

    def pictures(self, records: list[dict]) -> dict:
        from bench.report import pictures

        return {"sizes": pictures.lines(records, "bytes", "bytes of a record")}
