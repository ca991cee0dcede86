# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Octuple's counters, from the file that each process keeps (include/octuple/counters.h)."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from typing import Iterable

from . import ROOT

DEFINE = re.compile(r"^#define OCT_COUNTERS_(MAGIC|OPS|THREADS) +(\w+?)(?:ull)?$", re.MULTILINE)
OPERATION_LINE = re.compile(r'^OCT_\w*OPERATION\(\w+, "([^"]+)"', re.MULTILINE)


def _defines() -> dict[str, int]:
    header = (ROOT / "include/octuple/counters.h").read_text(encoding="utf-8")
    return {name: int(value, 0) for name, value in DEFINE.findall(header)}


MAGIC, ROOM, THREADS = (_defines()[name] for name in ("MAGIC", "OPS", "THREADS"))
LANES = 8
NAMES = tuple(OPERATION_LINE.findall((ROOT / "src/ops/ops.def").read_text(encoding="utf-8")))

HEADER = struct.Struct("=6Q16s")  # magic, pid, op_count, slots, started, start_ticks, command
OPERATION = struct.Struct(f"={6 + LANES + 1 + 2}Q")
SIZE = (1 + THREADS) * (HEADER.size + ROOM * OPERATION.size)  # the sum, and as much for each thread


class CountersError(Exception):
    """The bytes are not a counters file."""


@dataclass
class Operation:
    """struct oct_op_counters."""

    submitted: int = 0
    done: int = 0
    failed: int = 0
    fallback: int = 0
    cancelled: int = 0
    recomputed: int = 0
    flushes: list[int] = field(default_factory=lambda: [0] * LANES)
    lane_nanoseconds: int = 0

    def __sub__(self, other: "Operation") -> "Operation":
        single = {name: getattr(self, name) - getattr(other, name)
                  for name in ("submitted", "done", "failed", "fallback", "cancelled", "recomputed",
                               "lane_nanoseconds")}
        return Operation(flushes=[a - b for a, b in zip(self.flushes, other.flushes)], **single)

    def __add__(self, other: "Operation") -> "Operation":
        return self - (Operation() - other)

    @property
    def all(self) -> int:
        """Those that came to a result, in lanes or not."""
        return self.done + self.fallback

    def waited(self, least: int) -> bool:
        """So many waited for others, and lanes ran. How many of them lanes took is what the queue has measured, on a
        machine that may be busy."""
        return self.submitted >= least and self.done > 0


def total(several: Iterable[dict[str, Operation]]) -> dict[str, Operation]:
    """The sums over several processes."""
    result = {name: Operation() for name in NAMES}
    for one in several:
        for name, more in one.items():
            result[name] += more
    return result


def parse(data: bytes) -> dict[str, Operation]:
    """The counters by operation. An operation that this reader has no name for is "operation-N"."""
    if len(data) < SIZE:
        raise CountersError(f"{len(data)} bytes are too few for counters, which take {SIZE}")
    magic, _pid, count, *_reserved = HEADER.unpack_from(data)
    if magic == 0:
        return {}  # a process that starts makes the file, and then its head
    if magic != MAGIC:
        raise CountersError(f"the file begins with {magic:#x}, counters with {MAGIC:#x}")
    if count > ROOM:
        raise CountersError(f"{count} operations are more than the file has room for")
    result = {}
    for i in range(count):
        values = OPERATION.unpack_from(data, HEADER.size + i * OPERATION.size)
        result[NAMES[i] if i < len(NAMES) else f"operation-{i}"] = Operation(
            *values[:6], flushes=list(values[6:6 + LANES]), lane_nanoseconds=values[6 + LANES])
    return result


def read(path: Path) -> dict[str, Operation]:
    """The counters in a file; none if there is no such file (nothing of Octuple runs in that process)."""
    try:
        return parse(path.read_bytes())
    except FileNotFoundError:
        return {}


def difference(after: dict[str, Operation], before: dict[str, Operation]) -> dict[str, Operation]:
    """What happened in between, without operations of which there was none."""
    changes = {name: value - before.get(name, Operation()) for name, value in after.items()}
    return {name: value for name, value in changes.items() if value != Operation()}


def of_keys(octuple: Path, folder: Path) -> list[dict]:
    """What processes that keep their counters in a folder have counted of keys in devices, ended ones included."""
    said = subprocess.run([octuple, "top", "--once", "--json", f"{folder}/"], capture_output=True, text=True,
                          check=True).stdout
    return [keys for one in json.loads(said)["processes"] if (keys := one["keys"]) and keys["begun"]]
