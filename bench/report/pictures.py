# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Pictures of measured points: ratios as bars, lines over a part of the key, histograms.
All return figures by the file's name."""

from __future__ import annotations

import statistics

from matplotlib.colors import to_rgba

from bench.experiments.frame import STOCK
from . import summary
from .plots import OCTUPLE, STOCK as STOCK_COLOUR, pyplot

LOST = "#d4762a"
COLOURS = {STOCK: STOCK_COLOUR, "octuple": OCTUPLE}


def plain(axes, grid: str = "both") -> None:
    axes.grid(axis=grid, alpha=0.25)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)


def ratios(records: list[dict]) -> dict:
    """How many times better than stock, as bars: for each metric, point and side, with quartiles as whiskers. A point's
    first metric is the one to look at; the others are pale. What loses has a colour of its own."""
    panels: dict[str, list[tuple]] = {}
    points = summary.of_records(records)
    split = panels_pay(points)
    for point in points:
        first, *rest = (str(value) for value in point["key"].values())
        title, names = (first, rest) if split else ("", [first, *rest])
        for number, (name, metric) in enumerate(point["metrics"].items()):
            for side, ratio in metric["ratio"].items():
                label = ", ".join([*names, name])
                panels.setdefault(title, []).append(
                    (label + (f", {side}" if len(metric["ratio"]) > 1 else ""), ratio, metric["quartiles"][side],
                     0.45 if number else 1))
    if not panels:
        return {}
    columns = 2 if split else 1
    rows = -(-len(panels) // columns)
    longest = max(map(len, panels.values()))
    figure, grid = pyplot.subplots(rows, columns, figsize=(9.5 if columns == 1 else 13, rows * (0.6 + 0.24 * longest)),
                                   squeeze=False)
    for axes, (title, bars) in zip(grid.flat, panels.items()):
        ratio_bars(axes, bars)
        axes.set_title(title, fontsize=9, loc="left")
    hide_rest(grid, len(panels))
    figure.tight_layout()
    return {"ratios": figure}


def panels_pay(points: list[dict]) -> bool:
    """Whether what the first part of the key says is better seen in panels: many bars, and several for each."""
    bars = sum(len(metric["ratio"]) for point in points for metric in point["metrics"].values())
    return bars > 24 and bars >= 4 * len({next(iter(point["key"].values())) for point in points})


def ratio_bars(axes, bars: list[tuple]) -> None:
    """Each has its name, its ratio, the quartiles, and how opaque it is."""
    places = range(len(bars))
    axes.barh(places, [ratio for _, ratio, *_ in bars], 0.7,
              color=[to_rgba(OCTUPLE if ratio >= 1 else LOST, alpha) for _, ratio, _, alpha in bars])
    spreads = [spread for *_, spread, _ in bars]
    axes.hlines(places, [low for low, _ in spreads], [high for _, high in spreads], color="black", linewidth=1)
    axes.axvline(1, color=STOCK_COLOUR)
    axes.set_yticks(places, [name for name, *_ in bars])
    axes.invert_yaxis()
    axes.set_xlabel("times better than stock (quartiles of the rounds)", fontsize=8)
    plain(axes, "x")


def lines(records: list[dict], part: str, label: str, logarithmic: bool = True):
    """Medians of all sides over one part of the key, a panel for each metric of what differs in nothing else."""
    panels: dict[tuple, dict[str, list[tuple]]] = {}
    for record in records:
        others = ", ".join(f"{name} {value}" if isinstance(value, int) else value
                           for name, value in record["key"].items() if name != part)
        for name, metric in record["metrics"].items():
            panel = panels.setdefault((f"{others}: {name}", metric["unit"]), {})
            for side, values in metric["sides"].items():
                panel.setdefault(side, []).append((record["key"][part], statistics.median(values)))
    columns = 3
    rows = max(1, -(-len(panels) // columns))
    figure, grid = pyplot.subplots(rows, columns, figsize=(12, 2.7 * rows), squeeze=False)
    for axes, ((title, unit), panel) in zip(grid.flat, panels.items()):
        for side, points in panel.items():
            axes.plot(range(len(points)), [value for _, value in points],
                      marker="o", markersize=3, label=side, color=COLOURS.get(side))
            axes.set_xticks(range(len(points)), [str(place) for place, _ in points])
        axes.set_yscale("log" if logarithmic else "linear")
        axes.set_title(title, fontsize=8)
        axes.set_xlabel(label, fontsize=8)
        axes.set_ylabel(unit, fontsize=8)
        plain(axes)
    hide_rest(grid, len(panels))
    grid[0][0].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    return figure


def bars(medians: dict[str, dict[str, float]], label: str):
    """A pair of bars for each name: what each side took."""
    figure, axes = pyplot.subplots(figsize=(9.5, 0.8 + 0.4 * len(medians)))
    for offset, side in ((-0.2, STOCK), (0.2, "octuple")):
        values = [found.get(side, 0) for found in medians.values()]
        axes.barh([place + offset for place in range(len(medians))], values, 0.38, color=COLOURS[side], label=side)
    axes.set_yticks(range(len(medians)), list(medians))
    axes.invert_yaxis()
    axes.set_xlabel(label, fontsize=8)
    axes.legend(frameon=False, fontsize=8)
    plain(axes, "x")
    return figure


def histograms(functions: dict[str, dict[str, list]], title: str):
    """Shares of calls over time, which has powers of two as buckets; a panel for each function."""
    columns = 3
    rows = max(1, -(-len(functions) // columns))
    figure, grid = pyplot.subplots(rows, columns, figsize=(12, 2.6 * rows), squeeze=False)
    for axes, (name, sides) in zip(grid.flat, functions.items()):
        for side, histogram in ((side, histogram) for side, histogram in sides.items() if histogram):
            total = sum(count for *_, count in histogram)
            lows = [max(low, high / 2) for low, high, _ in histogram]  # on a logarithmic scale nothing begins at zero
            axes.bar(lows, [100 * count / total for *_, count in histogram],
                     [high - low for low, (_, high, _) in zip(lows, histogram)],
                     align="edge", label=side, color=COLOURS[side], alpha=0.6)
        axes.set_xscale("log")
        axes.set_title(f"{title}: {name}", fontsize=7)
        axes.set_xlabel("us", fontsize=7)
        axes.set_ylabel("% of calls", fontsize=7)
        axes.legend(frameon=False, fontsize=7)
        plain(axes)
    hide_rest(grid, len(functions))
    figure.tight_layout()
    return figure


def hide_rest(grid, used: int) -> None:
    for axes in list(grid.flat)[used:]:
        axes.set_visible(False)
