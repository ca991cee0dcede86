# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`./demo`: what Octuple does for an unmodified nginx on this machine."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from bench.report import demo_page
from lab import load, machine
from lab.servers.nginx import Build, KEYS, Nginx, ServerError, find_nginx, make_keys
from . import versus
from .arguments import arguments, be_another_cpu, mask_of

ALONE = ("tls12-rsa-kx-rsa2048", "tls13-rsa2048", "tls13-ecdsa-p256")
FEW = ("tls12-rsa-kx-rsa2048",)
BUSY_PERCENT = 5  # of the server's time taken by other programs: from here on rates and latencies say little
RUN_OVERHEAD = 0.12  # seconds for starting the load generator and reading it, for each run


def chosen(options: argparse.Namespace) -> list[load.Handshake]:
    return [handshake for handshake in load.HANDSHAKES if not options.handshake or handshake.name in options.handshake]


def extras(names: tuple[str, ...], handshakes: list[load.Handshake]) -> list[load.Handshake]:
    return [handshake for handshake in handshakes if handshake.name in names]


def expected_seconds(plan: versus.Plan, handshakes: list[load.Handshake]) -> float:
    alone, few = len(extras(ALONE, handshakes)), len(extras(FEW, handshakes))
    runs = 2 * (len(handshakes) * (1 + plan.rounds + plan.load_rounds)
                + alone * plan.alone_rounds + few * plan.few_rounds)
    return (len(handshakes) * plan.handshake_time() + alone * plan.alone_time() + few * plan.few_time()
            + runs * RUN_OVERHEAD)


def octuple_info(build: Build) -> dict:
    """What Octuple says of this machine."""
    done = subprocess.run([build.octuple, "info", "--json"], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {}


def said_of_table(options: argparse.Namespace, info: dict) -> list[str]:
    if not options.table:
        return []
    if info.get("table", {}).get("name") != options.table:
        return [f"This CPU cannot run the table {options.table}."]
    if not machine.has_avx512():
        return []
    masked = mask_of(options.table)
    mask = f", and neither side's OpenSSL the instructions that {masked} masks" if masked else ""
    return [f"As on another CPU: Octuple used its table {options.table}{mask}.",
            "The clock and the caches are this CPU's."]


def result_line(result: dict) -> str:
    stock, octuple = result["stock"], result["octuple"]
    return (f"{result['handshake']:<31} CPU {stock['cpu_us_per_handshake']:7.1f} -> "
            f"{octuple['cpu_us_per_handshake']:7.1f} us ({result['cpu_ratio']:.2f}x), {stock['handshakes_per_s']:6.0f} "
            f"-> {octuple['handshakes_per_s']:6.0f} /s")


def measure_all(bench: versus.Bench, plan: versus.Plan, handshakes: list[load.Handshake], console: Console,
                details: bool) -> dict:
    document: dict = {"memory": versus.measure_memory(bench.servers), "results": [], "alone": [], "few": []}
    for handshake in handshakes:
        document["results"].append(versus.measure_handshake(bench, plan, handshake))
        if details:
            console.print(result_line(document["results"][-1]), highlight=False, soft_wrap=True)
    for handshake in extras(ALONE, handshakes):
        document["alone"].append(versus.measure_alone(bench, plan, handshake))
    for handshake in extras(FEW, handshakes):
        document["few"].append(versus.measure_few(bench, plan, handshake))
    return document


def with_progress(servers: dict[str, Nginx], options: argparse.Namespace,
                  plan: versus.Plan, placement: machine.Placement,
                  console: Console) -> dict:
    handshakes = chosen(options)
    columns = (TextColumn("{task.description:<52}"), BarColumn(), TimeElapsedColumn(), TextColumn("about"),
               TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("starting", total=expected_seconds(plan, handshakes))

        def step(what: str, seconds: float) -> None:
            progress.update(task, description=what, advance=seconds + RUN_OVERHEAD if seconds else 0)

        bench = versus.Bench(servers, Build(options.build_dir.resolve()).load, placement.client, step)
        return measure_all(bench, plan, handshakes, console, options.details)


def other_groups(results: list[dict]) -> list[str]:
    """Which servers did a classical handshake instead of a hybrid one."""
    found = {(variant, result["group"], result[variant]["group"]): None
             for result in results for variant in versus.VARIANTS}
    return [f"The {variant} server has no {wanted}: there its figures are those of {spoken} with the same certificate."
            for variant, wanted, spoken in found if wanted != spoken]


def warnings(document: dict, info: dict, placement: machine.Placement) -> list[str]:
    """What a reader must know before believing the numbers."""
    found = [placement.note] if placement.note else []
    batched = sum(result["octuple"][what]["in_batches"] for result in document["results"]
                  for what in ("saturated", "same_load"))
    if not batched:
        reason = info.get("table", {}).get("reason") or "octuple info says more"
        found.append(f"Nothing was accelerated: no operation ran in a batch ({reason}).")
    waited = max(result[variant]["server_waited_percent"] for result in document["results"]
                 for variant in versus.VARIANTS)
    if waited > BUSY_PERCENT and not placement.shared:
        found.append(f"Other programs used the server's CPU for up to {waited:.0f} % of the time: rates and latencies "
                     "are worse than they could be, and all numbers noisy. Try again on a quiet machine.")
    found += other_groups(document["results"])
    for result in document["results"]:
        for variant in versus.VARIANTS:
            failed = result[variant]["failed"] + result[variant]["latency_us"]["failed"]
            if failed:
                found.append(f"{result['handshake']}: {failed} handshakes with the {variant} server failed.")
            overdue = result[variant]["latency_us"]["overdue"]
            if overdue:
                found.append(f"{result['handshake']}: the {variant} server fell behind the offered load; {overdue} "
                             "connections found no place in time and are missing from its latencies.")
    for what in document["alone"] + document["few"]:
        for variant in versus.VARIANTS:
            if what[variant]["failed"]:
                found.append(f"{what['handshake']}: {what[variant]['failed']} handshakes with the {variant} server "
                             "failed.")
    return found


def any_failed(document: dict) -> bool:
    parts = [result[variant] for result in document["results"] for variant in versus.VARIANTS]
    parts += [part["latency_us"] for part in parts]
    parts += [what[variant] for what in document["alone"] + document["few"] for variant in versus.VARIANTS]
    return any(part["failed"] for part in parts)


def print_tables(document: dict, console: Console) -> None:
    for title, found in demo_page.tables(document).items():
        table = Table(*found["head"], title=title, title_justify="left")
        for row in found["rows"]:
            table.add_row(*row)
        if found["rows"]:
            console.print(table)


def write_results(document: dict, options: argparse.Namespace, console: Console) -> None:
    text = json.dumps(document, indent=1) + "\n"
    if options.json:
        options.json.write_text(text)
        console.print(f"Numbers: {options.json}", highlight=False)
    if options.report:
        options.report.mkdir(parents=True, exist_ok=True)
        (options.report / "results.json").write_text(text)
        (options.report / "index.html").write_text(demo_page.render(document))
        console.print(f"Report: {options.report / 'index.html'}", highlight=False)


def run(options: argparse.Namespace, console: Console, folder: Path) -> int:
    build = Build(options.build_dir.resolve())
    plan = versus.QUICK if options.quick else versus.Plan()
    placement = machine.place()
    info = octuple_info(build)
    began = time.monotonic()
    console.print(f"Measuring takes about {expected_seconds(plan, chosen(options)) / 60:.1f} minutes.", highlight=False)
    kinds = [kind for kind in KEYS if kind in {handshake.key for handshake in chosen(options)}]
    make_keys(folder / "keys", kinds)
    with Nginx("stock", folder / "stock", folder / "keys", kinds, placement.server) as stock, \
            Nginx("octuple", folder / "octuple", folder / "keys", kinds, placement.server, build) as octuple:
        console.print(f"stock:    {' '.join(stock.command())}", highlight=False, soft_wrap=True)
        console.print(f"Octuple:  {' '.join(octuple.command())}", highlight=False, soft_wrap=True)
        if octuple.said():
            console.print(octuple.said(), highlight=False, markup=False)
        document = with_progress({"stock": stock, "octuple": octuple}, options, plan, placement, console)
    document["machine"] = machine.describe(placement, find_nginx(), info.get("version", ""))
    document["plan"] = dataclasses.asdict(plan)
    document["measuring_seconds"] = round(time.monotonic() - began, 1)
    document["machine"]["table"] = info.get("table", {}).get("name", "")
    document["warnings"] = said_of_table(options, info) + warnings(document, info, placement)
    if options.details:
        print_tables(document, console)
    for line in demo_page.conclusion(document):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    for warning in document["warnings"]:
        console.print(f"Note: {warning}", style="yellow", highlight=False, soft_wrap=True)
    write_results(document, options, console)
    return 1 if any_failed(document) else 0


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    console = Console()
    if not console.is_terminal:  # a log: tables are not folded to a width that nobody has
        console = Console(width=132)
    missing = Build(options.build_dir.resolve()).missing()
    if missing:
        print(f"demo: not built: {', '.join(str(path) for path in missing)}", file=sys.stderr)
        return 2
    if options.table:
        be_another_cpu(options.table)
    folder = Path(tempfile.mkdtemp(prefix="octuple-demo-"))
    folder.chmod(0o755)  # nginx's worker is another user
    try:
        return run(options, console, folder)
    except (ServerError, load.LoadError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    finally:
        if options.keep:
            print(f"demo: configuration, keys and logs are kept in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
