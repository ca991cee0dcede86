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


def plan(costs: Costs, options: argparse.Namespace) -> dict:
    """The plan, and what other numbers of workers on a node would do."""
    node = options.rate / options.nodes
    least, tightest = (fewest(costs, node, options.cores, busy) for busy in (options.busy, TIGHT))
    counts = {tightest or options.cores, least or options.cores, options.cores, 2 * options.cores}
    return {"handshake": costs.handshake, "rate": options.rate, "nodes": options.nodes, "cores": options.cores,
            "busy": options.busy, "saturated_core_per_s": round(capacity(costs)), "workers": least,
            "rows": [row(costs, node, workers, options) for workers in sorted(counts)]}


def row(costs: Costs, node: float, workers: int, options: argparse.Namespace) -> dict:
    """Workers on a node with `node` handshakes a second; only their number where its cores cannot do that."""
    cores = min(workers, options.cores)
    out = outcome(costs, node / cores, max(1, workers // options.cores))
    if out is None:
        return {"workers": workers}
    used = out.cpu / out.seconds / 1e6
    return {"workers": workers, "busy_percent": round(100 * used, 1), "fill": round(out.mean_fill(), 3),
            "cpu_us_per_handshake": round(out.cpu_us, 1), "p50_us": round(out.quantile(0.5)),
            "p99_us": round(out.quantile(0.99)), "cores_in_all": round(used * cores * options.nodes, 2)}


def show(found: dict, console: Console) -> None:
    saturated = found["saturated_core_per_s"]
    console.print(f"{found['handshake']}: a saturated core makes {saturated:,} handshakes a second, "
                  f"{found['nodes']} nodes of {found['cores']} cores {saturated * found['nodes'] * found['cores']:,}")
    if found["workers"] is None:
        console.print(f"{found['rate'] / found['nodes']:,.0f} a second are too many for a node at {found['busy']:g} % "
                      "of its cores", style="red")
    table = Table("workers of a node", "busy, %", "operations in a run", "CPU of a handshake, us", "p50, us", "p99, us",
                  "cores in all")
    for one in found["rows"]:
        workers, *cells = one.values()
        name = f"{workers} (the plan)" if workers == found["workers"] else str(workers)
        table.add_row(name, *(map(str, cells) if cells else ["more than its cores bear", *[""] * 5]))
    console.print(table)
