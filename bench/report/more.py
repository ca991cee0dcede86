# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The tables of more servers, from `bench/run servers --more --json` and `tests/servers/run tokio --json`."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

TABLES = (("more-servers.json", "Debian 12", ""), ("more-servers-trixie.json", "Debian 13", ", trixie"),
          ("more-servers-forky.json", "Debian forky", ", forky"))
TOKIO = "tokio.json"
HEAD = """\
# More servers

From {files}.

The ratios are CPU time of the server for each full handshake ({handshake}), stock over Octuple. They
are medians of the rounds, with 64 connections and with one. Behind them stand both times in microseconds, and the
quartiles of the ratio. The last columns are handshakes a second with 64 connections, by a client on the core's other
CPU, and how many RSA signatures ran in lanes there.
"""
COLUMNS = """
## {title}

Each round takes {seconds} s, {rounds} of them, on {cpu}.

| server | 64 connections | one connection | both, us | quartiles | one: both, us | quartiles | a second | in lanes |
|---|---|---|---|---|---|---|---|---|
"""
THREADS = """
## tokio and pingora

On 64 connections, over all runs of `tests/servers/run tokio` that added to the file. CPU time and ratio are medians of
their rounds.

| server | threads | handshakes | failed | in lanes | stock, Octuple us | ratio | quartiles |
|---|---|---|---|---|---|---|---|
"""


def quartiles(result: dict) -> str:
    """A run of one round has none."""
    if "cpu_ratio_quartiles" not in result:
        return "-"
    low, high = result["cpu_ratio_quartiles"]
    return f"{low:.2f} to {high:.2f}"


def row(server: dict, suffix: str) -> str:
    busy, alone = server["saturated"], server["alone"]
    cells = [server["server"] + suffix, f"{busy['cpu_ratio']:.2f}", f"{alone['cpu_ratio']:.2f}"]
    for one in (busy, alone):
        cells += [f"{one['stock']['cpu_us']:.0f}, {one['octuple']['cpu_us']:.0f}", quartiles(one)]
    rates = [f"{busy[side]['per_s']:.0f}" for side in ("stock", "octuple") if "per_s" in busy[side]]
    return f"| {' | '.join(cells)} | {', '.join(rates) or '-'} | {server['in_lanes_percent']:.0f} % |\n"


def table(document: dict, title: str, suffix: str) -> str:
    rows = "".join(row(server, suffix) for server in sorted(document["servers"], key=lambda one: one["server"]))
    spoken = {name: " or ".join(str(value) for value in sorted({server[name] for server in document["servers"]}))
              for name in ("rounds", "seconds")}
    return COLUMNS.format(title=title, cpu=document["cpu"], **spoken) + rows


def threads_row(one: dict) -> str:
    stock, ours = (statistics.median(side) for side in zip(*one["cpu_us"]))
    ratios = [stock_us / octuple_us for stock_us, octuple_us in one["cpu_us"]]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return (f"| {one['server']} | {one['threads']} | {one['handshakes']:,} | {one['failed']} | "
            f"{100 * one['in_lanes'] / one['operations']:.0f} % | {stock:.0f}, {ours:.0f} | {middle:.2f} | "
            f"{low:.2f} to {high:.2f} |\n")


def render(docs: Path) -> str | None:
    """None without the data."""
    folder = docs / "results"
    found = [(name, title, suffix) for name, title, suffix in TABLES if (folder / name).exists()]
    if not found:
        return None
    documents = {name: json.loads((folder / name).read_text()) for name, _, _ in found}
    files = list(documents) + [TOKIO] * (folder / TOKIO).exists()
    text = HEAD.format(files=", ".join(files),
                       handshake=documents[found[0][0]]["handshake"])
    text += "".join(table(documents[name], title, suffix) for name, title, suffix in found)
    if TOKIO in files:
        text += THREADS + "".join(threads_row(one) for one in json.loads((folder / TOKIO).read_text()))
    return text
