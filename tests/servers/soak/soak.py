# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A long run of handshakes against an accelerated nginx: with clients that abort, a killed worker, and reloads.

Every kind of certificate with every group and version, post-quantum groups and one that lanes do not serve among them,
and RSA key exchange; each is a run of its own, and one of them is under way at any time.

Fails on: a handshake that did not complete although its client did not abort (the connections that a killed worker
takes with it are allowed, as many as were open); memory of the workers that grows after their first tenth of all
handshakes; descriptors left open; anything grave in nginx's log; most operations not in lanes.
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
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.servers.common import credentials, rig
from tests.servers.common.command import Failure

CONNECTIONS = 64
PEAK_CONNECTIONS = 96
ABORT_PERCENT = 5
# The load generator's names.
GROUPS = ["x25519", "p256", "p384", "p521"]
# Of TLS 1.3 alone; the last one is half and half.
HYBRIDS = ["x25519mlkem768", "secp256r1mlkem768", "secp384r1mlkem1024", "x25519mlkem768,x25519"]
# The server's, by OpenSSL's names.
TAKES = "X25519MLKEM768:SecP256r1MLKEM768:SecP384r1MLKEM1024:X25519:P-256:P-384:P-521"
RSA_ONLY = [kind for kind in credentials.KINDS if kind.name == "rsa2048"]
# What a worker may grow after its peak; see test_memory_and_descriptors_are_flat, whose herds are smaller and alike.
GROWTH_KB = 512


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/servers/run soak", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("OCTUPLE_BUILD", "build/dev"), help="the build folder")
    parser.add_argument("--handshakes", type=int, default=200_000, help="how many; default 200000")
    parser.add_argument("--workers", type=int, default=1, help="of nginx; default 1")
    parser.add_argument("--rsa-only", action="store_true", help="RSA-2048 and X25519 only")
    parser.add_argument("--seed", type=int, default=1, help="of what is random")
    return parser.parse_args()


@dataclass(frozen=True)
class Mix:
    """What one run of the load generator asks for. `client`: with that certificate, and by the other generator, which
    OpenSSL's client is in."""

    kind: credentials.Kind
    options: tuple[str, ...]
    client: Path | None = None

    def __str__(self) -> str:
        asked = " ".join(option for option in self.options if not option.startswith("--"))
        return f"{self.kind.name} {asked}" + (f" for {self.client.stem}" if self.client else "")

    def command(self, build: rig.Build) -> list[str]:
        if self.client is None:
            return [str(build.load)]
        return [str(build.load.with_name("octuple-resume")), "--certificate", str(self.client)]


def mixes_of_clients(keys: Path) -> list[Mix]:
    """All kinds of certificates of clients, with every kind of the server's."""
    for kind in credentials.ALGORITHMS:
        both = [(keys / f"client-{kind.name}{end}").read_text() for end in (".key", ".crt")]
        (keys / f"client-{kind.name}.pem").write_text("".join(both))
    return [Mix(kind, ("--tls", version, "--group", group), keys / f"client-{client.name}.pem")
            for version, group in (("1.3", "X25519"), ("1.2", "P-256:P-384")) for client in credentials.ALGORITHMS
            for kind in credentials.KINDS]


def mixes(rsa_only: bool) -> list[Mix]:
    """All of them, in an order in which neighbours differ in everything."""
    kinds, groups = (RSA_ONLY, GROUPS[:1]) if rsa_only else (credentials.KINDS, GROUPS)
    asked = [(version, group) for version in ("1.2", "1.3") for group in groups]
    asked += [("1.3", group) for group in (HYBRIDS[:1] if rsa_only else HYBRIDS)]
    found = [Mix(kind, ("--tls", version, "--group", group)) for version, group in asked for kind in kinds]
    return found + [Mix(kind, ("--tls", "1.2", "--kx", "rsa")) for kind in kinds if kind.auth == "aRSA"]


class Load:
    """One run of the load generator, while which things may happen."""

    def __init__(self, build: rig.Build, port: int, handshakes: int, mix: Mix, seed: int,
                 connections: int = CONNECTIONS, abort: int = ABORT_PERCENT):
        command = [*mix.command(build), "127.0.0.1", str(port), "--handshakes", str(handshakes),
                   "--connections", str(connections), "--abort", str(abort),
                   "--seed", str(seed), "--timeout", "30", "--json", *mix.options]
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


def kill_worker(nginx: rig.Nginx) -> None:
    victim = nginx.worker_pids()[0]
    os.kill(victim, signal.SIGKILL)
    rig.wait_until(lambda: victim not in nginx.worker_pids() and len(nginx.worker_pids()) == nginx.workers,
                   "the master replaces the worker")


def wait_quiet(nginx: rig.Nginx, fds: int) -> None:
    """Until old workers have gone and all connections are closed."""
    rig.wait_until(lambda: len(nginx.master().children()) == nginx.workers, "the old workers end", 60)
    rig.wait_until(lambda: max(nginx.fd_counts()) <= fds, "the connections are closed", 60)


class Soak:
    def __init__(self, args: argparse.Namespace, nginx: rig.Nginx):
        self.args, self.nginx = args, nginx
        self.completed = self.aborted = self.lost = 0
        self.fds = max(nginx.fd_counts())
        self.seed = args.seed
        self.mixes = mixes(args.rsa_only) * (4 if args.rsa_only else 1)  # more of them than events
        self.ports = {server.key: server.port for server in nginx.servers}

    def part(self, handshakes: int, events: list, connections: int = CONNECTIONS) -> None:
        """So many handshakes, of each mix in turn. The events happen early in runs that are spread over the part, and
        that get three quarters of it: they must still be under way."""
        happen = {i * len(self.mixes) // len(events): event for i, event in enumerate(events)} if events else {}
        eventful = handshakes * 3 // 4 // len(events) if events else 0
        share = (handshakes - eventful * len(happen)) // (len(self.mixes) - len(happen))
        begin = time.monotonic()
        done = Counter()
        for i, mix in enumerate(self.mixes):
            load = Load(self.nginx.build, self.ports[mix.kind.name], eventful if i in happen else share, mix, self.seed,
                        connections)
            self.seed += 1
            allowed = 0
            if i in happen:
                time.sleep(0.02)
                if not load.running():
                    raise Failure(f"{mix}: over before everything could happen; give more --handshakes")
                happen[i](self.nginx)
                allowed = CONNECTIONS * 2 if happen[i] is kill_worker else 0
            self.judge(str(mix), load.result(), allowed, done)
        seconds = time.monotonic() - begin
        print(f"{len(self.mixes)} mixes: {done['completed']} completed, {done['aborted']} aborted, {done['failed']} "
              f"failed, {done['completed'] / seconds:.0f}/s", flush=True)
        self.completed += done["completed"]
        self.aborted += done["aborted"]
        self.lost += done["failed"]

    @staticmethod
    def judge(name: str, result: dict, allowed: int, done: Counter) -> None:
        failed = result["failed_total"]
        done.update(completed=result["completed"], aborted=result["aborted"], failed=failed)
        if failed > allowed:
            raise Failure(f"{name}: {failed} handshakes failed ({allowed} allowed): "
                          f"{result['failed']} {result['alerts']}")

    def memory(self) -> int:
        wait_quiet(self.nginx, self.fds)
        return self.nginx.resident_kb()


def run(args: argparse.Namespace, soak: Soak) -> None:
    # A worker keeps what its busiest moment took: that comes before its memory is looked at (docs/testing.md).
    first = max(args.handshakes // 10, 2 * PEAK_CONNECTIONS * len(soak.mixes))
    begin = args.handshakes * 4 // 10
    if first > args.handshakes - begin - first // 10:
        raise Failure(f"give more --handshakes: {first} are only the first part of what a worker's memory is judged by")
    reload = rig.Nginx.reload
    # The events first: a worker's memory is then followed from its first handshakes to the end.
    soak.part(begin, [reload, kill_worker, reload, reload])
    soak.memory()
    reloaded = set(soak.nginx.worker_pids())
    soak.part(first, [], PEAK_CONNECTIONS)
    level = soak.memory()
    soak.part(args.handshakes - first - begin, [])
    growth = soak.memory() - level
    print(f"memory: {level} KB after the first {first} handshakes of the last workers, {growth:+d} KB since")
    if set(soak.nginx.worker_pids()) != reloaded:
        raise Failure("a worker was replaced that nobody had killed")
    if growth > GROWTH_KB:
        raise Failure(f"the workers grew by {growth} KB")


def report(nginx: rig.Nginx, expected: set[str]) -> None:
    """Where the operations ran."""
    for name, count in nginx.counters().items():
        if count.all:
            print(f"  {name}: in lanes {count.done}, fallback {count.fallback}, given up {count.cancelled}, batches by "
                  f"size {count.flushes}")
        if count.failed or count.recomputed:
            raise Failure(f"{name}: {count.failed} failed, {count.recomputed} recomputed")
        if count.done < count.fallback or (name in expected and not count.done):
            raise Failure(f"{name}: most operations did not go through the lanes")


def main() -> int:
    args = options()
    build = rig.Build(Path(args.build).resolve())
    missing = [path for path in (build.shim, build.provider, build.load) if not path.exists()]
    if missing:
        print(f"soak: not built: {', '.join(map(str, missing))}", file=sys.stderr)
        return 2
    where = rig.folder("soak")
    try:
        kinds = RSA_ONLY if args.rsa_only else credentials.KINDS
        keys = credentials.make_keys(where / "keys", kinds)
        servers = [rig.Server(kind.name, text=f"ssl_ecdh_curve {TAKES};") for kind in kinds]
        with rig.Nginx(keys, build, servers, workers=args.workers, multi_accept="on") as nginx:
            nginx.may_say = ("exited on signal 9",)
            soak = Soak(args, nginx)
            run(args, soak)
            print(f"{soak.completed} completed, {soak.aborted} aborted, {soak.lost} lost with the killed worker")
            report(nginx, {kind.operation for kind in kinds})
    except (Failure, rig.LabError, credentials.CredentialsError) as failure:
        print(f"soak: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print("soak: good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
