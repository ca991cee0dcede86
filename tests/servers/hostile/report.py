# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What was compared, as JSON and as docs/hostile.md."""

from __future__ import annotations

from . import kinds
from tests.servers.hostile.compare import Comparison
from tests.servers.hostile.engine import Kind, Verdict

HEAD = """\
# Hostile clients

What stock and accelerated servers told {count} kinds of hostile clients: Debian 12's nginx and HAProxy, each stock and
under `octuple run`, with the clients of one crowd moving together, so that the operations of hostile and honest ones
share vectors. {equal}

Made by `python3 -B -m hostile --build BUILD --markdown docs/hostile.md` in `tests/servers`; `test_hostile.py` runs the
same and fails on a difference. A verdict is the server's last alert, how it closed (FIN, RST, or the client did),
whether at once or at its time limit, and the status of its HTTP answer. Compared are also the server's messages, in
order. What its log says is not: there the provider's errors have its own names.

"""
EQUAL = "All verdicts were the same."
DIFFERENT = "{count} verdicts differed."


def text(verdict: Verdict) -> str:
    alert = "" if verdict.alert == "none" else f"{verdict.alert}, "
    answer = "" if verdict.answer == "none" else f"{verdict.answer}, "
    return f"{answer}{alert}{verdict.close} {verdict.when}".replace("warning close_notify",
                                                                    "close_notify").replace("fatal ", "")


def both(was: Verdict, now: Verdict) -> str:
    return text(was) if was.told() == now.told() else f"**stock: {text(was)}; accelerated: {text(now)}**"


def rows(found: list[Comparison]) -> dict[tuple[str, str], list[str]]:
    """The verdicts of each server, by TLS version and name; of copies the first."""
    table: dict[tuple[str, str], list[str]] = {}
    for i, comparison in enumerate(found):
        for (kind, was), (_, now) in zip(comparison.stock, comparison.accelerated, strict=True):
            row = table.setdefault((kind.tls, kind.name), [])
            if len(row) == i:
                row.append(both(was, now))
    return table


def as_markdown(found: list[Comparison]) -> str:
    table = rows(found)
    different = sum(len(it.differences()) for it in found)
    lines = [HEAD.format(count=len(table) - len(kinds.GOOD),
                         equal=DIFFERENT.format(count=different) if different else EQUAL)]
    for tls in ("any", "1.2", "1.3"):
        title = "Before any version" if tls == "any" else f"TLS {tls}"
        servers = " | ".join(it.server for it in found)
        lines.append(f"## {title}\n\n| kind | {servers} |\n|---|{'---|' * len(found)}\n")
        lines += [f"| {name} | {' | '.join(row)} |\n" for (version, name), row in sorted(table.items())
                  if version == tls]
        lines.append("\n")
    return "".join(lines).rstrip() + "\n"


def one(kind: Kind, was: Verdict, now: Verdict) -> dict:
    return {"tls": kind.tls, "name": kind.name, "stock": was.as_dict(), "accelerated": now.as_dict(),
            "same": was.told() == now.told()}


def as_json(found: list[Comparison]) -> dict[str, list[dict]]:
    return {it.server: [one(kind, was, now) for (kind, was), (_, now) in zip(it.stock, it.accelerated, strict=True)]
            for it in found}


def summary(it: Comparison) -> str:
    lanes = ", ".join(f"{name} {count.done} in lanes and {count.plain} plain"
                      for name, count in it.counters.items() if count.all)
    return f"{it.server}: {len(it.stock)} clients, {len(it.differences())} differences; {lanes}"
