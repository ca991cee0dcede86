# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The model as an SVG file: CPU of a handshake and operations in a run over the load of a core, a line for each number
of workers on it, and what was measured as dots. By hand, so that the same costs give the same bytes."""

from __future__ import annotations

from bench.report.chart import GAINS, LOSES, RULE, head, text
from .costs import Costs
from .forecast import capacity, outcome

COLOURS = {1: GAINS, 2: LOSES, 4: "#2da44e"}  # by workers on the core
LOADS = tuple(range(10, 91, 10))
WIDTH, HEIGHT, LEFT, TOP, GAP_X, GAP_Y = 300, 150, 40, 60, 60, 60
METRICS = {"CPU of a handshake": ("us", 100), "operations in a run": ("", 1)}


class Panel:
    def __init__(self, column: int, row: int, highest: float):
        self.left, self.top = LEFT + column * (WIDTH + GAP_X), TOP + row * (HEIGHT + GAP_Y)
        self.highest = highest

    def at(self, load: float, value: float) -> tuple[float, float]:
        return self.left + WIDTH * load / 100, self.top + HEIGHT * (1 - value / self.highest)

    def frame(self, title: str, step: float) -> list[str]:
        bottom = self.top + HEIGHT
        found = [text(self.left, self.top - 8, title, font_weight="bold")]
        for i in range(int(self.highest / step) + 1):
            y = self.at(0, i * step)[1]
            found += [f'<line x1="{self.left}" x2="{self.left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="{RULE}" '
                      'stroke-width="0.4"/>', text(self.left - 30, y + 4, f"{i * step:g}")]
        return found + [text(self.at(load, 0)[0] - 8, bottom + 14, f"{load} %") for load in (0, 50, 100)]

    def line(self, values: list[tuple[float, float]], colour: str) -> str:
        places = " ".join("{:.1f},{:.1f}".format(*self.at(*value)) for value in values)
        lines = "\n".join(places.split(" "))  # no line of the file is long
        return f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="\n{lines}"/>'

    def dot(self, load: float, value: float, colour: str) -> str:
        x, y = self.at(load, value)
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'


def workers_of(point: dict) -> int:
    return int(point["key"]["setting"].split()[0])


def panels(costs: Costs, points: list[dict], row: int) -> list[str]:
    found = []
    lines = {count: [(load, outcome(costs, capacity(costs) * load / 100, count)) for load in LOADS]
             for count in COLOURS}
    for column, (name, (unit, step)) in enumerate(METRICS.items()):
        curves = {count: [(load, out.cpu_us if unit else out.mean_fill()) for load, out in line if out]
                  for count, line in lines.items()}
        dots = [(point["key"]["load, %"], point["metrics"][name]["median"]["measured"],
                 COLOURS[workers_of(point)])
                for point in points if point["key"]["load, %"] < 100]
        values = [value for curve in curves.values() for _, value in curve] + [value for _, value, _ in dots]
        panel = Panel(column, row, 1.1 * max(values))
        found += panel.frame(f"{costs.handshake}: {name}{', ' * bool(unit)}{unit}", step)
        found += [panel.line(curve, COLOURS[count]) for count, curve in curves.items()]
        found += [panel.dot(*dot) for dot in dots]
    return found


def svg(costs: dict[str, Costs], points: list[dict]) -> str:
    width, height = LEFT + 2 * (WIDTH + GAP_X), TOP + len(costs) * (HEIGHT + GAP_Y)
    found = [*head(width, height),
             text(4, 18, "Load of a core, in % of what it makes when saturated; lines: model, dots: measured")]
    found += [text(4 + 90 * i, 36, f"{count} worker{'s' * (count > 1)}", fill=colour)
              for i, (count, colour) in enumerate(COLOURS.items())]
    for row, (name, one) in enumerate(costs.items()):
        found += panels(one, [point for point in points if point["key"]["handshake"] == name], row)
    return "\n".join([*found, "</svg>"]) + "\n"
