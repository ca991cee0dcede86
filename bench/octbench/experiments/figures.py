# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Measured figures in the documents, held against the data that they were taken from.

A comment accounts for all figures above it, back to the heading or the comment before. It names a file below
docs/results and has a line for each figure, which says where the figure stands there:

    <!-- figures: intel-sapphire-rapids-vm/alone.json
    1.03 = min * / latency | p50 | ratio
    a seventeenth = tls13-ecdsa-p384 | CPU of a handshake | ratio
    1 % is what the relay loses
    -->

A place is the values of a point's key, the name of a metric, and what is taken of it: `ratio` (and of which side, if
there are several), `low` and `high` of its quartiles, or a side. `*` stands for anything; `min` or `max` then chooses.
A fraction in words is one over a ratio. In a Markdown file, a place is words of it that have the figure in them. `is`
gives the reason why a figure is none of ours: a limit, a setting, an example. The section has to link to the file.

What looks like a measured figure and has no line is a finding, and so is a line that the data do not bear out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

SIDE = "octuple"
FRACTIONS = ("half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
             "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth",
             "nineteenth", "twentieth")
SMALL = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred"
NUMBER = r"(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?"
UNIT = r"(?:x\b|times\b|%|(?:us|µs|ms|ns|GB/s|MB/s)(?!\w))"
FRACTION = "|".join(FRACTIONS)

# What looks measured: a number with a unit, two that share one, two decimals, a fraction or a multiple in words.
LOOKS = re.compile(
    rf"(?:{NUMBER})(?= (?:to|and|or) {NUMBER} ?{UNIT})|(?:{NUMBER})(?= ?{UNIT})"
    rf"|(?:(?<![\w.,-])\d[\d,]*\.\d\d+)(?![\w.]*\d)"
    rf"|(?i:(?:\b(?:an?|one|{SMALL}) (?:{FRACTION})s?\b(?! (?:time|party)\b)|\bhalf(?= (?:the|of|as) ))"
    rf"|(?:\b(?:{SMALL})(?= times (?:as|the|more|less|faster|slower|stock) )|\btwice(?= as )))")
# What programs make is true by its making, and takes its words from elsewhere.
MADE = re.compile(r"^Made by `", re.MULTILINE)
COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
CODE = re.compile(r"(<!--.*?-->)|`+[^`]*`+", re.DOTALL)
TARGET = re.compile(r"\]\(([^)\s]*)[^)]*\)")


class FigureError(Exception):
    """What is wrong with a line of a comment."""


@dataclass
class Span:
    """Text that one comment accounts for; without a comment nothing in it may look measured."""

    line: int
    text: str
    marker: str | None
    links: list[str]


def blank(text: str) -> str:
    """As many lines, with nothing on them."""
    return "\n" * text.count("\n")


def without_code(text: str) -> str:
    """The text without code, but for that in comments: it shows what programs print and take."""
    kept, fenced, code, empty = [], False, False, True
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        code = line.startswith("    ") and (empty or code) and not fenced
        kept.append("" if fence or fenced or code else line)
        fenced ^= fence
        empty = not line.strip()
    return CODE.sub(lambda match: match[1] or "`" + blank(match[0]) + "`", "\n".join(kept))


def sections(text: str) -> Iterator[tuple[int, str]]:
    """The line before each section, and its text, from heading to heading."""
    lines = text.split("\n")
    heads = [number for number, line in enumerate(lines) if line.startswith("#")]
    for begin, end in zip([0, *heads], [*heads, len(lines)]):
        yield begin, "\n".join(lines[begin:end]) + "\n"


def spans(text: str) -> Iterator[Span]:
    for first, section in sections(without_code(text)):
        links = TARGET.findall(section)
        begin, markers = 0, [match for match in COMMENT.finditer(section) if match[1].strip().startswith("figures:")]
        for marker in [*markers, None]:
            plain = section[begin:marker.start() if marker else None]
            plain = TARGET.sub("]", COMMENT.sub(lambda match: blank(match[0]), plain))
            if plain.strip() or marker:
                yield Span(first + section.count("\n", 0, begin) + 1, plain, marker and marker[1].strip(), links)
            begin = marker.end() if marker else 0


def looks_measured(text: str) -> Counter:
    """What looks like a measured figure, and how often."""
    return Counter(match[0].strip() for match in LOOKS.finditer(text))


def line_of(span: Span, figure: str) -> int:
    """Where the figure stands, or the span begins."""
    found = (match.start() for match in LOOKS.finditer(span.text) if match[0].strip() == figure)
    return span.line + span.text.count("\n", 0, next(found, 0))


def one_of(metric: dict, field: str) -> float:
    """`ratio`, `low`, `high` or a side; of another side than ours: `ratio 256`."""
    name, _, side = field.partition(" ")
    if name == "ratio":
        return metric["ratio"][side or SIDE]
    if name in ("low", "high"):
        return metric["quartiles"][side or SIDE][name == "high"]
    return metric["median"][field]


def values_at(document: dict, place: str) -> list[float]:
    try:
        key, name, field = (part.strip() for part in place.split("|"))
        wanted = [part.strip() for part in key.split(" / ")]
    except ValueError:
        raise FigureError(f"'{place}' is not KEY | METRIC | FIELD") from None
    found = []
    for point in document.get("points", []):
        values = [str(value) for value in point["key"].values()]
        if len(values) == len(wanted) and all(map(fnmatchcase, values, wanted)):
            metrics = (metric for title, metric in point["metrics"].items() if fnmatchcase(title, name))
            try:
                found += [one_of(metric, field) for metric in metrics]
            except KeyError:
                raise FigureError(f"'{field}' is nothing of a metric at '{key}'") from None
    return found


def value_of(document: dict, place: str) -> float:
    how, _, rest = place.partition(" ")
    values = values_at(document, rest if how in ("min", "max") else place)
    if not values:
        raise FigureError(f"nothing stands at '{place}'")
    if how in ("min", "max"):
        return min(values) if how == "min" else max(values)
    if len(values) > 1:
        raise FigureError(f"{len(values)} points stand at '{place}'; min or max would choose")
    return values[0]


def rounded(value: float, figure: str) -> str:
    """The value as the figure would have it."""
    words = figure.split()[-1]
    if words.isalpha():
        number = round(value)
        name = FRACTIONS[number - 2] if 2 <= number < len(FRACTIONS) + 2 else str(number)
        return figure.removesuffix(words) + name
    decimals = len(figure.partition(".")[2])
    return f"{value:,.{decimals}f}" if "," in figure or value < 1000 else f"{value:.{decimals}f}"


def stands_in(figure: str, text: str) -> bool:
    """Whether the figure is there, and not as a part of a longer one."""
    return re.search(rf"(?<![\w.,]){re.escape(figure)}(?![\w,.]*\d)", text) is not None


def check_line(results: Path, file: str, figure: str, place: str) -> None:
    path = results / file
    if not path.is_file():
        raise FigureError(f"docs/results has no {file}")
    if path.suffix == ".md":
        text = " ".join(path.read_text(encoding="utf-8").split())
        if place not in text or not stands_in(figure, place):
            raise FigureError(f"{figure} is not in '{place}'" if place in text else f"{file} does not say '{place}'")
        return
    found = rounded(value_of(json.loads(path.read_text(encoding="utf-8")), place), figure)
    if found != figure:
        raise FigureError(f"{figure} is {found} in {file}")


def lines_of(marker: str) -> tuple[str, list[tuple[str, str, str]]]:
    """The file, and of each line the figure, `=` or `is`, and the rest."""
    head, *lines = (line.strip() for line in marker.removeprefix("figures:").split("\n"))
    file, lines = ("", [head, *lines]) if " is " in head else (head, lines)
    found = []
    for line in filter(None, lines):
        match = re.match(r"(.*?) (=|is) (.+)", line)
        if not match:
            raise FigureError(f"'{line}' has neither ' = ' nor ' is '")
        found.append(match.groups())
    return file, found


def has_link(span: Span, file: str) -> bool:
    """To the file, or to the page that shows it."""
    return any(link.endswith(f"results/{file}") or link.partition("#")[0].endswith("results.md") for link in span.links)


def check_marker(results: Path, span: Span) -> Iterator[tuple[int, str]]:
    """What is wrong with the lines of a comment, and which figures they leave out."""
    file, lines = lines_of(span.marker)
    left = looks_measured(span.text)
    if any(how == "=" for _, how, _ in lines) and not has_link(span, file):
        yield span.line, f"no link to {file} in this section"
    for figure, how, rest in lines:
        if not stands_in(figure, " ".join(span.text.split())):
            yield span.line, f"{figure} is in the comment, but not in the text above it"
        for seen in looks_measured(figure) or [figure]:
            left[seen] = left[seen] - 1 if how == "=" else 0
        if how == "=":
            try:
                check_line(results, file, figure, rest)
            except FigureError as error:
                yield line_of(span, figure), str(error)
    yield from unaccounted(span, left)


def unaccounted(span: Span, figures: Counter) -> Iterator[tuple[int, str]]:
    for figure in +figures:
        yield line_of(span, figure), f"{figure} looks measured and no line of a figures comment accounts for it"


def check_span(results: Path, span: Span) -> Iterator[tuple[int, str]]:
    """Findings, each with its line."""
    if span.marker is None:
        yield from unaccounted(span, looks_measured(span.text))
        return
    try:
        yield from check_marker(results, span)
    except FigureError as error:
        yield span.line, str(error)


def check(docs: Path) -> list[str]:
    """What is wrong in README.md and the documents that people write."""
    found = []
    for path in filter(Path.is_file, (docs.parent / "README.md", *sorted(docs.glob("*.md")))):
        text = path.read_text(encoding="utf-8")
        if not MADE.search(text):
            found += [f"{path.relative_to(docs.parent)}:{line}: {what}" for span in spans(text)
                      for line, what in check_span(docs / "results", span)]
    return found
