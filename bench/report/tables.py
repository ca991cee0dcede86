# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Measured figures in README.md and the documents: they stand in tables only, which are written from docs/results.

    <!-- table: NAME -->
    ...
    <!-- end -->

docs/results/tables.json has for each NAME the table's `head`, the `file` below docs/results, its `figures`, and `rows`:

    {"head": ["handshake", "stock, us", "ratio", "why"], "file": "intel-sapphire-rapids-vm/handshakes.json",
     "figures": ["{} | CPU of a handshake | stock", "{} | CPU of a handshake | ratio"],
     "rows": [["TLS 1.3, RSA-2048", "tls13-rsa2048", "as it is"]]}

A row is the text of its first cell, what `{}` stands for, and the text of the cells behind the figures. As an object it
has that as `row`, and may have a `file` or `figures` of its own. A figure is KEY | METRIC | FIELD: the values of a
point's key with " / " between them, the name of a metric, and a side, `ratio` (of which side, if there are several) or
`quartiles`. Where `*` in the key stands for several points, the cell has the lowest and the highest. A figure without
"|" is a path in any JSON file, with "/" between its names; numbers that `*` finds are added up.

What looks measured elsewhere in these documents is a finding.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from . import summary

LIST, SIDE = "tables.json", "octuple"
PLACE = re.compile(r"(?P<begin>^<!-- table: (?P<name>[\w-]+) -->\n)(?P<old>.*?)(?P<end>^<!-- end -->$)",
                   re.DOTALL | re.MULTILINE)
BEGIN = re.compile(r"^<!-- table: .*$", re.MULTILINE)
# What programs make is true by its making.
MADE = re.compile(r"^Made by `", re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"`+[^`]*`+", re.DOTALL)
TARGET = re.compile(r"\]\([^)\s]*[^)]*\)")
MEASURED = re.compile(r"\d\.\d+x?(?: to \d[\d.]*)? times\b|\b\d[\d.]*x\b|\b[Rr]atios? (?:of |was |is )?\d"
                      r"|\b\d[\d,.]* ?(?:us|µs|ns|GB/s|MB/s)\b|\b\d+\.\d+ (?:ms|%)")


class TableError(Exception):
    """What is wrong with a table's description."""


def servers_points(document: dict) -> list[dict]:
    """Of `bench/run servers --more --json`."""
    found = []
    for server in document["servers"]:
        for load in ("saturated", "alone"):
            one = server[load]
            metric = {"median": {side: one[side]["cpu_us"] for side in ("stock", SIDE)},
                      "ratio": {SIDE: one["cpu_ratio"]},
                      "quartiles": {SIDE: one["cpu_ratio_quartiles"]}}
            found.append({"key": {"server": server["server"], "load": load},
                          "metrics": {"CPU of a handshake": metric}})
    return found


def devices_points(document: dict) -> list[dict]:
    """Of `bench/keys --json`, times in milliseconds."""
    found = []
    for one in document["results"]:
        sides = one["details"]
        metrics = {"handshakes": {"median": {"stock": one["stock"], SIDE: one[SIDE]}, "ratio": {SIDE: one["ratio"]}}}
        for name, field, factor in (("p99", "p99_us", 1e-3), ("plain p99", "plain_p99_us", 1e-3),
                                    ("CPU of the worker, %", "worker_cpu_percent", 1)):
            metrics[name] = {"median": {side: sides[side][field] * factor for side in ("stock", SIDE)}}
        found.append({"key": {name: one[name] for name in ("server", "device", "latency_ms", "threads")},
                      "metrics": metrics})
    return found


def threads_points(document: list) -> list[dict]:
    """Of `tests/servers/run tokio --json`."""
    found = []
    for one in document:
        stock, ours = zip(*one["cpu_us"])
        metric = {"median": {"stock": statistics.median(stock), SIDE: statistics.median(ours)},
                  "ratio": {SIDE: statistics.median(a / b for a, b in zip(stock, ours))}}
        counts = {"in lanes, %": 100 * one["in_lanes"] / one["operations"]} | {
            name: one[name] for name in ("handshakes", "failed")}
        found.append({"key": {"server": one["server"], "threads": one["threads"]},
                      "metrics": {"CPU of a handshake": metric} | {
                          name: {"median": {SIDE: count}} for name, count in counts.items()}})
    return found


def points_of(document: dict | list) -> list[dict]:
    if isinstance(document, list):
        return threads_points(document)
    if "servers" in document:
        return servers_points(document)
    if "results" in document:
        return devices_points(document)
    return document.get("points", [])


def ratio_text(value: float) -> str:
    return f"{value:.2f}"


def one_of(metric: dict, field: str) -> tuple[list[float], bool]:
    """The numbers of a cell, and whether they are ratios."""
    name, _, side = field.partition(" ")
    if name == "ratio":
        return [metric["ratio"][side or SIDE]], True
    if name == "quartiles":
        return metric["quartiles"][side or SIDE], True
    return [metric["median"][field]], False


def of_points(document: dict | list, place: str) -> str:
    try:
        key, name, field = (part.strip() for part in place.split("|"))
        wanted = [part.strip() for part in key.split(" / ")]
    except ValueError:
        raise TableError(f"'{place}' is not KEY | METRIC | FIELD") from None
    found, is_ratio = [], False
    for point in points_of(document):
        values = [str(value) for value in point["key"].values()]
        if len(values) != len(wanted) or not all(map(fnmatchcase, values, wanted)):
            continue
        for metric in (metric for title, metric in point["metrics"].items() if fnmatchcase(title, name)):
            try:
                numbers, is_ratio = one_of(metric, field)
            except KeyError:
                raise TableError(f"'{field}' is nothing of a metric at '{key}'") from None
            found += numbers
    if not found:
        raise TableError(f"nothing stands at '{place}'")
    written = ratio_text if is_ratio else summary.number
    low, high = written(min(found)), written(max(found))
    return low if low == high else f"{low} to {high}"


def step(found: list, name: str) -> list:
    """What is one name further."""
    if name != "*":
        return [one[name] for one in found]
    return [inner for one in found for inner in (one.values() if isinstance(one, dict) else one)]


def of_path(document: dict | list, path: str) -> str:
    found = [document]
    try:
        for name in path.split("/"):
            found = step(found, name)
    except (KeyError, TypeError):
        raise TableError(f"nothing stands at '{path}'") from None
    if not found or not all(isinstance(one, (int, float)) for one in found):
        raise TableError(f"no number stands at '{path}'")
    return f"{sum(found):,}"


def cell(document: dict | list, place: str) -> str:
    return of_points(document, place) if "|" in place else of_path(document, place)


def load(results: Path, file: str) -> dict | list:
    if not (results / file).is_file():
        raise TableError(f"docs/results has no {file}")
    return json.loads((results / file).read_text(encoding="utf-8"))


def line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |\n"


def make(results: Path, spec: dict, link: str) -> str:
    """The table, and where its figures come from; `link` leads from the document to docs/results."""
    rows, files = "", {}
    for row in spec["rows"]:
        row = row if isinstance(row, dict) else {"row": row}
        first, at, *more = row["row"]
        file = row.get("file", spec.get("file"))
        document = files[file] = files.get(file) or load(results, file)
        figures = [cell(document, place.replace("{}", at)) for place in row.get("figures", spec.get("figures", []))]
        if len(cells := [first, *figures, *more]) != len(spec["head"]):
            raise TableError(f"the row of '{first}' has {len(cells)} cells, and the head {len(spec['head'])}")
        rows += line(cells)
    sources = ",\n".join(f"[{file}]({link}{file})" for file in files)
    return f"\n{line(spec['head'])}|{'---|' * len(spec['head'])}\n{rows}\nFrom {sources}.\n\n"


def pages(docs: Path) -> Iterator[tuple[Path, str]]:
    """What people write, and its text."""
    inner = (one for pattern in ("*.md", "internals/*.md") for one in sorted(docs.glob(pattern)))
    for path in filter(Path.is_file, (docs.parent / "README.md", *inner)):
        text = path.read_text(encoding="utf-8")
        if not MADE.search(text):
            yield path, text


def specs_of(docs: Path) -> dict[str, dict]:
    path = docs / "results" / LIST
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def written(docs: Path) -> tuple[dict[Path, str], list[str]]:
    """The documents as they should be, and what is wrong with the markers and descriptions."""
    specs, texts, found, used = specs_of(docs), {}, [], set()
    for path, text in pages(docs):
        where = path.relative_to(docs.parent)
        link = "docs/results/" if path.parent == docs.parent else "results/" if path.parent == docs else "../results/"

        def replace(match: re.Match, where: Path = where, link: str = link) -> str:
            used.add(match["name"])
            try:
                if match["name"] not in specs:
                    raise TableError(f"{LIST} has no such table")
                return match["begin"] + make(docs / "results", specs[match["name"]], link) + match["end"]
            except TableError as error:
                found.append(f"{where}: table {match['name']}: {error}")
                return match[0]

        texts[path] = PLACE.sub(replace, text)
        if len(BEGIN.findall(text)) != len(PLACE.findall(text)):
            found.append(f"{where}: a table begins and has no end")
    found += [f"{LIST}: no document has the table {name}" for name in sorted(set(specs) - used)]
    return texts, found


def blank(text: str) -> str:
    """As many lines, with nothing on them."""
    return "\n" * text.count("\n")


def without_code(text: str) -> str:
    """The text without code, which shows what programs print and take."""
    kept, fenced, code, empty = [], False, False, True
    for one in text.split("\n"):
        fence = one.lstrip().startswith("```")
        code = one.startswith("    ") and (empty or code) and not fenced
        kept.append("" if fence or fenced or code else one)
        fenced ^= fence
        empty = not one.strip()
    return CODE.sub(lambda match: "`" + blank(match[0]) + "`", "\n".join(kept))


def measured(docs: Path) -> list[str]:
    """What looks measured outside of these tables."""
    found = []
    for path, text in pages(docs):
        prose = without_code(PLACE.sub(lambda match: blank(match[0]), text))
        prose = TARGET.sub("]", COMMENT.sub(lambda match: blank(match[0]), prose))
        for match in MEASURED.finditer(prose):
            where = f"{path.relative_to(docs.parent)}:{prose.count(chr(10), 0, match.start()) + 1}"
            found.append(f"{where}: '{match[0]}' looks measured, and figures stand in tables only")
    return found
