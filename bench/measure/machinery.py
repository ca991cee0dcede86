# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/run machinery`: where a handshake's CPU goes besides lanes, on nginx, stock and under Octuple. With --library
it is nginx or HAProxy on that OpenSSL, and on AWS-LC besides, as `bench/experiment libraries` builds them.

perf samples the worker under load, with its stack, and each sample counts for one row in each of four tables: the
library in which it is, the first function with a name below libssl, the system call, and the function of the
allocator. A row's microseconds are its share of the samples times the CPU of a handshake, which the kernel's clock
says. Samples come by cpu-clock, since many machines have no counter of instructions; the last column says how much a
row may differ between two runs by chance alone.

With --veth the client is behind a network device: on loopback the sender's CPU does the receiver's work too.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator

from lab import load, machine, veth
from lab.programs import Build
from lab.servers import libraries
from lab.servers.nginx import Nginx, ServerError, find_nginx, make_keys
from . import common, versus
from .arguments import new_file

HANDSHAKES = ("tls13-ecdsa-p256", "tls13-ed25519", "tls13-rsa2048", "tls12-ecdhe-rsa2048",
              "tls13-ecdsa-p256-x25519mlkem768", *(handshake.name for handshake in load.RESUMED))
CONNECTIONS = 64
HERTZ = 1999
STACK = 16384  # bytes of it in each sample
LIBRARIES = {"libssl": "libssl", "libcrypto": "libcrypto", "libc.so": "libc", "libc-2": "libc", "ld-linux": "libc",
             "liboctuple-async": "Octuple's shim", "liboctuple.so": "Octuple's lanes and ciphers",
             "octuple.so": "Octuple's provider", "nginx": "the server", "haproxy": "the server", "kernel": "kernel",
             "vdso": "libc"}
ALLOCATOR = re.compile(r"^(?:malloc|free|cfree|calloc|realloc|posix_memalign|aligned_alloc|_int_(?:malloc|free|realloc)"
                       r"|malloc_consolidate|unlink_chunk|sysmalloc)\b")
SYSTEM_CALL = re.compile(r"^(?:__x64_sys|__do_sys|__se_sys|ksys|__sys)_(\w+)")
FRAME = re.compile(r"^\s+[0-9a-f]+ (.+?)(?:\+0x[0-9a-f]+)? \((.*)\)$")
TABLES = ("library", "below libssl", "system call", "allocator")


def library(path: str) -> str:
    """Of a mapping, whose it is."""
    if path.startswith("[") and "vdso" not in path:
        return "kernel"
    name = path.rsplit("/", 1)[-1]
    return next((ours for part, ours in LIBRARIES.items() if name.startswith(part)), name)


def rows_of(stack: list[tuple[str, str]]) -> dict[str, str]:
    """One sample's row in each table. The stack is innermost first, of (symbol, library)."""
    rows = {"library": stack[0][1]}
    inside = next((i for i, (_, whose) in enumerate(stack) if whose == "libssl"), None)
    if inside is not None:
        named = (symbol for symbol, whose in reversed(stack[:inside]) if whose != "kernel" and symbol != "[unknown]")
        rows["below libssl"] = next(named, "without a name" if inside else "libssl's own code")
    called = [found[1] for symbol, whose in stack if whose == "kernel" and (found := SYSTEM_CALL.match(symbol))]
    if called:
        rows["system call"] = called[-1]
    for symbol, whose in stack:
        if whose == "libc" and ALLOCATOR.match(symbol):
            rows["allocator"] = symbol
    return rows


def read_samples(text: str) -> tuple[int, dict[str, Counter]]:
    """Of what perf script writes: how many samples, and each table's counts."""
    tables: dict[str, Counter] = {name: Counter() for name in TABLES}
    samples, stack = 0, []
    for line in [*text.splitlines(), ""]:
        found = FRAME.match(line)
        if found:
            stack.append((found[1], library(found[2])))
        elif not line.strip() and stack:
            samples += 1
            for name, row in rows_of(stack).items():
                tables[name][row] += 1
            stack = []
    return samples, tables


@dataclass(frozen=True)
class Sides:
    """What is compared: `load` a side for so many seconds, and it says microseconds of CPU a handshake."""

    names: tuple[str, ...]
    load: Callable[[str, load.Handshake, float], float]
    worker: Callable[[str], int]


def profile(sides: Sides, name: str, handshake: load.Handshake, seconds: float, folder: Path) -> dict:
    """One run with perf at the worker."""
    data = folder / "perf.data"
    perf = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(HERTZ), "-p", str(sides.worker(name)),
                             "--call-graph", f"dwarf,{STACK}", "-o", str(data)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        sides.load(name, handshake, seconds)
    finally:
        perf.send_signal(2)
        said = perf.communicate(timeout=60)[1]
    if not data.exists():
        raise ServerError(f"perf made no samples: {said.strip()}")
    script = subprocess.run(["perf", "script", "-i", str(data), "--no-inline", "-F", "ip,sym,symoff,dso"],
                            capture_output=True, text=True, errors="replace", check=False, timeout=600)
    samples, tables = read_samples(script.stdout)
    data.unlink()
    if not samples:
        raise ServerError(f"perf made no samples: {said.strip()} {script.stderr.strip()[:200]}")
    return {"samples": samples, "tables": tables}


def measure(sides: Sides, handshake: load.Handshake, options: argparse.Namespace, folder: Path) -> dict:
    found: dict[str, list[float]] = {name: [] for name in sides.names}
    for name in sides.names:
        sides.load(name, handshake, 0.3)
    for number in range(options.rounds):
        for name in versus.order(number, sides.names):
            found[name].append(sides.load(name, handshake, options.seconds))
    result: dict = handshake.describe()
    for name in sides.names:
        cost = versus.median(found[name])
        seen = profile(sides, name, handshake, options.profile, folder)
        scale = cost / seen["samples"]
        result[name] = {"cpu_us_per_handshake": cost, "samples": seen["samples"],
                        "us": {table: {row: round(count * scale, 2) for row, count in counts.most_common()}
                               for table, counts in seen["tables"].items()},
                        "us_by_chance": {table: {row: round(2 * math.sqrt(2 * count) * scale, 2)
                                                 for row, count in counts.items()}
                                         for table, counts in seen["tables"].items()}}
    result["cpu_ratio"] = versus.ratio(*(result[name]["cpu_us_per_handshake"] for name in versus.VARIANTS))
    return result


def text(result: dict, least: float, names: tuple[str, ...] = versus.VARIANTS) -> str:
    """The tables of a kind of handshake, as Markdown; rows below `least` microseconds on all sides are one."""
    sides = [result[name] for name in names]
    costs = ", ".join(f"{side['cpu_us_per_handshake']:.1f} {name}" for name, side in zip(names, sides))
    lines = [f"## {result['title']}", "",
             f"Microseconds of CPU a handshake: {costs}. Stock over Octuple: {result['cpu_ratio']:.2f}.", ""]
    for table in TABLES:
        lines += [f"| {table} | {' | '.join(f'{name}, us' for name in names)} | by chance, us |",
                  "|---" + "|--:" * (len(names) + 1) + "|"]
        rest = [0.0] * len(names)
        rows = {row: [side["us"][table].get(row, 0.0) for side in sides] for side in sides for row in side["us"][table]}
        for row, found in sorted(rows.items(), key=lambda item: -max(item[1])):
            if max(found) < least:
                rest = [sum(pair) for pair in zip(rest, found)]
                continue
            chance = max(side["us_by_chance"][table].get(row, 0) for side in sides)
            lines.append(f"| {row} | {' | '.join(f'{us:.1f}' for us in found)} | {chance:.1f} |")
        lines += [f"| all others | {' | '.join(f'{us:.1f}' for us in rest)} | |", ""]
    return "\n".join(lines)


@contextmanager
def of_system(folder: Path, kinds: list[str], build: Build, place: machine.Placement, behind: bool) -> Iterator[Sides]:
    """This system's nginx. `behind`: a network device."""
    with ExitStack() as running:
        servers, client = {}, {}
        if behind:
            veth.own_network()
            peer = running.enter_context(veth.Peer(place.server, place.client))
            client = {"host": veth.SERVER, "prefix": peer.prefix}
        for name in versus.VARIANTS:
            server = Nginx(name, folder / name, folder / "keys", kinds, place.server,
                           build if name == "octuple" else None)
            server.address = client.get("host", server.address)
            servers[name] = running.enter_context(server)
        bench = versus.Bench(servers, build.load, place.client)
        yield Sides(versus.VARIANTS,
                    lambda name, handshake, seconds: bench.run(name, handshake, "machinery", seconds,
                                                               connections=CONNECTIONS, **client).cpu_us,
                    lambda name: servers[name].worker)


@contextmanager
def of_library(folder: Path, kinds: list[str], build: Build, place: machine.Placement, server: str,
               library: str) -> Iterator[Sides]:
    libraries.install()
    libraries.pem(folder / "keys", kinds)
    sides = dict(zip((*versus.VARIANTS, "AWS-LC"), (libraries.Side(library, False), libraries.Side(library, True),
                                                    libraries.Side(libraries.AWS_LC, False))))
    with libraries.All(server, kinds, folder / "keys", folder, build, place.server, tuple(sides.values())) as all_of:
        yield Sides(tuple(sides),
                    lambda name, handshake, seconds: all_of.microseconds(sides[name], handshake, place.client,
                                                                         seconds=seconds, connections=CONNECTIONS),
                    lambda name: all_of.workers[sides[name]])


def run(folder: Path, build: Build, options: argparse.Namespace) -> dict:
    place = machine.place()
    handshakes = [load.named(name) for name in options.handshake or HANDSHAKES]
    kinds = sorted({handshake.key for handshake in handshakes})
    make_keys(folder / "keys", kinds)
    opened = (of_library(folder, kinds, build, place, options.server, options.library) if options.library else
              of_system(folder, kinds, build, place, options.veth))
    results = []
    with opened as sides:
        for handshake in handshakes:
            print(f"machinery: {handshake.title}", file=sys.stderr)
            results.append(measure(sides, handshake, options, folder))
    return {"sides": sides.names, "server": options.server, "library": options.library or "this system's",
            "results": results, "machine": machine.describe(place, find_nginx(), "")}


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run machinery", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=Path("build/release"))
    parser.add_argument("--handshake", action="append", metavar="NAME",
                        choices=[handshake.name for handshake in load.HANDSHAKES + load.MORE_HANDSHAKES + load.RESUMED],
                        help=f"may be repeated; default {' '.join(HANDSHAKES)}")
    parser.add_argument("--rounds", type=int, default=7, help="in turns, for the CPU of a handshake")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each round")
    parser.add_argument("--profile", type=float, default=8.0, help="seconds of the run with perf")
    parser.add_argument("--least", type=float, default=0.5, help="microseconds that a row must have in the text")
    parser.add_argument("--library", choices=libraries.OPENSSL, help="this OpenSSL, beside AWS-LC; needs root")
    parser.add_argument("--server", choices=sorted(libraries.ARGUMENTS), default="nginx", help="with --library")
    parser.add_argument("--veth", action="store_true", help="the client behind a network device; needs root")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and samples")
    parser.add_argument("--json", type=new_file, help="write the numbers there")
    options = parser.parse_args(argv)
    if options.quick:
        options.rounds, options.seconds, options.profile = 3, 0.5, 2.0
    return options


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    build = Build(options.build_dir.resolve())
    document = common.measured("machinery", lambda folder: run(folder, build, options), None)
    if document is None:
        return 1
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    print("\n".join(text(result, options.least, tuple(document["sides"])) for result in document["results"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
