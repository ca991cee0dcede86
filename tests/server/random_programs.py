#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers made at random, each as it is and with Octuple: both must come to the same verdict on the same guests.

    random_programs.py --build build/dev --count 2000 --first-seed 1
    random_programs.py --build build/dev --plan 'seed=1 loop=epoll ...' [--shrink]

A plan whose verdict differs is tried again. Where stock itself comes to different verdicts, or fails, it is dropped.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import signal
import ssl
import struct
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from socket import SHUT_WR, SO_LINGER, SOL_SOCKET

sys.path.insert(0, str(Path(__file__).parent))
import credentials
import crowd
import lab
import random_plan

SECONDS = 6.0
LINES_MAX = 8
VAGUE = ("reset", "silent", "garbage", "cut", "leaves")  # how far the server gets with them is a matter of time
SHORT = ("dropped", "victim")  # so it is with those that it leaves itself


class Visitor(crowd.Guest):
    """A guest with a way of its own to behave, and a number by which the server knows it."""

    def __init__(self, number: int, way: str, context: ssl.SSLContext, session: ssl.SSLSession | None, greeting: bytes):
        super().__init__(f"{number}", context, f"guest{number}.test", session)
        self.number, self.way, self.greeting = number, way, greeting
        self.source, self.waits = (f"127.0.1.{number}", 0), way not in VAGUE
        self.rest = b""

    def part(self, first: int) -> None:
        """Says a part of its hello now."""
        assert self.sock is not None
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        hello = self.outgoing.read()
        self.sock.sendall(hello[:first])
        self.rest = hello[first:]

    def greet(self) -> None:
        if self.way in ("slow", "split", "cut"):
            self.part({"slow": 3, "split": 150, "cut": 100}[self.way])
        elif self.way == "garbage":
            assert self.sock is not None
            self.sock.sendall(b"GET / HTTP/1.0\r\n\r\n")
        else:
            super().greet()
        if self.way == "half":
            assert self.sock is not None
            self.sock.shutdown(SHUT_WR)

    def after(self) -> None:
        if self.sock is None or self.outcome:
            return
        try:
            if self.way in ("slow", "split"):
                self.sock.setblocking(True)
                self.sock.sendall(self.rest)
                self.sock.setblocking(False)
            elif self.way == "reset":
                self.sock.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                self.sock.close()
                self.outcome = "left"
            elif self.way in ("cut", "leaves"):
                self.sock.close()
                self.outcome = "left"
        except OSError:
            self.outcome = "closed"

    def receive(self) -> None:
        if self.way in VAGUE:
            try:
                assert self.sock is not None
                self.outcome = "" if self.sock.recv(65536) else "left"
            except BlockingIOError:
                pass
            except OSError:
                self.outcome = "left"
        else:
            super().receive()

    def result(self) -> str:
        if self.way in VAGUE:
            return "left"
        return self.outcome + (" resumed" if self.outcome == "good" and self.tls.session_reused else "")


@dataclass(frozen=True)
class Verdict:
    """What the guests say, what the server says of each, and how it ended. The rest is shown and not compared."""

    guests: dict[int, str]
    said: object
    status: int | str
    errors: str = field(default="", compare=False)
    in_lanes: int = field(default=0, compare=False)

    @property
    def bad(self) -> bool:
        return "hangs" in self.guests.values() or self.status != 0 or not isinstance(self.said, dict) or \
            bool(self.said["open"]) or bool(self.said["bad ends"])


class Runner:
    """Runs plans, stock and with Octuple, in a folder of its own."""

    def __init__(self, build: lab.Build, keys: Path):
        self.build, self.keys, self.place = build, keys, lab.folder("random")
        self.server = str(build.folder / "bin/octuple_random_server")
        self.shim_environment = lab.shim_environment(self.place, build)
        self.contexts: dict[str, ssl.SSLContext] = {}
        self.seconds = SECONDS

    def end(self) -> None:
        shutil.rmtree(self.place, ignore_errors=True)

    def context(self, key: str) -> ssl.SSLContext:
        if key not in self.contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            context.set_ciphers("ALL")
            context.set_alpn_protocols(["it"])
            if key:
                context.load_cert_chain(self.keys / f"{key}.crt", self.keys / f"{key}.key")
            self.contexts[key] = context
        return self.contexts[key]

    def visitors(self, words: list[str], before: list[Visitor]) -> list[Visitor]:
        """The next crowd."""
        ways = random_plan.text(words, "guests2" if before else "guests1", "").split(",")
        first = random_plan.SECOND if before else 1
        sessions = {guest.number: guest.tls.session for guest in before if guest.outcome == "good"}
        greeting = b"welcome\n" if random_plan.text(words, "call") == "write" else b""
        context = self.context(random_plan.text(words, "guests-key"))
        return [Visitor(first + i, way, context,
                        sessions.get(i % max(len(before), 1) + 1) if way == "resumes" else None, greeting)
                for i, way in enumerate(ways) if way]

    def run(self, words: list[str], with_octuple: bool) -> Verdict:
        env = self.shim_environment if with_octuple else lab.clean_environment()
        errors = self.place / "errors"
        with open(errors, "wb") as output:
            process = subprocess.Popen([self.server, str(self.keys), *words], env=env, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=output, text=True, start_new_session=True)
        try:
            return self.judge(words, process, errors)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # workers and children, where it has not ended itself
            except ProcessLookupError:
                pass
            process.communicate()
            for path in (self.place / "counters").glob("*.octuple"):
                path.unlink()

    def judge(self, words: list[str], process: subprocess.Popen[str], errors: Path) -> Verdict:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            return Verdict({}, None, f"does not start: {process.wait()}", errors.read_text(errors="replace"))
        guests: list[Visitor] = []
        for _ in range(2):
            more = self.visitors(words, guests)
            if more and process.poll() is None:
                crowd.visit(int(line), more, -process.pid, self.seconds)
            guests += more
            if any(guest.outcome == "hangs" for guest in guests):
                break
        try:
            said, _ = process.communicate("", timeout=2 * SECONDS)
            status: int | str = process.returncode
        except (subprocess.TimeoutExpired, BrokenPipeError):
            said, status = "", "does not end"
            if os.environ.get("RANDOM_GDB"):
                pids = subprocess.run(["pgrep", "-g", str(process.pid)], capture_output=True, text=True).stdout.split()
                for pid in pids:
                    print(subprocess.run(["gdb", "-p", pid, "-batch", "-ex", "thread apply all bt"], capture_output=True, text=True).stdout[-6000:], flush=True)
        in_lanes = sum(count.done for count in lab.read_counters(self.place / "counters").values())
        return Verdict({guest.number: guest.result() for guest in guests}, self.settled(said, guests), status,
                       errors.read_text(errors="replace")[-2000:], in_lanes)

    @staticmethod
    def settled(text: str, guests: list[Visitor]) -> object:
        """What the server says, without what is a matter of time."""
        try:
            said = json.loads(text)
        except ValueError:
            return text
        for guest in guests:
            one = said["guests"].get(str(guest.number))
            if one is None:
                continue
            if guest.way in VAGUE or guest.way == "half":
                del said["guests"][str(guest.number)]
            elif one["end"] in SHORT:
                said["guests"][str(guest.number)] = one["end"]
        return said


@dataclass
class Case:
    """What came of a plan: same, dropped, different, or once (different, and then not again)."""

    seed: int
    words: list[str]
    kind: str
    stock: Verdict
    under: Verdict | None = None


def compare(runner: Runner, seed: int, words: list[str], again: int = 2) -> Case:
    stock = runner.run(words, False)
    if stock.bad:
        return Case(seed, words, "dropped", stock)
    under = runner.run(words, True)
    if under == stock:
        return Case(seed, words, "same", stock, under)
    if any(runner.run(words, False) != stock for _ in range(again)):
        return Case(seed, words, "dropped", stock, under)
    for _ in range(again):
        if (more := runner.run(words, True)) != stock:
            return Case(seed, words, "different", stock, more)
    return Case(seed, words, "once", stock, under)


def shrink(runner: Runner, words: list[str], report=print) -> list[str]:
    """Fewer words that still differ."""
    runner.seconds = 2.0

    def differs(fewer: list[str]) -> bool:
        return compare(runner, 0, fewer, 1).kind == "different"

    def guests(fewer: list[str], number: str) -> list[list[str]]:
        key = f"guests{number}"
        ways = random_plan.text(fewer, key).split(",")
        smaller = [ways[:len(ways) // 2], ways[:-1], ["plain"] * len(ways)]
        return [[f"{key}={','.join(some)}" if word.startswith(f"{key}=") else word for word in fewer]
                for some in smaller if some and some != ways]

    changed = True
    while changed:
        changed = False
        without = [words[:i] + words[i + 1:] for i in range(len(words))
                   if not words[i].startswith(("seed=", "guests1="))]
        for fewer in without + guests(words, "1") + guests(words, "2"):
            if fewer != words and differs(fewer):
                words, changed = fewer, True
                report(" ".join(words), flush=True)
                break
    return words


def explain(case: Case) -> str:
    """Where the two verdicts differ."""
    lines = [f"{case.kind}: {' '.join(case.words)}"]
    stock, under = case.stock, case.under
    if under is None:
        return "\n".join([*lines, f"  stock {stock}"])
    for number in sorted(set(stock.guests) | set(under.guests)):
        a, b = stock.guests.get(number), under.guests.get(number)
        if a != b:
            lines.append(f"  guest {number}: stock {a}, Octuple {b}")
    if isinstance(stock.said, dict) and isinstance(under.said, dict):
        for number in stock.said["guests"].keys() | under.said["guests"].keys():
            a, b = stock.said["guests"].get(number), under.said["guests"].get(number)
            if a != b and len(lines) < LINES_MAX:
                lines.append(f"  said of {number}: stock {a}\n  {' ' * len(number)}       Octuple {b}")
        for name in ("open", "bad ends"):
            if stock.said[name] != under.said[name]:
                lines.append(f"  {name}: stock {stock.said[name]}, Octuple {under.said[name]}")
    elif stock.said != under.said:
        lines.append(f"  said: stock {stock.said}\n  Octuple {under.said}")
    if stock.status != under.status:
        lines.append(f"  status: stock {stock.status}, Octuple {under.status}")
    return "\n".join([*lines, under.errors])


_runner: Runner | None = None


def _start(build: lab.Build, keys: Path) -> None:
    global _runner  # one of each process of the pool
    _runner = Runner(build, keys)


def _one(seed: int) -> Case:
    assert _runner is not None
    return compare(_runner, seed, random_plan.plan(seed))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=os.environ.get("OCTUPLE_BUILD"), help="the build folder")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--plan", help="the words of one plan")
    parser.add_argument("--times", type=int, default=1, help="how often it runs")
    parser.add_argument("--shrink", action="store_true", help="look for fewer words that still differ")
    options = parser.parse_args()
    if options.build is None:
        parser.error("--build or OCTUPLE_BUILD is needed")
    build = lab.Build(options.build.resolve())
    where = lab.folder("keys")
    try:
        keys = credentials.make_keys(where / "made")
        if options.plan:
            return one_plan(Runner(build, keys), options)
        return many_plans(build, keys, options)
    finally:
        shutil.rmtree(where, ignore_errors=True)


def one_plan(runner: Runner, options: argparse.Namespace) -> int:
    words, bad = options.plan.split(), 0
    for _ in range(options.times):
        case = compare(runner, 0, words)
        bad += case.kind != "same"
        print(explain(case), flush=True)
    if options.shrink and bad:
        print("shrunk:", " ".join(shrink(runner, words)))
    runner.end()
    return bad != 0


def many_plans(build: lab.Build, keys: Path, options: argparse.Namespace) -> int:
    counts, in_lanes, served, begin = dict.fromkeys(("same", "dropped", "different", "once"), 0), 0, 0, time.monotonic()
    with multiprocessing.Pool(options.jobs, _start, (build, keys)) as pool:
        for case in pool.imap_unordered(_one, range(options.first_seed, options.first_seed + options.count)):
            counts[case.kind] += 1
            if case.under is not None:
                in_lanes += case.under.in_lanes
                served += case.under.in_lanes > 0
            if case.kind != "same":
                print(explain(case), flush=True)
    print(f"{options.count} programs in {time.monotonic() - begin:.0f} s: {counts}; lanes did {in_lanes} operations, in "
          f"{served} programs")
    return 1 if counts["different"] or counts["once"] else 0


if __name__ == "__main__":
    sys.exit(main())
