# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What was compared, as JSON and as verdicts.tsv."""

from __future__ import annotations

from pathlib import Path

from . import kinds
from tests.servers.hostile.compare import Comparison
from tests.servers.hostile.engine import Kind, Verdict

TABLE = Path(__file__).with_name("verdicts.tsv")


def text(verdict: Verdict) -> str:
    alert = "" if verdict.alert == "none" else f"{verdict.alert}, "
    answer = "" if verdict.answer == "none" else f"{verdict.answer}, "
    return f"{answer}{alert}{verdict.close} {verdict.when}".replace("warning close_notify",
                                                                    "close_notify").replace("fatal ", "")


def both(was: Verdict, now: Verdict) -> str:
    return text(was) if was.told() == now.told() else f"stock: {text(was)}; accelerated: {text(now)}"


def rows(found: list[Comparison]) -> dict[tuple[str, str], list[str]]:
    """The verdicts of each server, by TLS version and name; of copies the first."""
    table: dict[tuple[str, str], list[str]] = {}
    for i, comparison in enumerate(found):
        for (kind, was), (_, now) in zip(comparison.stock, comparison.accelerated, strict=True):
            row = table.setdefault((kind.tls, kind.name), [])
            if len(row) == i:
                row.append(both(was, now))
    return table


def comments() -> str:
    """What the table says of itself."""
    return "".join(line for line in TABLE.read_text().splitlines(keepends=True) if line.startswith("#"))


def as_table(found: list[Comparison]) -> str:
    lines = ["\t".join(["tls", "kind", *(it.server for it in found)])]
    lines += ["\t".join([tls, name, *row]) for (tls, name), row in sorted(rows(found).items(), key=order)]
    return comments() + "\n".join(lines) + "\n"


def order(item: tuple[tuple[str, str], list[str]]) -> tuple[bool, str, str]:
    (tls, name), _ = item
    return tls != "any", tls, name


def names() -> set[tuple[str, str]]:
    """The kinds that the table has, by TLS version and name."""
    lines = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {(tls, name) for tls, name, *_ in lines[1:]}


def one(kind: Kind, was: Verdict, now: Verdict) -> dict:
    return {"tls": kind.tls, "name": kind.name, "stock": was.as_dict(), "accelerated": now.as_dict(),
            "same": was.told() == now.told()}


def as_json(found: list[Comparison]) -> dict[str, list[dict]]:
    return {it.server: [one(kind, was, now) for (kind, was), (_, now) in zip(it.stock, it.accelerated, strict=True)]
            for it in found}


def summary(it: Comparison) -> str:
    lanes = ", ".join(f"{name} {count.done} in lanes and {count.fallback} plain"
                      for name, count in it.counters.items() if count.all)
    return f"{it.server}: {len(it.stock)} clients, {len(it.differences())} differences; {lanes}"
