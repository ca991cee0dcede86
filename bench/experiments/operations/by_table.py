# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Operations on each table of kernels, with OpenSSL as on a CPU of which that table is the best."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import Iterable, Iterator

from bench.measure.arguments import PORTABLE, TABLES, asked_table, mask_of
from .. import frame
from . import peers

OPERATIONS = tuple("rsa2048-private rsa3072-private rsa4096-private rsa2048-public rsa4096-public x25519-derive "
                   "x25519-keygen p256-sign p256-derive p256-verify p384-sign p384-derive ed25519-sign ed25519-verify "
                   "sm2-sign mlkem768-keygen mlkem768-encaps mlkem768-decaps mldsa65-sign mldsa65-verify".split())
SETTING_UP = 3  # seconds for the keys of one run


def column(table: str) -> str:
    """The table, and what a reader has to know of the other side."""
    masked = {TABLES["avx2"]: "AVX-512 masked", TABLES["avx512f"]: "newer AVX-512 masked"}.get(mask_of(table))
    return f"{table}, {masked}" if masked else table


def settings(table: str) -> list[str]:
    """For the command env."""
    return [f"OCTUPLE_TABLE={table}", *(f"OPENSSL_ia32cap={mask}" for mask in [mask_of(table)] if mask)]


def points_of(part: str, names: Iterable[str], size: frame.Size) -> list[frame.Point]:
    """One for each name, which `part` of a key says, with all operations."""
    seconds = size.rounds * (SETTING_UP + len(OPERATIONS) * size.seconds)
    return [frame.Point({part: name}, seconds) for name in names]


class ByTable(frame.Experiment):
    name = "tables"
    title = "Operations on each table of kernels"
    about = ("`octuple speed` with eight lanes full beside OpenSSL in one process, in turns, pinned to one CPU, with "
             "OCTUPLE_TABLE set and OpenSSL kept from the instructions that a CPU of which that table is the best does "
             "not have (OPENSSL_ia32cap). Clock, ports and caches are this CPU's: it says what the arithmetic does "
             "here, and not what an older CPU would do. `stock` is OpenSSL, where it has the operation.")
    full, quick = frame.Size(4, 0.8), frame.Size(1, 0.1)
    pivots = ("table",)
    every_metric = True

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        tables = [asked_table()] if asked_table() else [table for table in TABLES if table != PORTABLE]
        return points_of("table", map(column, tables), size)

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        yield lambda point: self.measure(lab, next(table for table in TABLES if column(table) == point.key["table"]))

    @staticmethod
    def measure(lab: frame.Lab, table: str) -> dict:
        prefix = ["env", *settings(table)]
        info = json.loads(frame.output_of([*prefix, str(lab.build.octuple), "info", "--json"]))
        if info["table"]["name"] != table:
            raise frame.Unavailable(f"this CPU cannot run the table {table}")
        texts = [peers.Peers.speed(lab, prefix, list(OPERATIONS)) for _ in range(lab.size.rounds)]
        return {"metrics": peers.of_speed(texts)}
