# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/results`: docs/results.md from the data in docs/results, and these from the folders of runs.

    bench/results --machine NAME build/experiments/*     take runs over, then make the page
    bench/results                                        make the page, and tables, from what is there
    bench/results --check [--machine NAME FOLDER...]     change nothing; fail if page, data, runs and the tables in
                                                         README.md and docs do not agree

docs/results/MACHINE/EXPERIMENT.json is a run in small: medians, ratios and quartiles of each point, machine and
command. published.json has what others have published, with where it stands, and which of our figures it is held
against; earlier.md is included as it is. tables.json describes the tables in README.md and docs (see tables.py).
results/more-servers.md is made from the files that it names, which `bench/run servers --more --json` and
`tests/servers/run tokio --json` write; keys.md and keys.svg from keys.json, which `bench/keys --json` writes.

Exit status: 0; 1 if --check found a difference, or a table is wrong; 2 for wrong usage or an unreadable run.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from bench.experiments import ALL, frame
from . import devices_page, html, more, summary, tables

DOCS = Path(__file__).parents[2] / "docs"


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
    """Our figures for a published one, on each machine: the ratios at some points."""
    found = []
    for machine, experiments in data.items():
        for one in wanted:
            for point in experiments.get(one["experiment"], {}).get("points", []):
                if point["key"] == one["key"]:
                    ratio = point["metrics"][one["metric"]]["ratio"][one.get("side", "octuple")]
                    found.append(f"{one['label']} {ratio:.2f} ({machine})")
    return found


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def versions(document: dict) -> str:
    """The machine and programs of a run in a line."""
    machine = document["machine"]
    cpus = f"{machine['cpus']} CPUs" if machine["cpus"] > 1 else "1 CPU"
    parts = [machine["cpu"], cpus, machine["system"], f"Linux {machine['kernel']}",
             machine["openssl"].split(" (")[0], machine["nginx"],
             machine["compiler"], f"Octuple {machine['octuple']}, vectors of {machine['width']} bits"]
    if mask := machine.get("openssl_masked"):  # by bench/experiment --table
        parts.append(f"as on a CPU whose best table is `{machine['table']}`, OpenSSL kept from newer instructions by "
                     f"`OPENSSL_ia32cap={mask}`")
    return ", ".join(part for part in parts if part)


def anchors(headings: list[str]) -> list[str]:
    """As GitHub makes them: a heading that comes again has a number."""
    seen: dict[str, int] = {}
    found = []
    for heading in headings:
        name = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        found.append(name + (f"-{seen[name]}" if name in seen else ""))
        seen[name] = seen.get(name, 0) + 1
    return found


def contents(data: dict[str, dict[str, dict]]) -> dict[str, list[dict]]:
    """By machine: each experiment with what came out, and where it is."""
    titles = ["In short"] + [title for machine, experiments in data.items()
                             for title in (machine, *(one["title"] for one in experiments.values()))]
    places = iter(anchors(titles)[1:])
    found: dict[str, list[dict]] = {}
    for machine, experiments in data.items():
        next(places)
        found[machine] = [{"title": one["title"], "anchor": next(places), "sentence": html.sentence(one["points"])}
                          for one in experiments.values()]
    return found


def render(docs: Path) -> str:
    data = load_data(docs)
    published = json.loads((docs / "results/published.json").read_text())
    environment = html.environment()
    environment.filters |= {"cell": cell, "our_figures": lambda wanted: "; ".join(ours(wanted, data)) or "not measured"}
    return environment.get_template("results.md").render(
        data=data, contents=contents(data), experiments_of=ALL, published=published,
        earlier=(docs / "results/earlier.md").read_text().strip(), versions=versions, slug=slug, tables=summary.tables)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/results", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="*", help="of runs, as bench/experiment leaves them")
    parser.add_argument("--machine", help="what the page calls the machine of these runs")
    parser.add_argument("--check", action="store_true", help="change nothing, fail if something would change")
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
        documents = [compact(frame.Run.read(folder), options.machine) for folder in options.folder]
        if len({document["experiment"] for document in documents}) < len(documents):
            raise frame.ExperimentError("two of these runs are of one experiment: a machine has one run of each")
        for document in documents:
            path = options.docs / "results" / slug(options.machine) / f"{document['experiment']}.json"
            same &= put(path, as_text(document), options.check)
        same &= put_charts(options.docs, options.check)
        same &= put(options.docs / "results.md", render(options.docs), options.check)
        for name, made in {more.PAGE: more.render(options.docs), devices_page.PAGE: devices_page.render(options.docs),
                           devices_page.CHART: devices_page.chart(options.docs)}.items():
            if made is not None:
                same &= put(options.docs / "results" / name, made, options.check)
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
