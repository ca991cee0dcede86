# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The HTML report: one file, its plots inside."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import jinja2
import matplotlib

matplotlib.use("Agg")  # no display
from matplotlib import pyplot  # noqa: E402

STOCK, OCTUPLE = "#9aa5b1", "#1f6feb"
TEMPLATES = Path(__file__).parent / "templates"


def png(figure) -> str:
    """A figure as a data: address."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight")
    pyplot.close(figure)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def paired_bars(results: list[dict], values: dict[str, list[float]], label: str) -> str:
    """Stock and octuple side by side, each pair relative to its stock, as the kinds of handshake differ tenfold; the
    numbers themselves stand above the bars."""
    figure, axes = pyplot.subplots(figsize=(9.5, 3.6))
    for variant, offset, colour in (("stock", -0.2, STOCK), ("octuple", 0.2, OCTUPLE)):
        places = [place + offset for place in range(len(results))]
        heights = [value / stock if stock else 0 for value, stock in zip(values[variant], values["stock"])]
        axes.bar(places, heights, 0.38, color=colour, label="stock" if variant == "stock" else "Octuple")
        for place, height, value in zip(places, heights, values[variant]):
            axes.annotate(f"{value:,.0f}", (place, height), ha="center", va="bottom", fontsize=8, xytext=(0, 2),
                          textcoords="offset points")
    names = [result["handshake"].replace("-", "\n").replace("mlkem", "\nmlkem") for result in results]
    axes.set_xticks(range(len(results)), names, fontsize=7)
    axes.set_ylabel(label)
    axes.grid(axis="y", alpha=0.25)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return png(figure)


def column(results: list[dict], *path: str) -> dict[str, list[float]]:
    """One number of both servers, for each handshake."""
    found: dict[str, list[float]] = {}
    for variant in ("stock", "octuple"):
        found[variant] = []
        for result in results:
            value = result[variant]
            for name in path:
                value = value[name]
            found[variant].append(value)
    return found


def fill_shares(fill: list[int]) -> list[float]:
    """Per cent of the operations (not of the batches) that ran in batches of 1, 2, ... 8."""
    total = sum(count * size for size, count in enumerate(fill, 1))
    return [100 * count * size / total if total else 0.0 for size, count in enumerate(fill, 1)]


def fill_plot(results: list[dict], load: str) -> str:
    """How full batches were; empty if there were none."""
    batched = [result for result in results if sum(result["octuple"][load]["batch_fill"])]
    if not batched:
        return ""
    figure, axes = pyplot.subplots(figsize=(9.5, 3.2))
    width = 0.8 / len(batched)
    for i, result in enumerate(batched):
        shares = fill_shares(result["octuple"][load]["batch_fill"])
        axes.bar([size - 0.4 + (i + 0.5) * width for size in range(1, 9)], shares, width, label=result["handshake"])
    axes.set_xticks(range(1, 9))
    axes.set_xlabel("operations in a batch")
    axes.set_ylabel("% of operations")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    return png(figure)


def plots(results: list[dict]) -> dict[str, str]:
    return {
        "cpu": paired_bars(results, column(results, "cpu_us_per_handshake"), "CPU per handshake (µs), stock = 1"),
        "rate": paired_bars(results, column(results, "handshakes_per_s"), "handshakes per second, stock = 1"),
        "p50": paired_bars(results, column(results, "latency_us", "p50"), "p50 latency (µs), stock = 1"),
        "p99": paired_bars(results, column(results, "latency_us", "p99"), "p99 latency (µs), stock = 1"),
        "fill_saturated": fill_plot(results, "saturated"),
        "fill_same_load": fill_plot(results, "same_load"),
    }


def render(document: dict) -> str:
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True,
                                     undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.get_template("report.html").render(plots=plots(document["results"]), fill_shares=fill_shares,
                                                          **document)
