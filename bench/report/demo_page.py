# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What ./demo says: some lines of conclusion, its tables, and the HTML page that has both."""

from __future__ import annotations

from . import html, pictures

SAME = 1.03  # a ratio within that of 1 says nothing
WORSE_PERCENT = 0.5  # from here on a latency is told as a loss
MOST = 10  # lines of conclusion; these kinds come first, as most servers have them
COMMON = ("tls12-ecdhe-rsa2048", "tls13-rsa2048", "tls13-ecdsa-p256", "tls13-rsa2048-x25519mlkem768")
AGAINST = "where it does not help: "
SIDES = ("stock", "octuple")


def times(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio >= 1.1 else f"{ratio:.2f}"


def gain(result: dict) -> str:
    """Of one kind of handshake, in a line."""
    before, after = (result[side]["cpu_us_per_handshake"] for side in SIDES)
    ratio, tail = result["cpu_ratio"], f"({after:,.0f} us instead of {before:,.0f})"
    if ratio >= SAME:
        return f"{result['title']}: {times(ratio)} times less CPU for a handshake {tail}"
    if ratio <= 1 / SAME:
        return f"{result['title']}: {times(1 / ratio)} times more CPU for a handshake {tail}"
    return f"{result['title']}: the same CPU for a handshake {tail}"


def lone(alone: list[dict]) -> str:
    """What a client waits where no other comes with it."""
    changes = [one["p50_change_percent"] for one in alone]
    line = f"one connection at a time, nothing to gather: latency {changed(round(min(changes)), round(max(changes)))}"
    return AGAINST * (max(changes) >= WORSE_PERCENT) + line


def changed(low: int, high: int) -> str:
    """Per cent, in words."""
    if low < 0 < high:
        return f"between {-low} % lower and {high} % higher"
    if low == high == 0:
        return "the same"
    least, most = sorted((abs(low), abs(high)))
    span = f"{least} to {most} %" if least < most else f"{most} %"
    return span + (" lower" if low < 0 else " higher")


def between(results: list[dict]) -> str:
    low, high = (times(bound(result["cpu_ratio"] for result in results)) for bound in (min, max))
    return low if low == high else f"{low} to {high}"


def against(document: dict) -> list[str]:
    """What does not gain, and what it costs."""
    found = [AGAINST + gain(result) for result in document["results"] if result["cpu_ratio"] < SAME]
    found += [lone(document["alone"])] if document["alone"] else []
    added = document["memory"]["added"]["private"]
    return [*found, f"memory: {abs(added) / 1024:.1f} MB {'more' if added >= 0 else 'less'} of each worker's own"]


def in_short(results: list[dict]) -> str:
    gains = [result for result in results if result["cpu_ratio"] >= SAME]
    if not gains:
        return "Octuple makes no kind of full handshake cheaper for your nginx here."
    kinds = f"{len(gains)} of {len(results)} kinds" if len(results) > 1 else results[0]["title"]
    return f"Your nginx needs {between(gains)} times less CPU for a full handshake: {kinds}."


def conclusion(document: dict) -> list[str]:
    """The first line says it all; then the kinds that gain, and the rest."""
    results = sorted(document["results"], key=lambda result: result["handshake"] not in COMMON)
    gains, rest = [result for result in results if result["cpu_ratio"] >= SAME], against(document)
    room = max(1, MOST - 1 - len(rest))
    shown = gains if len(gains) <= room else gains[:room - 1]
    left = gains[len(shown):]
    more = [f"{len(left)} more kinds: {between(left)} times less"] if left else []
    return [in_short(results), *map(gain, shown), *more, *rest][:MOST]


def titled(result: dict) -> str:
    """With the group of stock, where that has not the one of the title."""
    stock, octuple = (result[side]["group"] for side in SIDES)
    return result["title"] + f" (stock: {stock})" * (stock != octuple)


def fill_shares(fill: list[int]) -> list[float]:
    """Per cent of the operations (not of the batches) that ran in batches of 1, 2, ... 8."""
    total = sum(count * size for size, count in enumerate(fill, 1))
    return [100 * count * size / total if total else 0.0 for size, count in enumerate(fill, 1)]


def capacity(results: list[dict]) -> dict:
    rows = []
    for result in results:
        stock, octuple = (result[side] for side in SIDES)
        rows.append([titled(result), f"{result['cpu_ratio']:.2f}", f"{stock['cpu_us_per_handshake']:,.1f}",
                     f"{octuple['cpu_us_per_handshake']:,.1f}", f"{result['rate_ratio']:.2f}",
                     f"{stock['handshakes_per_s']:,.0f}", f"{octuple['handshakes_per_s']:,.0f}"])
    return {"head": ["handshake", "CPU ratio", "stock, us", "Octuple, us", "rate ratio", "stock, a second",
                     "Octuple, a second"],
            "rows": rows, "numbers_from": 1}


def latency(results: list[dict]) -> dict:
    rows = [[result["title"], f"{result['offered_per_s']:,.0f}",
             *(f"{result[side]['latency_us'][quantile]:,.0f}" for quantile in ("p50", "p99") for side in SIDES)]
            for result in results]
    return {"head": ["handshake", "offered, a second", "stock p50", "Octuple p50", "stock p99", "Octuple p99"],
            "rows": rows, "numbers_from": 1}


def fill(results: list[dict], loads: tuple[tuple[str, str], ...] = (("saturated", "saturated"),)) -> dict:
    rows = []
    for result in results:
        for name, what in loads:
            part = result["octuple"][what]
            if part["in_batches"]:
                rows.append([result["title"], *([name] if len(loads) > 1 else []), f"{part['in_batches']:,}",
                             f"{part['fallback']:,}", *(f"{share:.0f}" for share in fill_shares(part["batch_fill"]))])
    head = ["handshake", *(["load"] if len(loads) > 1 else []), "in batches", "fallback", *map(str, range(1, 9))]
    return {"head": head, "rows": rows, "numbers_from": len(head) - 10}


def few(document: dict) -> dict:
    rows = [["one connection", one["title"], "p50, us", *(f"{one[side]['p50_us']:,.1f}" for side in SIDES),
             f"{1 / (1 + one['p50_change_percent'] / 100):.2f}"] for one in document["alone"]]
    rows += [[f"{one['connections']} connections", one["title"], "CPU, us",
              *(f"{one[side]['cpu_us_per_handshake']:,.1f}" for side in SIDES), f"{one['cpu_ratio']:.2f}"]
             for one in document["few"]]
    return {"head": ["at a time", "handshake", "what", "stock", "Octuple", "ratio"], "rows": rows, "numbers_from": 3}


def memory(document: dict) -> dict:
    found = document["memory"]
    return {"head": ["KB", "stock", "Octuple", "added"], "numbers_from": 1,
            "rows": [[name, *(f"{found[what][name]:,}" for what in (*SIDES, "added"))]
                     for name in ("rss", "pss", "private")]}


def tables(document: dict) -> dict[str, dict]:
    results = document["results"]
    return {"capacity": capacity(results), "latency": latency(results), "fill": fill(results), "few": few(document),
            "memory": memory(document)}


def picture(results: list[dict]) -> str:
    bars = [(result["title"], result["cpu_ratio"], [result["cpu_ratio"]] * 2, False) for result in results]
    return pictures.ratio_bars(bars, "How many times less CPU a full handshake takes, nginx saturated")


def render(document: dict) -> str:
    return html.environment().get_template("report.html").render(
        document, title="What Octuple does for nginx here", sentence=in_short(document["results"]),
        against=against(document),
        picture=picture(document["results"]), tables=tables(document))
