# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Ratios as an SVG file for the results page: a row for each metric, a panel for each value of one part of the key.

It is written by hand, so that the same data give the same bytes, and `bench/results --check` can compare them.
"""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

from bench.measure.versus import STOCK

LABELS, PANEL, GAP, ROW, HEAD = 230, 180, 16, 15, 64
GAINS, LOSES, RULE, TEXT = "#1f6feb", "#c2410c", "#9aa5b1", "#1f2328"
NUMBER = 42  # the room for a ratio's digits
# A reader's page may be dark, and its pictures are then too, with the colours of templates/page.html.
DARK = {"fill='#ffffff'": "fill: #0d1117", f"fill='{GAINS}'": "fill: #58a6ff", f"fill='{LOSES}'": "fill: #f0883e",
        f"stroke='{TEXT}'": "stroke: #e6edf3", f"stroke='{RULE}'": "stroke: #768390",
        f"stroke='{GAINS}'": "stroke: #58a6ff", f"stroke='{LOSES}'": "stroke: #f0883e"}


def head(width: float, height: float) -> list[str]:
    """The picture's beginning, and its paper."""
    dark = "\n".join(f"[{what}] {{ {style}; }}" for what, style in DARK.items())
    return [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"',
            f'  font-family="system-ui, sans-serif" font-size="11" fill="{TEXT}">',
            f"<style>@media (prefers-color-scheme: dark) {{ svg {{ fill: #e6edf3; }}\n{dark} }}</style>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>']


def cells(points: list[dict], pivot: str) -> dict[str, dict[str, tuple]]:
    """By metric and value of the pivot: ratio and quartiles."""
    found: dict[str, dict[str, tuple]] = {}
    for point in points:
        for name, metric in point["metrics"].items():
            for side in metric["ratio"]:
                if side != STOCK:
                    row = found.setdefault(name, {})
                    row[str(point["key"][pivot])] = (metric["ratio"][side], metric["quartiles"][side])
    return found


def text(x: float, y: float, what: str, **more: str) -> str:
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in more.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{escape(what)}</text>'


class Scale:
    """Logarithmic, with 1 in it, so that half and double are as long."""

    def __init__(self, values: list[float], width: float):
        self.low, self.high = math.log(min([0.8, *values])), math.log(max([1.5, *values]))
        self.width = width

    def at(self, ratio: float) -> float:
        return self.width * (math.log(ratio) - self.low) / (self.high - self.low)


def bar(left: float, top: float, scale: Scale, ratio: float, quartiles: list[float]) -> list[str]:
    begin, end = sorted((scale.at(1), scale.at(ratio)))
    middle = top + ROW / 2
    colour = GAINS if ratio >= 1 else LOSES
    low, high = (left + scale.at(value) for value in quartiles)
    return [f'<rect x="{left + begin:.1f}" y="{top + 3:.1f}" width="{end - begin:.1f}" height="{ROW - 6}" '
            f'fill="{colour}"/>',
            f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle:.1f}" y2="{middle:.1f}" stroke="{TEXT}"/>',
            text(left + scale.width + 4, top + ROW - 4, f"{ratio:.2f}")]


def panel(rows: dict[str, dict[str, tuple]], name: str, left: float, bottom: float) -> list[str]:
    values = [value for row in rows.values() if name in row for value in (row[name][0], *row[name][1])]
    scale = Scale(values, PANEL - NUMBER)
    one = left + scale.at(1)
    found = [text(left, HEAD - 10, name, font_weight="bold"),
             f'<line x1="{one:.1f}" x2="{one:.1f}" y1="{HEAD - 4}" y2="{bottom}" stroke="{RULE}"/>']
    for number, row in enumerate(rows.values()):
        if name in row:
            found += bar(left, HEAD + number * ROW, scale, *row[name])
    return found


def svg(points: list[dict], pivot: str, title: str) -> str:
    rows = cells(points, pivot)
    names = [str(point["key"][pivot]) for point in points if point["metrics"]]
    width, bottom = LABELS + len(names) * (PANEL + GAP), HEAD + len(rows) * ROW
    found = [*head(width, bottom + 10),
             text(4, 20, f"{title}; the line is 1, scales are logarithmic, quartiles are thin lines", font_size="13")]
    found += [text(4, HEAD + (number + 1) * ROW - 4, name) for number, name in enumerate(rows)]
    for number, name in enumerate(names):
        found += panel(rows, name, LABELS + number * (PANEL + GAP), bottom)
    return "\n".join([*found, "</svg>"]) + "\n"
