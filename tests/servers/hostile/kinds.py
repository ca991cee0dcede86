# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""All kinds of hostile clients, and the honest ones among them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from . import kinds_hello, kinds_record, kinds_tls12, kinds_tls13
from tests.servers.hostile.engine import CROWD, Kind
from tests.servers.hostile.kinds_good import FIRST, GOOD

HOSTILE = kinds_hello.KINDS + kinds_record.KINDS + kinds_tls12.KINDS + kinds_tls13.KINDS


def measure(oracle: str) -> Kind | None:
    """What kinds of an oracle are held against."""
    return next((kind for kind in HOSTILE if oracle and kind.oracle == oracle), None)


def crowds(only: Callable[[Kind], bool], copies: int, seed: int) -> list[list[Kind]]:
    """The hostile kinds so many times, in an order by chance, and the honest ones in each crowd."""
    mixed = [kind for kind in HOSTILE if only(kind)] * copies
    random.Random(seed).shuffle(mixed)
    size = CROWD - len(GOOD)
    return [GOOD + mixed[start:start + size] for start in range(0, len(mixed), size)]


def repeated() -> list[tuple[str, str]]:
    """Names that are not the only ones: a defect of the table's."""
    return [name for name, count in Counter((kind.tls, kind.name) for kind in HOSTILE + GOOD).items() if count > 1]
