# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""One kind of server, stock and accelerated at the same time, against the same crowds:
what differs in their verdicts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.servers.common import rig
from . import kinds
from tests.servers.hostile.engine import Kind, Run, Verdict
from tests.servers.hostile.peer import Material
from tests.servers.hostile.servers import LIMIT, SERVERS


Verdicts = list[tuple[Kind, Verdict]]


@dataclass
class Comparison:
    """What both servers did with each client, in the order in which they came, and what the accelerated one counted."""

    server: str
    stock: Verdicts
    accelerated: Verdicts
    counters: dict[str, rig.Counts]

    def differences(self) -> list[str]:
        """What a client could see; the log is for people."""
        return [f"{kind.tls}, {kind.name}: stock {was}, accelerated {now}"
                for (kind, was), (_, now) in zip(self.stock, self.accelerated, strict=True) if was.told() != now.told()]

    def unserved(self) -> list[str]:
        """Honest clients that got no answer."""
        return [f"{kind.tls}, {kind.name}: {verdict}" for kind, verdict in self.stock + self.accelerated
                if kind in kinds.GOOD and verdict.answer != "200"]

    def talkative(self) -> list[str]:
        """Where a client of an oracle is told something else than its measure is."""
        found = []
        for verdicts in (self.stock, self.accelerated):
            measures = {kind.oracle: verdict for kind, verdict in verdicts if kind is kinds.measure(kind.oracle)}
            found += [f"{kind.name}: {verdict}, and not {measures[kind.oracle]}" for kind, verdict in verdicts
                      if kind.oracle and verdict.told() != measures[kind.oracle].told()]
        return found


def one(server: str, keys: Path, build: rig.Build | None, crowds: list[list[Kind]]) -> tuple[Verdicts, dict]:
    material = Material(keys)
    with SERVERS[server](keys, build) as target:
        idle = target.descriptors()
        # Honest ones first: their tickets are for the others, and the queue learns what its operations cost.
        for kind, verdict in Run(target, material).go([kinds.FIRST, *[kinds.GOOD * 2] * 3]):
            if verdict.answer != "200":
                raise rig.LabError(f"{server} does not serve honest clients: {kind.tls}, {kind.name}: {verdict}")
        verdicts = Run(target, material).go(crowds)
        rig.wait_until(lambda: target.descriptors() <= idle, f"{server} has closed all", 20 + 2 * LIMIT)
        return verdicts, target.counters() if build else {}


def compare(server: str, keys: Path, build: rig.Build, only: Callable[[Kind], bool] = lambda kind: True,
            copies: int = 1,
            seed: int = 1) -> Comparison:
    crowds = kinds.crowds(only, copies, seed)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(one, server, keys, under_test, crowds) for under_test in (None, build)]
        (stock, _), (accelerated, counters) = (run.result() for run in runs)
    return Comparison(server, stock, accelerated, counters)
