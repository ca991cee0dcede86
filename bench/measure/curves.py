# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/run curves`: latency and CPU of a server, stock and under Octuple, from little load to all that stock bears.

Open loop: connections begin at random moments, the same ones for both servers, at 10 % to 100 % of the rate at which
the stock server was saturated. Latency counts from the moment at which a connection was due, CPU is the server's for
each completed handshake.

The promise that is held against the figures: at no load is p50 or p99 above stock's by more than 5 % or 50 us,
whichever is more, nor CPU by more than 3 %.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from lab import counters, load, machine
from lab.programs import Build
from lab.servers import web
from lab.servers.nginx import Nginx, find_nginx, make_keys
from . import common, versus
from .arguments import new_file


class HAProxy:
    """HAProxy as web.py has it, one for each kind of key, for what takes an Nginx."""

    def __init__(self, name: str, folder: Path, keys: Path, kinds: list[str], cpu: int, build: Build | None = None):
        self.name, self.hybrids = name, ()  # its configuration names no group
        self.running = {kind: web.Other(web.KINDS[0], folder / kind, keys, kind, 0, build, {cpu})
                        for kind in kinds}
        self.ports = {kind: server.port for kind, server in self.running.items()}

    def __enter__(self) -> "HAProxy":
        with ExitStack() as started:
            for server in self.running.values():
                started.enter_context(server)
            self.stop = started.pop_all()
        return self

    def __exit__(self, *_exception) -> None:
        self.stop.close()

    def said(self) -> str:
        return "\n".join(server.said() for server in self.running.values())

    def cpu_times(self) -> tuple[float, float]:
        """How long they had to wait for their CPU is not known."""
        return sum(server.cpu_seconds() for server in self.running.values()), 0.0

    def counters(self) -> dict[str, counters.Operation]:
        return counters.total(server.counters() for server in self.running.values())


SERVERS = {"nginx": Nginx, "haproxy": HAProxy}
PERCENTS = tuple(range(10, 101, 10))
HANDSHAKES = ("tls13-rsa2048", "tls13-ecdsa-p256")
CONNECTIONS = 64  # to saturate
PLACES = 1024  # for connections under way in open loop
LATENCY_PERCENT, LATENCY_US, CPU_PERCENT = 5, 50, 3
QUANTILES = ("p50", "p99")


def held(quantiles: dict[str, tuple[float, float]], cpu: tuple[float, float]) -> bool:
    """Whether the promise stood at one load; each pair is (stock, octuple)."""
    slow = any(octuple > max(stock * (1 + LATENCY_PERCENT / 100), stock + LATENCY_US)
               for stock, octuple in quantiles.values())
    return not slow and cpu[1] <= cpu[0] * (1 + CPU_PERCENT / 100)


def point(percent: int, rate: float, samples: dict[str, list[versus.Sample]]) -> dict:
    """One load. The change of CPU is the median over the rounds, each its own pair:
    both runs of it are neighbours in time."""
    result: dict = {"percent": percent, "offered_per_s": rate}
    for variant in versus.VARIANTS:
        result[variant] = versus.latency_summary(samples[variant])
    pairs = zip(samples["stock"], samples["octuple"])
    change = statistics.median(octuple.cpu_us / stock.cpu_us for stock, octuple in pairs)
    result["cpu_change_percent"] = round((change - 1) * 100, 2)
    result["held"] = held({name: (result["stock"][name], result["octuple"][name]) for name in QUANTILES}, (1, change))
    return result


def curve(bench: versus.Bench, handshake: load.Handshake, options: argparse.Namespace) -> dict:
    bench.rounds(handshake, "warm-up", 1, 0.3, connections=CONNECTIONS)
    full = bench.rounds(handshake, "saturated", options.rounds, options.seconds, connections=CONNECTIONS)
    result: dict = handshake.describe()
    for variant in versus.VARIANTS:
        result[variant] = versus.capacity_summary(full[variant])
    result["cpu_ratio"] = versus.ratio(*(result[variant]["cpu_us_per_handshake"] for variant in versus.VARIANTS))
    result["points"] = []
    for percent in PERCENTS:
        rate = round(result["stock"]["handshakes_per_s"] * percent / 100, 1)
        samples = bench.rounds(handshake, f"{percent} %", options.rounds,
                               options.seconds, connections=PLACES, rate=rate)
        result["points"].append(point(percent, rate, samples))
    return result


def print_curve(result: dict, server: str, console: Console) -> None:
    table = Table("load", "offered /s", "stock p50", "Octuple p50",
                  "stock p99", "Octuple p99", "stock CPU", "Octuple CPU", "change",
                  "promise", title=f"{server}, {result['handshake']}: us; saturated {result['cpu_ratio']:.2f}x",
                  title_justify="left")
    for at in result["points"]:
        stock, octuple = at["stock"], at["octuple"]
        numbers = [part[name] for name in (*QUANTILES, "cpu_us_per_handshake") for part in (stock, octuple)]
        table.add_row(f"{at['percent']} %", f"{at['offered_per_s']:.0f}", *(f"{number:.0f}" for number in numbers),
                      f"{at['cpu_change_percent']:+.1f} %", "held" if at["held"] else "NOT HELD")
    console.print(table)


def page(document: dict) -> str:
    """Both quantiles and CPU over the load, for each server and handshake."""
    from bench.report import html

    records = [{"key": {"server": server, "handshake": result["handshake"], "load": at["percent"]},
                "metrics": {title: {"unit": "us", "better": "less",
                                    "sides": {variant: [at[variant][name]] for variant in versus.VARIANTS}}
                            for title, name in {**{name: name for name in QUANTILES},
                                                "CPU of a handshake": "cpu_us_per_handshake"}.items()}}
               for server, results in document["servers"].items() for result in results for at in result["points"]]
    return html.of_lines(document["machine"], "Latency and CPU by load", records, "load", "% of what stock can do")


def run(folder: Path, build: Build, options: argparse.Namespace, console: Console) -> dict:
    place = machine.place()
    handshakes = [load.named(name) for name in options.handshake or HANDSHAKES]
    kinds = sorted({handshake.key for handshake in handshakes})
    make_keys(folder / "keys", kinds)
    document: dict = {"servers": {}, "rounds": options.rounds, "seconds": options.seconds}
    for name in options.server or list(SERVERS):
        make = SERVERS[name]
        with make("stock", folder / f"{name}-stock", folder / "keys", kinds, place.server) as stock, \
                make("octuple", folder / f"{name}-octuple", folder / "keys", kinds, place.server, build) as octuple, \
                Progress(console=console, transient=True) as progress:
            seconds = 0.3 + (1 + len(PERCENTS)) * options.rounds * options.seconds
            task = progress.add_task(name, total=2 * len(handshakes) * seconds)
            bench = versus.Bench(
                {"stock": stock, "octuple": octuple}, build.load, place.client,
                lambda what, seconds: progress.update(task, description=f"{name}, {what}", advance=seconds))
            document["servers"][name] = [curve(bench, handshake, options) for handshake in handshakes]
        for result in document["servers"][name]:
            print_curve(result, name, console)
    document["machine"] = machine.describe(place, find_nginx(), "")
    return document


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run curves", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=Path("build/release"))
    parser.add_argument("--server", action="append", choices=list(SERVERS), help="only this one; may be repeated")
    parser.add_argument("--handshake", action="append", choices=[handshake.name for handshake in load.HANDSHAKES],
                        metavar="NAME",
                        help=f"may be repeated; default {' and '.join(HANDSHAKES)}")
    parser.add_argument("--rounds", type=int, default=5, help="of each load, both servers in turns")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each run")
    parser.add_argument("--json", type=new_file, help="write the numbers there")
    parser.add_argument("--html", type=new_file, help="draw them there")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    build = Build(options.build_dir.resolve())
    console = Console(width=130)
    document = common.measured("curves", lambda folder: run(folder, build, options, console), options.json)
    if document is None:
        return 1
    if options.html:
        options.html.write_text(page(document))
    return 0


if __name__ == "__main__":
    sys.exit(main())
