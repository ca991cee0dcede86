#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A long run of handshakes against an accelerated nginx: with clients that abort, a killed worker, and reloads.

Fails on: a handshake that did not complete although its client did not abort (the connections that a killed worker
takes with it are allowed, as many as were open); memory of the workers that grows after the first tenth; descriptors
left open; anything grave in nginx's log; most operations not in lanes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import lab

CONNECTIONS = 64
ABORT_PERCENT = 5
KINDS = [("TLS 1.2, RSA key exchange", ["--tls", "1.2", "--kx", "rsa"]), ("TLS 1.2, ECDHE-RSA", ["--tls", "1.2"]),
         ("TLS 1.3", ["--tls", "1.3"])]
GROWTH_KB = 1024


class Failure(Exception):
    """What the run was to show is not so."""


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("OCTUPLE_BUILD", "build/dev"), help="the build folder")
    parser.add_argument("--handshakes", type=int, default=200_000, help="how many; default 200000")
    parser.add_argument("--workers", type=int, default=1, help="of nginx; default 1")
    parser.add_argument("--seed", type=int, default=1, help="of what is random")
    return parser.parse_args()


class Load:
    """One run of the load generator, while which things may happen."""

    def __init__(self, build: lab.Build, port: int, handshakes: int, kind: list[str], seed: int):
        command = [str(build.load), "127.0.0.1", str(port), "--handshakes", str(handshakes),
                   "--connections", str(CONNECTIONS), "--abort", str(ABORT_PERCENT),
                   "--seed", str(seed), "--timeout", "30", "--json", *kind]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said: tuple[str, str] = ("", "")
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self) -> None:
        self.said = self.process.communicate()

    def running(self) -> bool:
        return self.process.poll() is None

    def result(self) -> dict:
        self.reader.join()
        if self.process.returncode not in (0, 1):
            raise Failure(f"the load generator could not run: {self.said[1].strip()}")
        return json.loads(self.said[0])


def kill_worker(nginx: lab.Nginx) -> None:
    victim = nginx.worker_pids()[0]
    os.kill(victim, signal.SIGKILL)
    lab.wait_until(lambda: victim not in nginx.worker_pids() and len(nginx.worker_pids()) == nginx.workers,
                   "the master replaces the worker")


def wait_quiet(nginx: lab.Nginx, fds: int) -> None:
    """Until old workers have gone and all connections are closed."""
    lab.wait_until(lambda: len(nginx.master().children()) == nginx.workers, "the old workers end", 60)
    lab.wait_until(lambda: max(nginx.fd_counts()) <= fds, "the connections are closed", 60)


class Soak:
    def __init__(self, args: argparse.Namespace, nginx: lab.Nginx):
        self.args, self.nginx = args, nginx
        self.completed = self.aborted = self.lost = 0
        self.fds = max(nginx.fd_counts())
        self.seed = args.seed

    def part(self, handshakes: int, events: list) -> None:
        """So many handshakes of each kind in turn, and the events spread over them."""
        for i, (name, kind) in enumerate(KINDS):
            share = handshakes // len(KINDS)
            happen = events[i::len(KINDS)]
            start = time.monotonic()
            load = Load(self.nginx.build, self.nginx.port, share, kind, self.seed)
            self.seed += 1
            allowed = 0
            for event in happen:
                time.sleep(0.15)
                if not load.running():
                    raise Failure(f"{name}: over before everything could happen; give more --handshakes")
                event(self.nginx)
                allowed += CONNECTIONS * 2 if event is kill_worker else 0
            self.judge(name, load.result(), allowed, time.monotonic() - start)

    def judge(self, name: str, result: dict, allowed: int, seconds: float) -> None:
        failed = result["failed_total"]
        self.completed += result["completed"]
        self.aborted += result["aborted"]
        self.lost += failed
        print(f"{name}: {result['completed']} completed, {result['aborted']} aborted, {failed} failed, "
              f"{result['completed'] / seconds:.0f}/s", flush=True)
        if failed > allowed:
            raise Failure(f"{name}: {failed} handshakes failed ({allowed} allowed): "
                          f"{result['failed']} {result['alerts']}")

    def memory(self) -> int:
        wait_quiet(self.nginx, self.fds)
        return self.nginx.resident_kb()


def run(args: argparse.Namespace, soak: Soak) -> None:
    first = args.handshakes // 10
    reload = lab.Nginx.reload
    # The events first: a worker's memory is then followed from its first handshakes to the end.
    soak.part(args.handshakes * 4 // 10, [reload, kill_worker, reload, reload])
    soak.memory()
    reloaded = set(soak.nginx.worker_pids())
    soak.part(first, [])
    level = soak.memory()
    soak.part(args.handshakes - first - args.handshakes * 4 // 10, [])
    growth = soak.memory() - level
    print(f"memory: {level} KB after the first {first} handshakes of the last workers, {growth:+d} KB since")
    if set(soak.nginx.worker_pids()) != reloaded:
        raise Failure("a worker was replaced that nobody had killed")
    if growth > GROWTH_KB:
        raise Failure(f"the workers grew by {growth} KB")


def main() -> int:
    args = options()
    build = lab.Build(Path(args.build).resolve())
    missing = [path for path in (build.shim, build.provider, build.load) if not path.exists()]
    if missing:
        print(f"soak: not built: {', '.join(map(str, missing))}", file=sys.stderr)
        return 2
    where = lab.folder("soak")
    try:
        keys = lab.make_keys(where / "keys", (2048,))
        with lab.Nginx(keys, build, [lab.Server()], workers=args.workers) as nginx:
            nginx.may_say = ("exited on signal 9",)
            soak = Soak(args, nginx)
            run(args, soak)
            count = nginx.counters()["rsa2048-private"]
            print(f"{soak.completed} completed, {soak.aborted} aborted, {soak.lost} lost with the killed worker; "
                  f"operations in lanes {count.done}, plain {count.plain}, given up {count.cancelled}, batches by "
                  f"size {count.flushes}")
            if count.done < count.plain:
                raise Failure("most operations did not go through the lanes")
    except (Failure, lab.LabError) as failure:
        print(f"soak: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print("soak: good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
