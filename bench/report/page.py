# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/results`: docs/results.md from the data in docs/results, and these from the folders of runs.

    bench/results --machine NAME build/experiments/*     take runs over, then make the page
    bench/results                                        make the page, and tables, from what is there
    bench/results --check [--machine NAME FOLDER...]     change nothing; fail if page, data, runs and the tables in
                                                         README.md and docs do not agree
    bench/results --show MACHINE/EXPERIMENT...           print all tables of runs, as Markdown; also `keys`, of
                                                         `bench/keys --json`, and `more-servers`

docs/results/MACHINE/EXPERIMENT.json is a run in small: medians, ratios and quartiles of each point, machine and
command. published.json has what others have published, with where it stands, and which of our figures it is held
against. tables.json describes the tables in README.md and docs (see tables.py).
more-servers*.json are what `bench/run servers --more --json` writes, tokio.json `tests/servers/run tokio --json`,
and keys.json `bench/keys --json`; of that keys.svg is made.

Exit status: 0; 1 if --check found a difference, or a table is wrong; 2 for wrong usage or an unreadable run.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

import jinja2

from bench.experiments import ALL, frame
from . import devices_page, html, more, summary, tables

DOCS = Path(__file__).parents[2] / "docs"
# What no experiment has, and what makes its tables.
OTHERS = {"keys": devices_page.render, "more-servers": more.render}


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def compact(run: frame.Run, machine: str) -> dict:
    """What the tree keeps of a run."""
    if run.about["experiment"] not in ALL or not run.records:
        raise frame.ExperimentError(f"{run.folder} has no point of an experiment that is known here")
    points = ALL[run.about["experiment"]].points(frame.Size(**run.about["size"]), "--quick" in run.about["command"])
    left = sum(run.record(point.key) is None for point in points)
    return {"machine_name": machine} | summary.of_run(run.about,
                                                      run.records) | {"warnings": html.warnings(run, [], left)}


def as_text(document: dict) -> str:
    """JSON with a line for each point: small, and a difference can be read."""
    head = {name: value for name, value in document.items() if name != "points"}
    points = ",\n  ".join(json.dumps(point) for point in document["points"])
    return json.dumps(head, indent=1)[:-2] + ',\n "points": [\n  ' + points + "\n ]\n}\n"


def load_data(docs: Path) -> dict[str, dict[str, dict]]:
    """All data by machine and experiment, in the order of the experiments."""
    found: dict[str, dict[str, dict]] = {}
    for folder in sorted(path for path in (docs / "results").iterdir() if path.is_dir()):
        for name in ALL:
            path = folder / f"{name}.json"
            if path.exists():
                document = json.loads(path.read_text())
                found.setdefault(document["machine_name"], {})[name] = document
    return found


def ours(wanted: list[dict], data: dict[str, dict[str, dict]]) -> list[str]:
    """Our figures for a published one: the ratios at some points, the least and the greatest of all machines."""
    found: dict[str, list[float]] = {}
    for one in wanted:
        for experiments in data.values():
            for point in experiments.get(one["experiment"], {}).get("points", []):
                if point["key"] == one["key"]:
                    found.setdefault(one["label"], []).append(
                        point["metrics"][one["metric"]]["ratio"][one.get("side", "octuple")])
    return [f"{label} {min(ratios):.2f}" + f" to {max(ratios):.2f}" * (len(ratios) > 1)
            for label, ratios in found.items()]


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def versions(document: dict) -> list[str]:
    """The machine and programs of a run."""
    machine = document["machine"]
    cpus = f"{machine['cpus']} CPUs" if machine["cpus"] > 1 else "1 CPU"
    parts = [machine["cpu"], cpus, machine["system"], f"Linux {machine['kernel']}",
             machine["openssl"].split(" (")[0], machine["nginx"],
             machine["compiler"], f"Octuple {machine['octuple']}, vectors of {machine['width']} bits"]
    if mask := machine.get("openssl_masked"):  # by bench/experiment --table
        parts.append(f"as on a CPU whose best table is `{machine['table']}`, OpenSSL kept from newer instructions by "
                     f"`OPENSSL_ia32cap={mask}`")
    return [part for part in parts if part]


def machines(data: dict[str, dict[str, dict]]) -> tuple[list[str], dict[str, list[str]]]:
    """What all machines have, and what each has besides."""
    found = {machine: versions(next(iter(experiments.values()))) for machine, experiments in data.items()}
    alike = [part for part in next(iter(found.values()), [])
             if len(found) > 1 and all(part in parts for parts in found.values())]
    return alike, {machine: [part for part in parts if part not in alike] for machine, parts in found.items()}


def doubts(warnings: list[str]) -> list[str]:
    """Of all that there is to say, what concerns the whole run."""
    return [one for one in warnings if one.startswith(("Not finished", "Could not", "The machine", "Other programs"))]


def without_metric(ratios: list[tuple[float, str]]) -> tuple[list[tuple[float, str]], str]:
    """A metric that all have is said once, and not of each."""
    metrics = {of.partition(": ")[2] for _, of in ratios}
    if len(metrics) != 1:
        return ratios, ""
    return [(ratio, of.partition(": ")[0]) for ratio, of in ratios], f": {metrics.pop()}"


def index(data: dict[str, dict[str, dict]]) -> list[dict]:
    """A row for each experiment on each machine: what came out, and where its data are."""
    found = []
    for name, machine in ((name, machine) for name in ALL for machine in data if name in data[machine]):
        document = data[machine][name]
        ratios, metric = without_metric(html.comparisons(document["points"], ALL[name]))
        figures = [f"{statistics.median(ratio for ratio, _ in ratios):.2f}",
                   *(f"{ratio:.2f} ({of})" for ratio, of in (ratios[0], ratios[-1])),
                   str(len(ratios)), str(sum(ratio < 1 for ratio, _ in ratios))] if ratios else ["-"] * 5
        found.append({"title": document["title"] + metric, "doubts": doubts(document["warnings"]),
                      "machine": machine, "file": f"results/{slug(machine)}/{name}.json",
                      "figures": figures})
    return found


def charts(docs: Path, data: dict[str, dict[str, dict]]) -> list[tuple[str, str]]:
    """Pictures, and data that no experiment has: their files below results, and what they show."""
    found = [(f"{slug(machine)}/{name}.svg", f"{document['title']}: a picture of the ratios ({machine})")
             for machine, experiments in data.items() for name, document in experiments.items()
             if ALL[name].chart(document["points"])]
    others = {devices_page.DATA: "Keys in devices, by latency", devices_page.CHART: "Keys in devices: a picture",
              **{name: f"More servers, {title}" for name, title, _ in more.TABLES}, more.TOKIO: "tokio and pingora"}
    return found + [(name, title) for name, title in others.items() if (docs / "results" / name).exists()]


def environment(data: dict[str, dict[str, dict]]) -> jinja2.Environment:
    made = html.environment()
    made.filters |= {"cell": cell, "our_figures": lambda wanted: "; ".join(ours(wanted, data)) or "not measured"}
    return made


def render(docs: Path) -> str:
    data = load_data(docs)
    published = json.loads((docs / "results/published.json").read_text())
    return environment(data).get_template("results.md").render(
        data=data, index=index(data), charts=charts(docs, data), published=published, machines=machines(data))


def shown(docs: Path, name: str) -> str:
    """All tables of one run, of keys in devices, or of more servers."""
    if name in OTHERS:
        text = OTHERS[name](docs)
        if text is None:
            raise frame.ExperimentError(f"docs/results has no data of {name}")
        return text
    machine, _, experiment = name.rpartition("/")
    path = docs / "results" / machine / f"{experiment}.json"
    if experiment not in ALL or not path.is_file():
        raise frame.ExperimentError(f"{name} is neither MACHINE/EXPERIMENT of docs/results nor one of {list(OTHERS)}")
    return environment({}).get_template("run.md").render(
        document=json.loads(path.read_text()), pivots=ALL[experiment].pivots, versions=versions,
        tables=summary.tables)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/results", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="*", help="of runs, as bench/experiment leaves them")
    parser.add_argument("--machine", help="what the page calls the machine of these runs")
    parser.add_argument("--check", action="store_true", help="change nothing, fail if something would change")
    parser.add_argument("--show", nargs="+", metavar="NAME", help="print all tables of these, and change nothing")
    parser.add_argument("--docs", type=Path, default=DOCS, help=argparse.SUPPRESS)  # for tests
    options = parser.parse_args(argv)
    if options.folder and not options.machine:
        parser.error("runs need --machine, the name that the page has for it")
    return options


def put(path: Path, text: str, check: bool) -> bool:
    """Writes the file unless it only is to be compared; whether it was the same."""
    same = path.exists() and path.read_text() == text
    if not same and check:
        print(f"bench/results: {path} is not what its source gives", file=sys.stderr)
    if not same and not check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(f"{path}")
    return same


def put_charts(docs: Path, check: bool) -> bool:
    """Beside their data; whether all were there and the same."""
    same = True
    for machine, experiments in load_data(docs).items():
        for name, document in experiments.items():
            chart = ALL[name].chart(document["points"])
            if chart:
                same &= put(docs / "results" / slug(machine) / f"{name}.svg", chart, check)
    return same


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    same = True
    try:
        if options.show:
            print("\n".join(shown(options.docs, name) for name in options.show), end="")
            return 0
        documents = [compact(frame.Run.read(folder), options.machine) for folder in options.folder]
        if len({document["experiment"] for document in documents}) < len(documents):
            raise frame.ExperimentError("two of these runs are of one experiment: a machine has one run of each")
        for document in documents:
            path = options.docs / "results" / slug(options.machine) / f"{document['experiment']}.json"
            same &= put(path, as_text(document), options.check)
        same &= put_charts(options.docs, options.check)
        same &= put(options.docs / "results.md", render(options.docs), options.check)
        if (drawn := devices_page.chart(options.docs)) is not None:
            same &= put(options.docs / "results" / devices_page.CHART, drawn, options.check)
        texts, found = tables.written(options.docs)
        for path, text in texts.items():
            same &= put(path, text, options.check)
        found += tables.measured(options.docs)
    except frame.ExperimentError as error:
        print(f"bench/results: {error}", file=sys.stderr)
        return 2
    for what in found:
        print(f"bench/results: {what}", file=sys.stderr)
    return 1 if found or options.check and not same else 0


if __name__ == "__main__":
    sys.exit(main())
