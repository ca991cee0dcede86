# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A million handshakes with an accelerated nginx or HAProxy, of every kind that soak.py knows, one in ten by a client
that abuses it.

Abusers end early by FIN or RST (the load generator's), or send nonsense, before or behind their hello. A round is one
kind of handshake; after each a line says how far it is and what the server holds. Fails on an honest handshake that did
not complete, on memory, descriptors or mappings (a fibre's stack is one) that grow after the first tenth, and on
operations that were not right. With --state it can be stopped and goes on where it was, with a server that is new.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

from tests.servers.common import clients, credentials, rig
from tests.servers.common.haproxy import ANSWER, HAProxy
from tests.servers.hostile.test_abuse_clients import nonsense
from tests.servers.soak import soak

EARLY_PERCENT = 8  # of a round's connections end early
NONSENSE_EACH = 25  # and so many honest ones are joined by one that sends nonsense
HERD = 600  # as many as may be in mid-handshake if a busy machine lets abusers run ahead of the server
SAYS_NONSENSE = ("SSL_do_handshake() failed",)
CHEAP_KINDS, CHEAP_GROUPS = ("ecdsa-p256", "ed25519"), ("x25519", "p256")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/servers/run endurance", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/dev", help="the build folder")
    parser.add_argument("--server", choices=("nginx", "haproxy"), default="nginx")
    parser.add_argument("--client-certificates", action="store_true", help="of every client, which HAProxy verifies")
    parser.add_argument("--handshakes", type=int, default=1_000_000, help="how many; default a million")
    parser.add_argument("--round", type=int, default=5000, help="handshakes of one kind in a row; default 5000")
    parser.add_argument("--dear", type=int, help="and of a kind that costs much; default as many")
    parser.add_argument("--state", type=Path, help="where it is noted how far the run is")
    parser.add_argument("--seed", type=int, default=1, help="of what is random")
    args = parser.parse_args()
    if args.client_certificates and args.server != "haproxy":
        parser.error("--client-certificates needs --server haproxy")
    return args


@dataclass
class Progress:
    """All that a run that was stopped needs to go on."""

    server: str
    seed: int
    rounds: int = 0
    completed: int = 0
    early: int = 0
    nonsense: int = 0
    seconds: float = 0.0
    mixes: dict[str, int] = field(default_factory=dict)  # completed of each

    @property
    def abusers(self) -> int:
        return self.early + self.nonsense

    def save(self, path: Path | None) -> None:
        if path is not None:
            fresh = path.with_suffix(".new")
            fresh.write_text(json.dumps(asdict(self)) + "\n")
            fresh.replace(path)


def begin(args: argparse.Namespace) -> Progress:
    if args.state is None or not args.state.exists():
        return Progress(args.server, args.seed)
    found = Progress(**json.loads(args.state.read_text()))
    if (found.server, found.seed) != (args.server, args.seed):
        raise soak.Failure(f"{args.state} is of another run: {found}")
    if found.completed >= args.handshakes:
        raise soak.Failure(f"{args.state}: {found.completed} handshakes are behind it, give more --handshakes")
    return found


@dataclass
class Held:
    """What a server holds when nobody is connected."""

    memory_kb: int
    descriptors: int
    mappings: int

    def __str__(self) -> str:
        return f"{self.memory_kb} KB, {self.descriptors} descriptors, {self.mappings} mappings"


@dataclass
class Subject:
    """The server under test."""

    pid: Callable[[], int]
    ports: dict[str, int]
    counters: Callable[[], dict[str, rig.Counts]]
    idle: int = 0

    def held(self) -> Held:
        process = psutil.Process(self.pid())
        rig.wait_until(lambda: process.num_fds() <= self.idle, "all connections are closed", 120)
        maps = rig.maps_of(process.pid) or ""
        return Held(process.memory_info().rss // 1024, process.num_fds(), maps.count("\n"))


def nginx(keys: Path, build: rig.Build) -> tuple[rig.Nginx, Callable[[rig.Nginx], Subject]]:
    servers = [rig.Server(kind.name, text=f"ssl_ecdh_curve {soak.TAKES};") for kind in credentials.KINDS]
    server = rig.Nginx(keys, build, servers, multi_accept="on", by_command=True)
    server.may_say = SAYS_NONSENSE
    return server, lambda it: Subject(lambda: it.worker_pids()[0], {s.key: s.port for s in servers}, it.counters)


def haproxy(keys: Path, build: rig.Build, bind: str = "") -> tuple[HAProxy, Callable[[HAProxy], Subject]]:
    first, *others = [kind.name for kind in credentials.KINDS]
    ports = dict(zip(others, rig.free_ports(len(others))))
    # An ECDSA client of TLS 1.2 offers P-256 too: it is asked what it likes best, as nginx asks.
    groups = f"curves {soak.TAKES} prefer-client-ciphers {bind}"
    answer = f"timeout client 60s\n    {ANSWER}"  # as long as nginx waits for a handshake
    more = "".join(f"frontend {name}\n    bind 127.0.0.1:{port} backlog 4096 ssl crt {{folder}}/{name}.pem "
                   f"ssl-min-ver TLSv1.2 {groups}\n    {answer}\n" for name, port in ports.items())
    server = HAProxy(keys, build, first, main="nbthread 1\n    maxconn 4000\n    ssl-default-bind-ciphers ALL",
                     bind=groups, frontend=answer, more=more, also=tuple(others))
    return server, lambda it: Subject(lambda: it.worker_pids()[0], {first: it.port} | ports, it.counters)


SERVERS = {"nginx": nginx, "haproxy": haproxy}


class Abusers:
    """Send nonsense, one after the other, until there have been so many or they are stopped."""

    def __init__(self, port: int, count: int, seed: int):
        self.port, self.left, self.done = port, count, 0
        self.chance = random.Random(seed)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        context = rig.client_context()
        while self.done < self.left:
            client = clients.Client(self.port, context)
            try:
                if self.chance.random() < 0.5:
                    client.hello()
                client.sock.sendall(nonsense(self.chance))
            except OSError:
                pass  # it has been turned out already
            client.reset() if self.chance.random() < 0.5 else client.close()
            self.done += 1


def round_of(subject: Subject, build: rig.Build, mix: soak.Mix, size: int, progress: Progress) -> None:
    seed, port = progress.seed + progress.rounds, subject.ports[mix.kind.name]
    start = time.monotonic()
    load = soak.Load(build, port, size, mix, seed, abort=EARLY_PERCENT)
    abusers = Abusers(port, size // NONSENSE_EACH, seed)
    result = load.result()
    abusers.thread.join()
    if result["failed_total"]:
        raise soak.Failure(f"{mix}: {result['failed_total']} honest ones failed: {result}")
    progress.rounds += 1
    progress.completed += result["completed"]
    progress.mixes[str(mix)] = progress.mixes.get(str(mix), 0) + result["completed"]
    progress.early += result["aborted"]
    progress.nonsense += abusers.done
    progress.seconds += time.monotonic() - start


def size_of(mix: soak.Mix, args: argparse.Namespace) -> int:
    """RSA, and curves beyond 256 bits, cost ten times and more what the others do."""
    groups = [option.lower().replace("-", "") for option in mix.options]
    cheap = mix.kind.name in CHEAP_KINDS and any(group in groups for group in CHEAP_GROUPS)
    return min(args.round if cheap or args.dear is None else args.dear, args.handshakes)


def run(args: argparse.Namespace, subject: Subject, build: rig.Build, progress: Progress,
        mixes: list[soak.Mix]) -> None:
    first, start = None, progress.completed
    client = mixes[0].client
    # A server's memory follows its busiest moment, and that comes first.
    for port in subject.ports.values():
        clients.finish(clients.herd(subject.pid(), port, rig.client_context(certificate=client), HERD))
    for mix in mixes:
        soak.Load(build, subject.ports[mix.kind.name], soak.PEAK_CONNECTIONS, mix, 1, soak.PEAK_CONNECTIONS).result()
    while progress.completed < args.handshakes:
        mix = mixes[progress.rounds % len(mixes)]
        round_of(subject, build, mix, size_of(mix, args), progress)
        held = subject.held()
        if first is None and progress.completed - start >= (args.handshakes - start) // 10:
            first = held
        progress.save(args.state)
        print(f"{100 * progress.completed // args.handshakes:3} %: {progress.completed} completed, "
              f"{progress.abusers} abusers, {progress.completed / progress.seconds:.0f}/s; {held}", flush=True)
    judge(subject, first, held, progress)


def judge(subject: Subject, first: Held, last: Held, progress: Progress) -> None:
    if progress.abusers * 10 < progress.completed:
        raise soak.Failure(f"only {progress.abusers} abusers")
    # Some handshake goes deeper than those before it on that stack:
    # a page for each of the fibres, which have two mappings.
    growth_kb = soak.GROWTH_KB + 4 * first.mappings // 2
    if (last.memory_kb > first.memory_kb + growth_kb or last.descriptors > first.descriptors
            or last.mappings > first.mappings + 8):
        raise soak.Failure(f"it grew from {first} to {last}")
    report(subject, progress)


def report(subject: Subject, progress: Progress) -> None:
    """What was done, and what came of each operation: of those that were submitted nothing may be left, and besides
    them there are only such as fell back at once."""
    print(", ".join(f"{completed} {mix}" for mix, completed in sorted(progress.mixes.items())))
    for name, count in subject.counters().items():
        if count.all:
            print(f"  {name}: {count}")
        in_lanes = sum(size * batches for size, batches in enumerate(count.flushes, 1))
        if count.failed or count.recomputed or in_lanes != count.done:
            raise soak.Failure(f"{name}: {count}")
        if not 0 <= count.submitted - count.done - count.cancelled <= count.fallback:
            raise soak.Failure(f"{name}: some were not finished: {count}")


def main() -> int:
    args = options()
    build = rig.Build(Path(args.build).resolve())
    where = rig.folder("endurance")
    try:
        progress = begin(args)
        keys = credentials.make_keys(where / "keys")
        if args.client_certificates:
            mixes = soak.mixes_of_clients(keys)
            server, make = haproxy(keys, build, f"ca-file {keys}/ca.crt verify required")
        else:
            mixes = soak.mixes(rsa_only=False)
            server, make = SERVERS[args.server](keys, build)
        with server:
            subject = make(server)
            # It listens before it has all that it needs.
            soak.Load(build, subject.ports["ecdsa-p256"], 1, mixes[0], 1, 1).result()
            time.sleep(0.5)
            subject.idle = psutil.Process(subject.pid()).num_fds()
            run(args, subject, build, progress, mixes)
    except (soak.Failure, rig.LabError, credentials.CredentialsError) as failure:
        print(f"endurance: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print("endurance: good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
