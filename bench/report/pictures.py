# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Pictures of measured points: ratios as bars, lines over a part of the key, pairs of bars, histograms.

All are HTML by the picture's name, bars by boxes and lines by SVG, with the colours that the page has for light and for
dark (templates/page.html). They are made here, as a library for plots brings numpy: 100 MB to fetch, 600 on the disk.
"""

from __future__ import annotations

import math
import statistics
from itertools import cycle

from markupsafe import Markup, escape

from bench.measure.versus import STOCK
from . import summary

# The page's classes; what is neither has the others, in turns.
CLASSES, OTHERS = {STOCK: "stock", "octuple": "gain"}, ("loss", "ink", "gain dashed", "loss dashed")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 360, 200, 60, 8, 8, 34
Bar = tuple[str, float, list[float], bool]  # its name, the ratio, the quartiles, and whether it is a minor one


def classes(sides: list[str]) -> dict[str, str]:
    others = cycle(OTHERS)
    return {side: CLASSES.get(side) or next(others) for side in sides}


def tag(name: str, text: str | Markup = "", **attributes: object) -> Markup:
    """Attributes are written with _ for - and without a last _."""
    given = Markup("").join(Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), value)
                            for key, value in attributes.items())
    return Markup("<{}{}>{}</{}>").format(Markup(name), given, text, Markup(name))


def joined(parts: list[Markup]) -> Markup:
    return Markup("\n").join(parts)


def figure(title: str, *parts: Markup, kind: str = "") -> Markup:
    caption = [tag("figcaption", title)] if title else []
    return tag("figure", joined([*caption, *parts]), class_=kind)


def legend(sides: dict[str, str]) -> Markup:
    return tag("p", joined([tag("span", Markup("{} {}").format(tag("i", class_=kind), side))
                            for side, kind in sides.items()]), class_="legend")


# ratios

class Scale:
    """Logarithmic, in per cent of the width, with 1 in it: half and double are as long."""

    def __init__(self, values: list[float]):
        self.low, self.high = math.log(min([0.9, *values])), math.log(max([1.5, *values]))

    def at(self, ratio: float) -> float:
        return round(100 * (math.log(ratio) - self.low) / (self.high - self.low), 2)


SHOWN = {"gain": "won", "loss": "lost", "stock": "same"}  # the class of its figure


def kind(ratio: float) -> str:
    """The class of what has it, as two digits show it: 1.00 is neither gain nor loss."""
    shown = round(ratio, 2)
    return "gain" if shown > 1 else "loss" if shown < 1 else "stock"


def ratio_bar(scale: Scale, bar: Bar) -> Markup:
    """From 1 to the right for a gain, to the left for a loss; the quartiles are a thin line."""
    name, ratio, spread, minor = bar
    begin, end = sorted((scale.at(1), scale.at(ratio)))
    width = max(0.3, round(end - begin, 2))
    parts = [tag("i", class_=kind(ratio) + " minor" * minor, style=f"left:{begin}%;width:{width}%"),
             tag("u", style=f"left:{scale.at(1)}%")]
    if spread[0] != spread[1]:
        low, high = (scale.at(value) for value in spread)
        parts.append(tag("s", style=f"left:{low}%;width:{round(high - low, 2)}%"))
    return joined([tag("span", name, class_="name"), tag("span", Markup("").join(parts), class_="track"),
                   tag("b", f"{ratio:.2f}", class_=SHOWN[kind(ratio)])])


def ratio_bars(bars: list[Bar], title: str = "") -> Markup:
    scale = Scale([value for _, ratio, spread, _ in bars for value in (ratio, *spread) if value > 0])
    return figure(title, tag("div", joined([ratio_bar(scale, bar) for bar in bars]), class_="bars"))


def ratios(records: list[dict]) -> dict[str, Markup]:
    """How many times better than stock: for each metric, point and side. A point's first metric is the one to look at;
    the others are pale."""
    panels: dict[str, list[Bar]] = {}
    points = summary.of_records(records)
    split = panels_pay(points)
    for point in points:
        first, *rest = (str(value) for value in point["key"].values())
        title, names = (first, rest) if split else ("", [first, *rest])
        for number, (name, metric) in enumerate(point["metrics"].items()):
            for side, ratio in metric["ratio"].items():
                label = ", ".join([*names, name] + [side] * (len(metric["ratio"]) > 1))
                panels.setdefault(title, []).append((label, ratio, metric["quartiles"][side], number > 0))
    return {"ratios": joined([ratio_bars(bars, title) for title, bars in panels.items()])} if panels else {}


def panels_pay(points: list[dict]) -> bool:
    """Whether what the first part of the key says is better seen in panels: many bars, and several for each."""
    bars = sum(len(metric["ratio"]) for point in points for metric in point["metrics"].values())
    return bars > 24 and bars >= 4 * len({next(iter(point["key"].values())) for point in points})


# pairs of bars

def bars(medians: dict[str, dict[str, float]], label: str) -> Markup:
    """A bar of each side for each name: what it took."""
    kinds = classes(list(dict.fromkeys([STOCK, "octuple", *(side for sides in medians.values() for side in sides)])))
    longest = max((value for sides in medians.values() for value in sides.values()), default=1) or 1
    parts = []
    for name, sides in medians.items():
        for side, kind in kinds.items():
            value = sides.get(side, 0)
            box = tag("i", class_=kind, style=f"left:0;width:{round(100 * value / longest, 2)}%")
            parts += [tag("span", name if side == STOCK else "", class_="name"), tag("span", box, class_="track"),
                      tag("b", summary.number(value))]
    return figure(label, legend(kinds), tag("div", joined(parts), class_="bars pairs"))


# lines and histograms: small panels, as many beside each other as there is room for

def ticks(low: float, high: float, logarithmic: bool) -> list[float]:
    """Two to six round numbers from `low` to `high`."""
    if logarithmic and high >= 10 * low:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for steps in ((1, 2, 5), (1, 3), (1,)):
            found = [step * 10.0 ** power for power in powers for step in steps if low <= step * 10.0 ** power <= high]
            if len(found) <= 6:
                return found
        return found[::-(-len(found) // 6)]
    unit = 10.0 ** math.floor(math.log10((high - low) / 4 or 1))
    every = ((step, range(math.ceil(low / step), math.floor(high / step) + 1)) for step in
             (unit, 2 * unit, 5 * unit, 10 * unit))
    return next([step * number for number in numbers] for step, numbers in every if len(numbers) <= 6)


class Panel:
    """An SVG of a fixed size, so that its words can be read on every screen."""

    def __init__(self, low: float, high: float, logarithmic: bool, places: list[str]):
        if logarithmic:
            low, high = max(low, 1e-9), max(high, low * 1.01, 1e-9)
        self.low, self.high, self.logarithmic, self.places = low, high if high > low else low + 1, logarithmic, places

    def y(self, value: float) -> float:
        value, low, high = (math.log(max(one, 1e-9)) if self.logarithmic else one
                            for one in (value, self.low, self.high))
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low), 1)

    def x(self, place: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (place + 0.5) / max(1, len(self.places)), 1)

    def text(self, x: float, y: float, text: str, anchor: str = "middle") -> Markup:
        return tag("text", text, x=x, y=y, text_anchor=anchor)

    def frame(self, label: str) -> list[Markup]:
        found = []
        for value in ticks(self.low, self.high, self.logarithmic):
            found += [tag("path", d=f"M{LEFT} {self.y(value)}H{WIDTH - RIGHT}", class_="rule"),
                      self.text(LEFT - 4, self.y(value) + 4, f"{value:,.10g}", "end")]
        every = -(-len(self.places) // 8) or 1
        found += [self.text(self.x(number), HEIGHT - BOTTOM + 14, place)
                  for number, place in enumerate(self.places) if number % every == 0]
        return [*found, self.text((LEFT + WIDTH) / 2, HEIGHT - 4, label)]

    def line(self, points: list[tuple[int, float]], kind: str) -> list[Markup]:
        path = "L".join(f"{self.x(place)} {self.y(value)}" for place, value in points)
        return [tag("path", d=f"M{path}", class_=f"line {kind}"),
                *(tag("circle", cx=self.x(place), cy=self.y(value), r=2.5, class_=kind) for place, value in points)]

    def bar(self, begin: float, end: float, value: float, kind: str) -> Markup:
        return tag("rect", x=self.x(begin), width=round(self.x(end) - self.x(begin), 1), y=self.y(value),
                   height=round(self.y(self.low) - self.y(value), 1), class_=kind)

    def drawn(self, title: str, label: str, parts: list[Markup]) -> Markup:
        return figure(title, tag("svg", joined(self.frame(label) + parts), viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img",
                                 aria_label=escape(title)), kind="panel")


def panels(parts: list[Markup], sides: dict[str, str]) -> Markup:
    return joined([legend(sides), tag("div", joined(parts), class_="panels")]) if parts else Markup("")


def line_panel(title: str, unit: str, label: str, series: dict[str, list[tuple[str, float]]], kinds: dict[str, str],
               logarithmic: bool) -> Markup:
    places = list(dict.fromkeys(place for points in series.values() for place, _ in points))
    values = [value for points in series.values() for _, value in points]
    panel = Panel(min(values) if logarithmic else 0, max(values), logarithmic, places)
    parts = [part for side, points in series.items()
             for part in panel.line([(places.index(place), value) for place, value in points], kinds[side])]
    return panel.drawn(f"{title}, {unit}", label, parts)


def lines(records: list[dict], part: str, label: str, logarithmic: bool = True) -> Markup:
    """Medians of all sides over one part of the key, a panel for each metric of what differs in nothing else."""
    found: dict[tuple, dict[str, list[tuple[str, float]]]] = {}
    for record in records:
        others = ", ".join(f"{name} {value}" if isinstance(value, int) else value
                           for name, value in record["key"].items() if name != part)
        for name, metric in record["metrics"].items():
            panel = found.setdefault((f"{others}: {name}", metric["unit"]), {})
            for side, values in metric["sides"].items():
                if values:
                    panel.setdefault(side, []).append((str(record["key"][part]), statistics.median(values)))
    kinds = classes(list(dict.fromkeys(side for panel in found.values() for side in panel)))
    return panels([line_panel(title, unit, label, panel, kinds, logarithmic)
                   for (title, unit), panel in found.items() if panel], kinds)


def histograms(title: str, functions: dict[str, dict[str, list]]) -> Markup:
    """Shares of calls over time, which has powers of two as buckets; a panel for each function."""
    parts = []
    for name, sides in functions.items():
        shares = {side: {low: 100 * count / sum(count for *_, count in histogram) for low, _, count in histogram}
                  for side, histogram in sides.items() if histogram}
        places = sorted({low for found in shares.values() for low in found})
        panel = Panel(0, max((share for found in shares.values() for share in found.values()), default=1), False,
                      [str(low) for low in places])
        boxes = [panel.bar(places.index(low) - 0.4 + 0.4 * number, places.index(low) + 0.4 * number, share,
                           CLASSES[side])
                 for number, (side, found) in enumerate(shares.items()) for low, share in found.items()]
        parts.append(panel.drawn(f"{name}, % of calls", "us, from", boxes))
    return figure(title, panels(parts, CLASSES))
