# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What a plan says: workers for an offered rate, as a table."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from .costs import Costs
from .model import Outcome, simulate

HANDSHAKES = 6000
TIGHT = 90  # % of its core: as few workers as can be, to show beside the plan


def capacity(costs: Costs) -> float:
    """Handshakes a second of a saturated core."""
    return 1e6 / costs.saturated()


def outcome(costs: Costs, rate: float, workers: int) -> Outcome | None:
    """None if the core cannot do that."""
    if rate >= 0.98 * capacity(costs):
        return None
    out = simulate(costs, rate, workers, HANDSHAKES)
    return out if out.cpu / out.seconds < 0.98e6 else None


def fewest(costs: Costs, rate: float, cores: int, busy: float) -> int | None:
    """The fewest workers, each with a core of its own, that share this rate and use at most `busy` % of their core."""
    for workers in range(1, cores + 1):
        out = outcome(costs, rate / workers, 1)
        if out and out.cpu / out.seconds <= busy * 1e4:
            return workers
    return None


def show(costs: Costs, options: argparse.Namespace, console: Console) -> None:
    node = options.rate / options.nodes
    console.print(f"{costs.handshake}: a saturated core makes {capacity(costs):,.0f} handshakes a second, "
                  f"{options.nodes} nodes of {options.cores} cores "
                  f"{capacity(costs) * options.nodes * options.cores:,.0f}")
    least = fewest(costs, node, options.cores, options.busy)
    tightest = fewest(costs, node, options.cores, TIGHT)
    if least is None:
        console.print(f"{node:,.0f} a second are too many for a node at {options.busy:g} % of its cores", style="red")
    table = Table("workers of a node", "busy, %", "operations in a run", "CPU of a handshake, us", "p50, us", "p99, us",
                  "cores in all")
    for workers in sorted({tightest or options.cores, least or options.cores, options.cores, 2 * options.cores}):
        on_core = max(1, workers // options.cores)
        cores = min(workers, options.cores)
        out = outcome(costs, node / cores, on_core)
        if out:
            used = out.cpu / out.seconds / 1e6
            table.add_row(f"{workers}{' (the plan)' if workers == least else ''}", f"{100 * used:.0f}",
                          f"{out.mean_fill():.2f}", f"{out.cpu_us:.0f}", f"{out.quantile(0.5):.0f}",
                          f"{out.quantile(0.99):.0f}", f"{used * cores * options.nodes:.2f}")
        else:
            table.add_row(str(workers), "saturated", *[""] * 5)
    console.print(table)
