# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/keys`: keys that live in devices, stock servers beside the same with Octuple and `OCTUPLE_KEYS=N`.

One worker, of nginx or of HAProxy. The devices are those of the test (devices.py): `token` is SoftHSM2 behind a
PKCS#11 module that sleeps before each signature, `provider` a provider that sleeps. `card` is an engine and `pausing` a
provider that pauses on a timer, as a card does. But for the token signatures cost the processor nothing. A card of 0 ms
shows what the server itself can do. All servers of a row run all the time and are loaded in turns. Meanwhile a client
asks the same worker for a page by plain HTTP, at random moments.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import statistics
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from lab import debian, devices, load, machine
from lab.programs import Build
from lab.servers.nginx import ServerError, make_keys
from . import versus
from .arguments import new_file

HANDSHAKE = load.named("tls13-rsa2048")
STOCK = "stock"


@dataclass(frozen=True)
class Row:
    """What is measured in turns: a server and a device, stock and with numbers of helper threads."""

    server: str
    device: str
    milliseconds: float
    threads: tuple[int, ...]

    @property
    def sides(self) -> tuple[int, ...]:
        return (0, *self.threads)  # 0: stock

    def name(self, threads: int) -> str:
        return f"{self.server}-{self.device}-{self.milliseconds:g}ms-{threads}threads"


SERVERS = {"nginx": devices.DeviceNginx, "haproxy": devices.DeviceHAProxy}
MANY = (1, 4, 8, 16, 32)
ROWS = (*(Row("nginx", "token", ms, MANY) for ms in (0.2, 0.3, 1, 5, 20)),
        *(Row("haproxy", "provider", ms, (1, 4, 16)) for ms in (0.3, 1, 5, 20)),
        *(Row("nginx", "card", ms, (1,)) for ms in (0, 0.2, 1, 5, 20)),
        *(Row("nginx", "pausing", ms, (1,)) for ms in (1, 5)),
        *(Row("haproxy", "pausing", ms, (1,)) for ms in (0, 1, 5, 20)))
QUICK = (Row("nginx", "token", 0.3, (16,)), Row("nginx", "token", 5, (16,)), Row("nginx", "card", 1, (1,)),
         Row("nginx", "card", 5, (1,)), Row("haproxy", "provider", 5, (16,)), Row("haproxy", "pausing", 1, (1,)))


class Plain(threading.Thread):
    """Asks for a page by plain HTTP over one connection, some 200 times a second."""

    def __init__(self, port: int):
        super().__init__(daemon=True)
        self.port, self.micros, self.over = port, [], threading.Event()

    def run(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port)) as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            draw = random.Random(1)
            while not self.over.wait(draw.expovariate(200)):
                begun = time.perf_counter()
                sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                if not sock.recv(4096):
                    return
                self.micros.append((time.perf_counter() - begun) * 1e6)

    def stop(self) -> list[float]:
        self.over.set()
        self.join()
        return self.micros


def percentile(values: list[float], percent: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * percent / 100))] if values else float("nan")


def cpu_of(pid: int) -> dict[str, float]:
    """Seconds of the server's own thread and of all its threads."""
    times = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        times[task.name] = int((task / "schedstat").read_text().split()[0]) / 1e9
    return {"worker": times[str(pid)], "all": sum(times.values())}


def turn(server: devices.DeviceNginx, options: argparse.Namespace, program: Path, cpu: int, seed: int) -> dict:
    plain = Plain(server.ports["plain"])
    before = cpu_of(server.worker)
    plain.start()
    begun = time.monotonic()
    report = load.run(program, server.ports["tls"], cpu, HANDSHAKE, connections=options.connections,
                      seconds=options.seconds, seed=seed)
    wall = time.monotonic() - begun
    micros = plain.stop()
    after = cpu_of(server.worker)
    return {"report": report, "plain": micros, "wall": wall,
            "cpu": {name: after[name] - before[name] for name in before}}


def summary(turns: list[dict]) -> dict:
    reports = [turn["report"] for turn in turns]
    plain = [value for turn in turns for value in turn["plain"]]
    done = sum(report["completed"] for report in reports)
    return {"handshakes_per_s": statistics.median(report["handshakes_per_s"] for report in reports),
            "failed": sum(report["failed_total"] for report in reports),
            "p50_us": statistics.median(report["latency_us"]["p50"] for report in reports),
            "p99_us": statistics.median(report["latency_us"]["p99"] for report in reports),
            "plain_p50_us": percentile(plain, 50), "plain_p99_us": percentile(plain, 99), "plain_requests": len(plain),
            "worker_cpu_percent": 100 * sum(turn["cpu"]["worker"] for turn in turns) / sum(t["wall"] for t in turns),
            "worker_cpu_us_per_handshake": 1e6 * sum(turn["cpu"]["worker"] for turn in turns) / max(done, 1),
            "all_cpu_us_per_handshake": 1e6 * sum(turn["cpu"]["all"] for turn in turns) / max(done, 1)}


def measure_row(folder: Path, keys: Path, row: Row, options: argparse.Namespace) -> list[dict]:
    """A result for each number of threads, all beside the same stock server."""
    build, place = Build(options.build_dir.resolve()), machine.place()
    cpus = {place.server} if options.pin else os.sched_getaffinity(0)
    turns: dict[int, list[dict]] = {side: [] for side in row.sides}
    with ExitStack() as stack:
        servers = {side: stack.enter_context(SERVERS[row.server](
            f"{side} threads" if side else STOCK, folder / str(side), keys, cpus, build, device=row.device,
            micros=int(1000 * row.milliseconds), threads=side)) for side in row.sides}
        for number in range(options.rounds + 1):
            for side in versus.order(number, row.sides):
                taken = turn(servers[side], options, build.load, place.client, number + 1)
                if number:  # the first round warms up
                    turns[side].append(taken)
    details = {side: summary(taken) for side, taken in turns.items()}
    return [result(row, threads, options.connections, {STOCK: details[0], "octuple": details[threads]})
            for threads in row.threads]


def result(row: Row, threads: int, connections: int, details: dict[str, dict]) -> dict:
    stock, octuple = (details[variant]["handshakes_per_s"] for variant in (STOCK, "octuple"))
    return {"name": row.name(threads), "server": row.server, "device": row.device, "latency_ms": row.milliseconds,
            "threads": threads, "connections": connections, "unit": "1/s", "stock": stock, "octuple": octuple,
            "ratio": octuple / max(stock, 1e-9), "details": details}


def line(result: dict) -> str:
    text = f"{result['name']:34} {result['ratio']:6.1f}x "
    for variant, side in result["details"].items():
        text += (f" {variant} {side['handshakes_per_s']:6.0f}/s p99 {side['p99_us'] / 1000:6.1f} ms "
                 f"plain p99 {side['plain_p99_us'] / 1000:5.1f} ms "
                 f"worker {side['worker_cpu_percent']:3.0f} % CPU {side['all_cpu_us_per_handshake']:.0f} us"
                 f"{' FAILED ' + str(side['failed']) if side['failed'] else ''}")
    return text


def parse_row(text: str) -> Row:
    """[SERVER:]DEVICE:MS:THREADS[,THREADS...]"""
    server, device, milliseconds, threads = text.split(":") if text.count(":") == 3 else ("nginx", *text.split(":"))
    if server not in SERVERS:
        raise ValueError(f"no such server: {server}")
    return Row(server, device, float(milliseconds), tuple(int(number) for number in threads.split(",")))


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/keys", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="six rows, in less than a minute and a half")
    parser.add_argument("--row", action="append", type=parse_row, metavar="[SERVER:]DEVICE:MS:THREADS[,THREADS...]",
                        help="this row instead; may be repeated")
    parser.add_argument("--rounds", type=int, default=0, help="turns of each server (default 3, quick 2)")
    parser.add_argument("--seconds", type=float, default=0, help="of a turn (default 3, quick 1.5)")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--pin", action="store_true", help="the server and its helpers have one CPU")
    parser.add_argument("--build-dir", type=Path, default=Path("build/release"))
    parser.add_argument("--no-install", action="store_true", help="install no packages")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write the numbers there")
    options = parser.parse_args(argv)
    options.rounds = options.rounds or (2 if options.quick else 3)
    options.seconds = options.seconds or (1.5 if options.quick else 3)
    options.rows = options.row or (QUICK if options.quick else ROWS)
    return options


def measure_all(options: argparse.Namespace) -> tuple[list[dict], list[str]]:
    """The results, and what went wrong; a row that cannot be measured leaves the others as they are."""
    results, problems = [], []
    with tempfile.TemporaryDirectory(prefix="octuple-keys-") as name:
        Path(name).chmod(0o755)
        keys = Path(name) / "keys"
        make_keys(keys, ["rsa2048"])
        for number, row in enumerate(options.rows):
            try:
                results += measure_row(Path(name) / str(number), keys, row, options)
            except (ServerError, load.LoadError) as error:
                problems.append(f"{row.server} with {row.device}, {row.milliseconds:g} ms: {error}")
                continue
            for one in results[-len(row.threads):]:
                print(line(one), flush=True)
    problems += [f"{one['name']}: handshakes failed" for one in results
                 if any(side["failed"] for side in one["details"].values())]
    return results, problems


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    if not options.no_install:
        try:
            debian.install(devices.missing())
        except debian.InstallError as error:
            print(f"bench/keys: {error}", file=sys.stderr)
    absent = devices.missing() + [str(part) for part in Build(options.build_dir).missing()]
    if absent:
        print(f"bench/keys: missing: {', '.join(absent)}", file=sys.stderr)
        return 2
    results, problems = measure_all(options)
    for problem in problems:
        print(f"bench/keys: {problem}", file=sys.stderr)
    if options.json:
        model, _ = machine.cpu()
        document = {"cpu": model, "handshake": HANDSHAKE.title, "rounds": options.rounds, "seconds": options.seconds,
                    "results": results}
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
