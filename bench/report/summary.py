# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""From all rounds of a run to what tables, pictures and the results page show: medians, and ratios with their spread.

A ratio says how many times better a side is than stock, whatever is better: above 1 it gains, below 1 it loses. It is
the median over the rounds, each its own pair, since both runs of a round are neighbours in time; its spread is the two
quartiles.
"""

from __future__ import annotations

import statistics

from bench.measure.versus import STOCK, rounded


def pair_ratios(stock: list[float], other: list[float], better: str) -> list[float]:
    pairs = [(a, b) for a, b in zip(stock, other) if a and b]
    return [b / a if better == "more" else a / b for a, b in pairs]


def quartiles(values: list[float]) -> list[float]:
    """The lower and the upper one; of a single value itself."""
    if len(values) < 2:
        return [round(values[0], 3)] * 2
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return [round(low, 3), round(high, 3)]


def of_metric(metric: dict, bases: dict[str, str] | None = None) -> dict:
    """`bases` names what each side is compared with, where that is not stock for all."""
    sides = {side: values for side, values in metric["sides"].items() if values}
    found: dict = {"unit": metric["unit"], "better": metric["better"],
                   "rounds": max(map(len, sides.values()), default=0),
                   "median": {side: rounded(statistics.median(values)) for side, values in sides.items()},
                   "ratio": {}, "quartiles": {}}
    for side, base in ({side: STOCK for side in sides if side != STOCK} if bases is None else bases).items():
        ratios = pair_ratios(sides.get(base, []), sides.get(side, []), metric["better"])
        if ratios:
            found["ratio"][side] = round(statistics.median(ratios), 3)
            found["quartiles"][side] = quartiles(ratios)
    return found


def of_records(records: list[dict]) -> list[dict]:
    return [{"key": record["key"], "metrics": {name: of_metric(metric) for name, metric in record["metrics"].items()}}
            for record in records]


def machine_of(about: dict, records: list[dict]) -> dict:
    """The machine, with the programs that were measured where these are not its own."""
    programs: dict[str, dict[str, None]] = {}
    for record in records:
        for name, version in record.get("notes", {}).get("programs", {}).items():
            programs.setdefault(name, {})[version] = None
    return about["machine"] | {name: ", ".join(versions) for name, versions in programs.items()}


def of_run(about: dict, records: list[dict]) -> dict:
    """A run in small: what docs/results keeps."""
    return {name: about[name]
            for name in ("experiment", "title", "about", "command", "size", "machine", "sessions")} | {
        "machine": machine_of(about, records), "points": of_records(records)}


def result_name(key: dict, metric: str, side: str, main_metric: str) -> str:
    """`nginx, 64: p50`. A main metric goes by its point alone, and others then stand behind that: `nginx 64 p50`."""
    of = [str(value) for value in key.values()]
    other = f", {side}" if side != "octuple" else ""
    if not main_metric:
        return f"{', '.join(of)}: {metric}{other}"
    return " ".join(of if metric == main_metric else [*of, metric]) + other


def results(records: list[dict], main_metric: str = "") -> list[dict]:
    """Every ratio: its name, the medians of stock and of the other side, their ratio, and its quartiles."""
    found = []
    for point in of_records(records):
        for name, metric in point["metrics"].items():
            for side, ratio in metric["ratio"].items():
                found.append({"name": result_name(point["key"], name, side, main_metric),
                              "stock": metric["median"][STOCK], "octuple": metric["median"][side], "ratio": ratio,
                              "spread": metric["quartiles"][side], "unit": metric["unit"], "better": metric["better"]})
    return found


def results_file(about: dict, found: list[dict], missing: list[str]) -> dict:
    """results.json: what every command of measurements has in the same form."""
    return {name: about[name] for name in ("experiment", "command", "machine", "sessions")} | {
        "not_measured": missing, "results": found}


def sides(points: list[dict]) -> list[str]:
    """All sides of some points, in the order in which they come."""
    found: dict[str, None] = {}
    for point in points:
        for metric in point["metrics"].values():
            found.update(dict.fromkeys(metric["median"]))
    return list(found)


def number(value: float | None) -> str:
    """For tables: three or four digits."""
    if value is None:
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def long_table(points: list[dict]) -> dict:
    """A row for each metric of each point: all medians, and ratios with their quartiles."""
    names, kept = key_names(points), sides(points)
    others = [side for side in kept if side != STOCK]
    head = [*names, "what", "unit", *kept, *(["ratio"] if len(others) == 1 else [f"{side} ratio" for side in others])]
    rows = []
    for point in points:
        for name, metric in point["metrics"].items():
            ratios = [ratio_text(metric, side) for side in kept if side != STOCK]
            rows.append([*(str(point["key"].get(part, "-")) for part in names), name, metric["unit"],
                         *(number(metric["median"].get(side)) for side in kept), *ratios])
    return {"head": head, "rows": rows, "numbers_from": len(names) + 2}


def ratio_text(metric: dict, side: str) -> str:
    if side not in metric["ratio"]:
        return "-"
    low, high = metric["quartiles"][side]
    return f"{metric['ratio'][side]:.2f}" + (f" ({low:.2f} to {high:.2f})" if metric["rounds"] > 1 else "")


def key_names(points: list[dict]) -> list[str]:
    return list(dict.fromkeys(name for point in points for name in point["key"]))


def pivot_table(points: list[dict], pivot: str) -> dict:
    """Ratios only: a row for each metric and side of the points that differ in nothing but `pivot`,
    whose values are columns."""
    names = [name for name in key_names(points) if name != pivot]
    columns = list(dict.fromkeys(point["key"][pivot] for point in points))
    several = [side for side in sides(points) if side != STOCK]
    cells: dict[tuple, dict] = {}
    for point in points:
        for name, metric in point["metrics"].items():
            for side in several:
                what = name if len(several) == 1 else f"{name}, {side}"
                row = (*(str(point["key"].get(part, "-")) for part in names), what)
                text = f"{metric['ratio'][side]:.2f}" if side in metric["ratio"] else "-"
                cells.setdefault(row, {})[point["key"][pivot]] = text
    rows = [[*row, *(found.get(column, "-") for column in columns)] for row, found in cells.items()]
    return {"head": [*names, f"what; by {pivot}:", *map(str, columns)], "rows": rows, "numbers_from": len(names) + 1,
            "ratios": True}


def tables(points: list[dict], pivots: tuple[str, ...]) -> list[dict]:
    """Tables for a page: points that have a pivot go into its table, the others into a long one."""
    found, left = [], points
    for pivot in pivots:
        having = [point for point in left if pivot in point["key"]]
        left = [point for point in left if pivot not in point["key"]]
        if having:
            found.append(pivot_table(having, pivot))
    return found + ([long_table(left)] if left else [])
