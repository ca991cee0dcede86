# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The report of a run: report.html, with its pictures inside."""

from __future__ import annotations

import re
import statistics
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
import markupsafe

from . import pictures, summary

if TYPE_CHECKING:  # ./demo has a page too, and no package of an experiment
    from bench.experiments.frame import Experiment, Run

TEMPLATES = Path(__file__).parent / "templates"
BUSY_PERCENT = 5  # of the CPUs taken by others, or of the server's time: from here on figures are rough


def environment() -> jinja2.Environment:
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=jinja2.select_autoescape(["html"]),
                              undefined=jinja2.StrictUndefined, trim_blocks=True,
                              lstrip_blocks=True, keep_trailing_newline=True)
    made.filters |= {"code": code, "standing": standing}
    return made


def code(text: str) -> markupsafe.Markup:
    """What stands between backticks, as HTML shows code."""
    return markupsafe.Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(markupsafe.escape(text))))


def standing(cell: str, table: dict, column: int) -> str:
    """The classes of a ratio's cell: gains and losses have their colours. In a table by columns all are ratios."""
    value = cell.partition(" ")[0]
    if not (table["head"][column].endswith("ratio") or table.get("ratios")) or value == "-":
        return ""
    return f" ratio {pictures.SHOWN[pictures.kind(float(value))]}"


def warnings(run: Run, missing: list[str], left: int) -> list[str]:
    """What a reader must know before believing the figures."""
    found = [f"Not finished: {left} points are still to be measured."] if left else []
    found += [f"Could not be measured here: {what}" for what in missing]
    busiest = max((session["busy_percent"] for session in run.about["sessions"]), default=0)
    if busiest > BUSY_PERCENT:
        found.append(f"The machine was not quiet: others used {busiest} % of its CPUs just before a session began.")
    for record in run.records:
        name = ", ".join(str(value) for value in record["key"].values())
        found += [f"{name}: {line}" for line in of_notes(record["key"], record.get("notes", {}))]
    waited = max((percent for record in run.records
                  for percent in record.get("notes", {}).get("waited_percent", {}).values()), default=0)
    if waited > BUSY_PERCENT:
        found.append(f"Other programs had the server's CPU for up to {waited:.0f} % of the time in which it wanted it: "
                     "rates and latencies are worse than they could be, and all figures rough.")
    return found


def reasons(records: list[dict]) -> list[str]:
    """What points say that they could not measure of what they hold, and why."""
    return [f"{', '.join(str(value) for value in record['key'].values())}, {name}: {reason}"
            for record in records for name, reason in record.get("notes", {}).get("reasons", {}).items()]


def of_notes(key: dict, notes: dict) -> list[str]:
    """What there is to say of one point."""
    found = [f"{notes['failed']} handshakes failed."] if notes.get("failed") else []
    found += [f"of {notes['handshakes'][side]} handshakes with {side} {count} failed {why}."
              for side, reasons_of in notes.get("failures", {}).items() for why, count in reasons_of.items()]
    groups = notes.get("group", {})
    if len(set(groups.values())) > 1:
        each = "; ".join(f"{side} {group}" for side, group in groups.items())
        found.append(f"groups differ, as this OpenSSL has no hybrid one: {each}.")
    found += [f"the {side} server fell behind; {count} connections found no place in time and are missing from its "
              "latencies."
              for side, count in notes.get("overdue", {}).items() if count]
    if key.get("jobs", 0) > 1 and not notes.get("in_lanes_percent"):
        found.append("nothing ran in lanes.")
    found += [f"measured was {notes['library']}."] if notes.get("library") else []
    found += [f"{name}: {reason}." for name, reason in notes.get("reasons", {}).items()]
    return found + list(dict.fromkeys(notes.get("said", [])))


def comparisons(points: list[dict], experiment: Experiment) -> list[tuple[float, str]]:
    """The ratios that sum a run up, from the least on, and of what each is."""
    found = []
    for point in (point for point in points if experiment.summed_up.items() <= point["key"].items()):
        key = ", ".join(str(value) for value in point["key"].values())
        for name, metric in list(point["metrics"].items())[:None if experiment.every_metric else 1]:
            sides = metric["ratio"]
            found += [(ratio, f"{key}: {name}" + f", {side}" * (len(sides) > 1)) for side, ratio in sides.items()]
    return sorted(found)


def sentence(points: list[dict], experiment: Experiment) -> str:
    """What came out."""
    found = comparisons(points, experiment)
    if not found:
        return "Nothing that could be compared is measured yet."
    (worst, of_worst), (best, of_best) = found[0], found[-1]
    if len(found) == 1:
        return f"{best:.2f} times better than stock ({of_best})."
    middle = statistics.median(ratio for ratio, _ in found)
    lost = sum(pictures.kind(ratio) == "loss" for ratio, _ in found)
    against = f"{lost} of them lose{'s' * (lost == 1)}, most" if lost else "None loses; the least gain is"
    return (f"{middle:.2f} times better than stock in the median of {len(found)} comparisons, at most {best:.2f} "
            f"({of_best}). {against} {worst:.2f} ({of_worst}).")


def of_lines(machine: dict, title: str, records: list[dict], part: str, label: str) -> str:
    """A page with nothing but lines over one part of the key."""
    picture = pictures.lines(records, part, label, False)
    return environment().get_template("lines.html").render(machine=machine, title=title, picture=picture)


def write(experiment: Experiment, run: Run, missing: list[str], left: int) -> Path:
    points = summary.of_records(run.records)
    tables = [summary.pivot_table([point for point in points if pivot in point["key"]], pivot)
              for pivot in experiment.pivots
              if any(pivot in point["key"] for point in points)]
    tables = [table for table in [*tables, summary.long_table(points)] if table["rows"]]
    text = environment().get_template("experiment.html").render(
        run.about | {"machine": summary.machine_of(run.about, run.records)}, tables=tables,
        pictures=experiment.pictures(run.records) if run.records else {}, sentence=experiment.sentence(points),
        warnings=warnings(run, missing, left))
    path = run.folder / "report.html"
    path.write_text(text)
    return path
