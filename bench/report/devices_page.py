# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The tables of keys in devices and docs/results/keys.svg, from the file of `bench/keys --json`."""

from __future__ import annotations

import json
import math
from pathlib import Path

from .chart import GAINS, LOSES, RULE, head, text

DATA, CHART = "keys.json", "keys.svg"
HEAD = """\
# Keys in devices

From {data}, which `bench/keys --json` writes. Devices and set-ups are in docs/keys.md.

Handshakes are {handshake}, by {connections} connections, to one worker on {cpu}. Figures are medians of
{rounds} rounds of {seconds} s in turns; those of plain requests are of all rounds together. Client and worker have the
two CPUs of one core. But for the token, a signature costs the processor nothing. A latency of 0 shows what the server
itself can do. Each cell has stock, then Octuple.
"""
TABLE = """
## {server}, {device}

| latency, ms | threads | a second | ratio | median, ms | p99, ms | plain HTTP p99, ms | CPU of worker | CPU, us |
|---|---|---|---|---|---|---|---|---|
"""
TITLES = {"token": "SoftHSM2 behind a PKCS#11 module that sleeps", "provider": "a provider that sleeps",
          "card": "an engine that pauses", "pausing": "a provider that pauses"}
PAUSE = ("card", "pausing")
CHART_OF = ("nginx", "token")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 560, 340, 60, 40, 90, 40
NAME = 13  # the height of a name


def both(result: dict, name: str, scale: float = 1, digits: int = 0, unit: str = "") -> str:
    return ", ".join(f"{result['details'][side][name] / scale:,.{digits}f}{unit}" for side in ("stock", "octuple"))


def row(result: dict) -> str:
    threads = "-" if result["device"] in PAUSE else str(result["threads"])
    cells = [f"{result['latency_ms']:g}", threads, both(result, "handshakes_per_s"), f"{result['ratio']:.1f}",
             both(result, "p50_us", 1000, 1), both(result, "p99_us", 1000, 1), both(result, "plain_p99_us", 1000, 1),
             both(result, "worker_cpu_percent", unit=" %"), both(result, "all_cpu_us_per_handshake")]
    return f"| {' | '.join(cells)} |\n"


def document(docs: Path) -> dict | None:
    path = docs / "results" / DATA
    return json.loads(path.read_text()) if path.exists() else None


def render(docs: Path) -> str | None:
    """None without the data."""
    found = document(docs)
    if found is None:
        return None
    results = found["results"]
    connections = " or ".join(str(one) for one in sorted({result["connections"] for result in results}))
    page = HEAD.format(data=DATA, connections=connections,
                       **{name: found[name] for name in ("handshake", "cpu", "rounds", "seconds")})
    for server, device in dict.fromkeys((result["server"], result["device"]) for result in results):
        page += TABLE.format(server=server, device=TITLES[device])
        page += "".join(row(result) for result in results if (result["server"], result["device"]) == (server, device))
    return page


def lines(results: list[dict]) -> dict[str, dict[float, float]]:
    """By what a line is called: the rate at each latency."""
    found: dict[str, dict[float, float]] = {"stock": {}}
    for result in results:
        if (result["server"], result["device"]) == CHART_OF:
            found["stock"][result["latency_ms"]] = result["stock"]
            named = f"{result['threads']} thread{'s' if result['threads'] > 1 else ''}"
            found.setdefault(named, {})[result["latency_ms"]] = result["octuple"]
    return found


class Axis:
    """Logarithmic, from one place to another."""

    def __init__(self, values: list[float], begin: float, end: float):
        self.low, self.high = math.log(min(values)), math.log(max(values))
        self.begin, self.end = begin, end

    def at(self, value: float) -> float:
        part = (math.log(value) - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.begin + part * (self.end - self.begin)


def spread(heights: list[float]) -> list[float]:
    """So that no two names stand on each other."""
    found = list(heights)
    order = sorted(range(len(heights)), key=lambda i: -heights[i])
    for above, below in zip(order[1:], order):
        found[above] = min(found[above], found[below] - NAME)
    return found


def curves(drawn: dict[str, dict[float, float]], across: Axis, up: Axis) -> list[str]:
    places = [[(across.at(latency), up.at(rate)) for latency, rate in sorted(points.items())]
              for points in drawn.values()]
    parts = []
    for name, place, height in zip(drawn, places, spread([place[-1][1] for place in places])):
        colour = LOSES if name == "stock" else GAINS  # names stand at the lines' ends
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in place)
        parts += [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
                  text(place[-1][0] + 6, height + 4, name, fill=colour)]
    return parts


def chart(docs: Path) -> str | None:
    """None without the data. By hand as chart.py's, so that the same data give the same bytes."""
    found = document(docs)
    drawn = lines(found["results"]) if found else {"stock": {}}
    if not drawn["stock"]:
        return None
    rates = [rate for points in drawn.values() for rate in points.values()]
    across, up = Axis(list(drawn["stock"]), LEFT, WIDTH - RIGHT), Axis(rates, HEIGHT - BOTTOM, TOP)
    parts = [*head(WIDTH, HEIGHT),
             text(4, 18, "nginx with SoftHSM2: handshakes a second; both scales are logarithmic", font_size="13"),
             text(LEFT, HEIGHT - 8, "latency of the device, ms")]
    for latency in sorted(drawn["stock"]):
        parts.append(text(across.at(latency), HEIGHT - BOTTOM + 16, f"{latency:g}", text_anchor="middle"))
    for rate in (50, 100, 200, 500, 1000, 2000, 5000, 10000):
        if min(rates) <= rate <= max(rates):
            y = up.at(rate)
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{RULE}" '
                         'stroke-width="0.5"/>')
            parts.append(text(LEFT - 6, y + 4, f"{rate:,}", text_anchor="end"))
    return "\n".join([*parts, *curves(drawn, across, up), "</svg>"]) + "\n"
