# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What Octuple does for a QUIC server: quinn on ring's cryptography and on Octuple's, in turns (bindings/rust).

Every run is a server of its own, pinned to one CPU, and a stock client on another, which checks what it gets. What is
compared is the server's CPU time for each gigabyte. `bench/run quic --help`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from lab import cargo, machine
from .arguments import new_file
from .versus import VARIANTS, median, order, ratio

SUITES = ("aes128", "aes256", "chacha20")  # as Stack::tiers() in transfer/src/serve.rs orders them
TAKES_AT_MOST = 3600  # seconds for one run


class TransferError(Exception):
    """A transfer failed."""


@dataclass(frozen=True)
class Transfer:
    """What is moved, and through what."""

    suite: str
    bytes: int
    loss: float = 0.0
    reorder: float = 0.0

    def options(self, seed: int) -> list[str]:
        bad = ["--loss", str(self.loss), "--reorder", str(self.reorder), "--seed", str(seed)]
        return ["--suite", self.suite, "--bytes", str(self.bytes), *(bad if self.loss or self.reorder else [])]


def pinned(cpu: int | None) -> list[str]:
    return [] if cpu is None else ["taskset", "--cpu-list", str(cpu)]


def fetch(program: Path, build: Path, port: int, certificate: Path, what: Transfer, cpu: int | None, seed: int) -> dict:
    done = subprocess.run([*pinned(cpu), program, "fetch", "--port", str(port), "--certificate", certificate,
                           *what.options(seed)], env=cargo.environment(build), capture_output=True, text=True,
                          timeout=TAKES_AT_MOST, check=False)
    if done.returncode:
        raise TransferError(done.stderr.strip())
    return json.loads(done.stdout)


def run(program: Path, build: Path, variant: str, what: Transfer, placement: machine.Placement | None = None,
        seed: int = 1) -> dict:
    """One transfer: what the server and what the client say of it."""
    with tempfile.TemporaryDirectory(prefix="octuple-quic-") as folder:
        certificate = Path(folder) / "certificate"
        command = [*pinned(placement.server if placement else None), program, "serve", "--stack", variant,
                   "--certificate", certificate]
        with subprocess.Popen(command, env=cargo.environment(build), stdout=subprocess.PIPE, text=True) as server:
            try:
                hello = json.loads(server.stdout.readline() or "{}")
                if "port" not in hello:
                    raise TransferError(f"the {variant} server did not start")
                client = fetch(program, build, hello["port"], certificate, what,
                               placement.client if placement else None, seed)
                served = json.loads(server.stdout.readline() or "{}")
                if "bytes" not in served:
                    raise TransferError(f"the {variant} server failed in the middle")
                server.wait(30)
            finally:
                server.kill()
    return {"server": served, "client": client, "tier": hello["tiers"][SUITES.index(what.suite)]}


def handshakes(build: Path, port: int, cpu: int, connections: int, seconds: float, hybrid: bool = False) -> dict:
    """Full handshakes with any server of HTTP/3, by the program that build_all() has left. The report has the fields of
    octuple-load's that the experiments read."""
    program = build / "cargo/release/transfer"
    if not program.exists():
        raise TransferError(f"{program} is not built: bench/run quic builds it")
    done = subprocess.run([*pinned(cpu), program, "handshakes", "--port", str(port), "--connections", str(connections),
                           "--seconds", str(seconds), *(["--hybrid"] if hybrid else [])],
                          env=cargo.environment(build), capture_output=True, text=True,
                          timeout=seconds + 60, check=False)
    if done.returncode:
        raise TransferError(done.stderr.strip())
    return json.loads(done.stdout)


def compare(program: Path, build: Path, what: Transfer, rounds: int, placement: machine.Placement) -> dict:
    """Medians over the rounds, each with both servers in changing order and the same seed for both."""
    runs: dict[str, list[dict]] = {variant: [] for variant in VARIANTS}
    for number in range(rounds):
        for variant in order(number):
            runs[variant].append(run(program, build, variant, what, placement, seed=number + 1))
    result: dict = {"suite": what.suite, "bytes": what.bytes, "loss": what.loss, "reorder": what.reorder,
                    "tier": runs["octuple"][0]["tier"]}
    for variant in VARIANTS:
        result[variant] = summary(runs[variant])
    result["cpu_ratio"] = ratio(result["stock"]["cpu_s_per_gb"], result["octuple"]["cpu_s_per_gb"])
    return result


def summary(runs: list[dict]) -> dict:
    return {"cpu_s_per_gb": median_of(runs, "server", "cpu_s_per_gb"),
            "goodput_mb_s": median_of(runs, "client", "goodput_mb_s"),
            "rounds_cpu_s_per_gb": [round(one["server"]["cpu_s_per_gb"], 3) for one in runs]}


def median_of(runs: list[dict], side: str, name: str) -> float:
    # Seconds for a gigabyte are about 1, and median() rounds to hundredths: milliseconds keep the digits.
    return median([1000 * one[side][name] for one in runs]) / 1000


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run quic", description=__doc__.split("\n")[0])
    parser.add_argument("--build-dir", metavar="DIR", type=Path, default=Path("build/release"),
                        help="the build of liboctuple.so to measure; the binding is built into DIR/cargo (default: "
                             "%(default)s)")
    parser.add_argument("--suite", action="append", choices=SUITES, help="only this cipher suite; may be repeated")
    parser.add_argument("--megabytes", metavar="N", type=int, default=1000,
                        help="for each transfer (default: %(default)s)")
    parser.add_argument("--bad-megabytes", metavar="N", type=int, default=100,
                        help="for each transfer with loss (default: %(default)s)")
    parser.add_argument("--percent", metavar="PART", type=float, default=1.0,
                        help="of the datagrams are lost and as many delayed, where any are (default: %(default)s)")
    parser.add_argument("--rounds", metavar="N", type=int, default=5,
                        help="of both servers in turns (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", type=new_file, help="write the numbers to FILE")
    return parser.parse_args(argv)


def transfers(options: argparse.Namespace) -> list[Transfer]:
    """Of each suite one on a good network and one on a bad one, each unless its size is 0."""
    part, suites = options.percent / 100, options.suite or SUITES
    both = [Transfer(suite, options.megabytes * 10**6) for suite in suites]
    both += [Transfer(suite, options.bad_megabytes * 10**6, part, part) for suite in suites]
    return [what for what in both if what.bytes]


def result_table(results: list[dict]) -> Table:
    table = Table("suite", "tier", "lost", "stock s/GB", "Octuple s/GB", "CPU ratio", "stock MB/s", "Octuple MB/s",
                  title="QUIC server: CPU time for each gigabyte sent, goodput", title_justify="left")
    for result in results:
        stock, octuple = result["stock"], result["octuple"]
        table.add_row(result["suite"], result["tier"], f"{100 * result['loss']:g} %", f"{stock['cpu_s_per_gb']:.3f}",
                      f"{octuple['cpu_s_per_gb']:.3f}", f"{result['cpu_ratio']:.2f}x", f"{stock['goodput_mb_s']:.0f}",
                      f"{octuple['goodput_mb_s']:.0f}")
    return table


def describe(placement: machine.Placement) -> dict:
    model, _ = machine.cpu()
    return {"cpu": model, "server_cpu": placement.server, "client_cpu": placement.client,
            "rustc": machine.first_line(["rustc", "--version"]), "placement_note": placement.note}


def main(argv: list[str] | None = None) -> int:
    options, console = arguments(argv), Console()
    build, placement = options.build_dir.resolve(), machine.place()
    reason = cargo.why_not(build)
    if reason:
        print(f"quic: {reason}", file=sys.stderr)
        return 2
    try:
        program = cargo.build_all(build)
        results = [compare(program, build, what, options.rounds, placement) for what in transfers(options)]
    except (cargo.CargoError, TransferError) as error:
        print(f"quic: {error}", file=sys.stderr)
        return 2
    console.print(result_table(results))
    if options.json:
        options.json.write_text(json.dumps({"results": results, "machine": describe(placement)}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
