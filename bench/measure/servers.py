# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/run servers`: what Octuple does for servers other than nginx, and for clients.

Each server runs as it is and by `octuple run`, and both are loaded in turns with full handshakes of TLS 1.3 (X25519,
RSA-2048): saturated, and by one connection at a time. Each client makes connections to a stock HAProxy, as it is and by
`octuple run`. What counts is CPU time, for each handshake; of clients without what it takes to start them (`octuple run
-- true`).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from lab import load, machine
from lab.programs import Build, clean_environment
from lab.servers import dialogue, services
from lab.servers.nginx import ServerError, make_keys
from lab.servers.web import Backend, KINDS, Kind, Other
from . import common, quic, versus
from .arguments import new_file

HANDSHAKE = load.named("tls13-rsa2048")
LOADS = {"saturated": 64, "alone": 1}
# Connections of each run, and how a client is told to make them, each its own.
CLIENT_RUN = 400
CLIENTS = {
    "curl": lambda url: ["curl", "-qsk", "-o", "/dev/null", "-H", "Connection: close", f"{url}?[1-{CLIENT_RUN}]"],
    "ab": lambda url: ["ab", "-q", "-n", str(CLIENT_RUN), "-c", "16", url],
    "wrk": lambda url: ["wrk", "-t", "1", "-c", "16", "-d", "1", "-H", "Connection: close", url],
    "h2load": lambda url: ["h2load", "--h1", "-n", str(CLIENT_RUN), "-c", str(CLIENT_RUN), url],
}


def make_load(server: Other, connections: int, place: machine.Placement, build: Build, seconds: float) -> dict:
    """By octuple-load, or by the clients of a server that has words before TLS or sends no ticket."""
    kind = server.kind
    if isinstance(kind, services.More) and kind.quic:
        return quic.handshakes(build.folder, server.port, place.client, connections, seconds)
    if isinstance(kind, services.More) and not kind.ticket:
        return dialogue.load(kind.name, server.port, place.client, connections, seconds)
    return load.run(build.load, server.port, place.client, HANDSHAKE, connections=connections, seconds=seconds)


def sample(server: Other, connections: int, place: machine.Placement, build: Build, seconds: float) -> dict:
    """One run: CPU for each handshake, and how many there were in a second."""
    before = server.cpu_seconds()
    report = make_load(server, connections, place, build, seconds)
    time.sleep(versus.SETTLE)
    if report["failed_total"] or not report["completed"]:
        raise ServerError(f"{server.kind.name}: {report['first_failure'] or 'no handshake was completed'}; "
                          f"{server.said()}")
    return {"cpu_us": (server.cpu_seconds() - before) * 1e6 / report["completed"], "per_s": report["handshakes_per_s"]}


def summary(samples: dict[str, list[dict]]) -> dict:
    """Medians of both, and the median over the rounds of stock over Octuple."""
    result: dict = {name: {what: versus.median([s[what] for s in runs]) for what in runs[0]}
                    for name, runs in samples.items()}
    pairs = zip(samples["stock"], samples["octuple"])
    ratios = [a["cpu_us"] / b["cpu_us"] for a, b in pairs]
    result["cpu_ratio"] = round(statistics.median(ratios), 3)
    if len(ratios) > 1:
        low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
        result["cpu_ratio_quartiles"] = [round(low, 3), round(high, 3)]
    return result


def in_lanes(server: Other) -> float:
    """Per cent of the uses of the server's key that went through lanes; of none that is nothing."""
    count = server.counters()[HANDSHAKE.operation]
    return round(100 * count.done / count.all, 1) if count.all else 0.0


def start_both(stack: ExitStack, kind: Kind, folder: Path, build: Build,
               place: machine.Placement, backend: int) -> dict[str, Other]:
    """A server as it is and under Octuple, to end with the stack."""
    cpus = {place.server} if kind.threads == 1 else {place.server, place.client}
    make = services.MoreServer if isinstance(kind, services.More) else Other
    return {name: stack.enter_context(make(kind, folder / f"{kind.name}-{name}".replace(" ", "-"),
                                            folder / "keys", HANDSHAKE.key, backend,
                                            build if name == "octuple" else None, cpus)) for name in versus.VARIANTS}


def measure_kind(kind: Kind, folder: Path, build: Build, place: machine.Placement, backend: int, options) -> dict:
    with ExitStack() as stack:
        servers = start_both(stack, kind, folder, build, place, backend)
        result: dict = {"server": kind.name, "rounds": options.rounds, "seconds": options.seconds}
        for what, connections in LOADS.items():
            samples: dict[str, list[dict]] = {name: [] for name in servers}
            for number in range(options.rounds):
                for name in versus.order(number, tuple(servers)):
                    samples[name].append(sample(servers[name], connections, place, build, options.seconds))
            result[what] = summary(samples)
            if what == "saturated":
                result["in_lanes_percent"] = in_lanes(servers["octuple"])
        return result


def run_one(command: list[str], build: Build | None, place: machine.Placement) -> tuple[float, str]:
    """The CPU seconds of a command, and what it said."""
    full = [str(build.octuple), "run", "--", *command] if build else command
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(full, env=clean_environment(), capture_output=True, text=True, timeout=120, check=False,
                          preexec_fn=lambda: os.sched_setaffinity(0, {place.client}))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise ServerError(f"{' '.join(full)} ended with status {done.returncode}: {done.stderr.strip()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def client_run(command: list[str], build: Build | None, place: machine.Placement) -> dict:
    """One run of a client; wrk says itself how many connections it made, as each answers one request."""
    start, _ = run_one(["true"], build, place)
    spent, said = run_one(command, build, place)
    count = CLIENT_RUN
    if command[0] == "wrk":
        count = next(int(line.split()[0]) for line in said.splitlines() if "requests in" in line)
    return {"cpu_us": (spent - start) * 1e6 / count}


def measure_client(name: str, server: Other, build: Build, place: machine.Placement, rounds: int) -> dict:
    command = CLIENTS[name](f"https://127.0.0.1:{server.port}/answer")
    samples: dict[str, list[dict]] = {variant: [] for variant in versus.VARIANTS}
    for number in range(rounds):
        for variant in versus.order(number):
            samples[variant].append(client_run(command, build if variant == "octuple" else None, place))
    return {"client": name} | summary(samples)


def kept(options: argparse.Namespace, kinds: list[Kind]) -> list[dict]:
    """Of the file that is to be written, the servers that are not measured now."""
    if not options.add or not options.json or not options.json.exists():
        return []
    measured_now = {kind.name for kind in kinds}
    return [row for row in json.loads(options.json.read_text())["servers"] if row["server"] not in measured_now]


def chosen(options: argparse.Namespace) -> list[Kind]:
    """The servers that are installed; one that was named must be."""
    if not options.only:
        return [kind for kind in (services.KINDS if options.more else KINDS) if kind.path()]
    by_name = {kind.name: kind for kind in (*services.KINDS, *KINDS)}  # HAProxy is in both lists
    kinds = [kind for name, kind in by_name.items() if name in options.only]
    for kind in kinds:
        if not kind.path():
            sys.exit(f"bench/run servers: {kind.name} is not installed; Debian's package: {kind.package}")
    return kinds


def run(folder: Path, build: Build, options: argparse.Namespace) -> dict:
    place = machine.place()
    kinds = chosen(options)
    clients = [name for name in CLIENTS
               if shutil.which(name) and not options.more and (not options.only or name in options.only)]
    make_keys(folder / "keys", [HANDSHAKE.key])
    model, _ = machine.cpu()
    document: dict = {"servers": kept(options, kinds), "clients": [], "handshake": HANDSHAKE.title, "cpu": model,
                      "rounds": options.rounds, "seconds": options.seconds}
    with Backend() as backend, Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=len(kinds) + len(clients))
        for kind in kinds:
            progress.update(task, description=kind.name)
            document["servers"].append(measure_kind(kind, folder, build, place, backend.port, options))
            progress.advance(task)
        if clients:
            with Other(KINDS[0], folder / "for-clients", folder / "keys", HANDSHAKE.key, backend.port, None,
                       {place.server}) as server:
                for name in clients:
                    progress.update(task, description=name)
                    document["clients"].append(measure_client(name, server, build, place, options.rounds))
                    progress.advance(task)
    return document


def print_tables(document: dict, console: Console) -> None:
    table = Table("server", "stock us", "Octuple us", "CPU ratio", "in lanes",
                  "alone: stock us", "Octuple us", "CPU ratio",
                  title=f"Server CPU for each handshake, {document['handshake']}", title_justify="left")
    for result in document["servers"]:
        busy, alone = result["saturated"], result["alone"]
        table.add_row(result["server"], f"{busy['stock']['cpu_us']:.0f}", f"{busy['octuple']['cpu_us']:.0f}",
                      f"{busy['cpu_ratio']:.2f}x", f"{result['in_lanes_percent']:.0f} %",
                      f"{alone['stock']['cpu_us']:.0f}",
                      f"{alone['octuple']['cpu_us']:.0f}", f"{alone['cpu_ratio']:.2f}x")
    console.print(table)
    if document["clients"]:
        table = Table("client", "stock us", "Octuple us", "CPU ratio", title="Client CPU for each connection",
                      title_justify="left")
        for result in document["clients"]:
            table.add_row(result["client"], f"{result['stock']['cpu_us']:.0f}", f"{result['octuple']['cpu_us']:.0f}",
                          f"{result['cpu_ratio']:.2f}x")
        console.print(table)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    names = [kind.name for kind in (*KINDS, *services.KINDS)] + list(CLIENTS)
    parser = argparse.ArgumentParser(prog="bench/run servers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=Path("build/release"))
    parser.add_argument("--rounds", type=int, default=7, help="both in turns, so many times")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run")
    parser.add_argument("--only", choices=names, action="append", metavar="NAME",
                        help="only this one, with or without --more; may be repeated: %(choices)s")
    parser.add_argument("--more", action="store_true", help="the servers of tests/servers/run more instead")
    parser.add_argument("--json", type=new_file, help="write the numbers there")
    parser.add_argument("--add", action="store_true", help="with --json: keep the other servers that the file has")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    build = Build(options.build_dir.resolve())
    document = common.measured("servers", lambda folder: run(folder, build, options), options.json)
    if document is None:
        return 1
    print_tables(document, Console(width=130))
    return 0


if __name__ == "__main__":
    sys.exit(main())
