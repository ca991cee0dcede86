# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/fleet`: two servers under Octuple behind a balancer with direct server return, in network namespaces.

Under load of full TCP handshakes, and then of QUIC connections, each server in turn is drained, stopped, started again
and added. Nothing may fail meanwhile. Tickets of one server resume with the other. docs/fleet.md says how it works.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.measure.arguments import new_file
from bench.measure.common import server_folder
from lab import machine
from lab.load import LoadError
from lab.programs import Build
from lab.servers.nginx import ServerError, find_nginx
from . import drive
from .balancer import BUCKETS, Balancer, ruleset
from .drive import say
from .net import BALANCER, CLIENT, FleetError, Segment
from .nginx import Server, has_quic, share_keys

SERVERS = ("s1", "s2")
PACKAGES = "nginx nftables iproute2 openssl python3 python3-aioquic"
DRAIN_AT = (0.1, 0.5)  # of the load: s1, then s2
HELD = 20  # connections by TCP that last while a server is drained


class Fleet:
    def __init__(self, folder: Path, options: argparse.Namespace):
        self.options, self.keys = options, folder / "keys"
        self.segment = Segment(SERVERS)
        self.balancer = Balancer(self.segment, options.idle, not options.stateless)
        build = None if options.stock else options.build
        self.quic = options.quic > 0 and has_quic()
        self.servers = {name: Server(name, folder / name, self.keys, build, self.quic, options.idle - 1)
                        for name in SERVERS}

    def __enter__(self) -> Fleet:
        share_keys(self.keys)
        self.segment.build()
        for server in self.servers.values():
            server.start()
        self.balancer.start()
        return self

    def __exit__(self, *_exception) -> None:
        for server in self.servers.values():
            server.stop()

    def full_handshakes(self) -> dict[str, int]:
        return {name: server.counted().all for name, server in self.servers.items()}

    def renew(self, name: str) -> dict:
        """Drains a server while connections to it last, restarts it as for an upgrade, and adds it again."""
        held = drive.held(self.keys / "rsa2048.crt", HELD, self.options.idle / 2)
        try:
            time.sleep(1)
            begun = time.monotonic()
            moved = self.balancer.drain(name)
            while held.running() or self.balancer.flows(name):
                time.sleep(0.2)
            drained = time.monotonic() - begun
            before = self.full_handshakes()
            self.servers[name].quit()
            self.servers[name].start()
            after = self.full_handshakes()
            self.balancer.add(name)
            say(f"{name} drained in {drained:.1f} s and added again, {moved} of {BUCKETS} buckets moved")
            meanwhile = {other: after[other] - before[other] for other in after}
            meanwhile[name] -= 1  # the probe
            return {"server": name, "buckets_moved": moved, "drain_seconds": round(drained, 1),
                    "handshakes_while_away": meanwhile, "held": held.result()}
        finally:
            held.stop()

    def under(self, load: drive.Load, progress: Callable[[], int], count: int) -> tuple[dict, list[dict]]:
        """The result of a load under which every server was renewed."""
        renewed = []
        try:
            for name, fraction in zip(SERVERS[:self.options.renew], DRAIN_AT):
                while progress() < fraction * count and load.running():
                    time.sleep(0.1)
                renewed.append(self.renew(name) | {"ended_under_load": load.running()})
            return load.result(), renewed
        finally:
            load.stop()


def tcp(fleet: Fleet) -> dict:
    options = fleet.options
    before = sum(fleet.full_handshakes().values())
    load = drive.handshakes(options.build.load, options.handshakes, options.rate)
    result, renewed = fleet.under(load, lambda: sum(fleet.full_handshakes().values()) - before, options.handshakes)
    latency = {name: result["latency_us"][name] for name in ("p50", "p99", "max")}
    return {"handshakes": options.handshakes, "completed": result["completed"], "failed": result["failed_total"],
            "seconds": round(result["seconds"], 1), "latency_us": latency, "renewed": renewed,
            "resumption": drive.resumption(fleet.keys / "rsa2048.crt", 200).result()}


def quic(fleet: Fleet) -> dict:
    count = fleet.options.quic
    load = drive.quic(count, fleet.options.idle / 2)
    result, renewed = fleet.under(load, load.over, count)
    return {"connections": count, **result, "renewed": renewed}


def lost_in(part: dict, count: int) -> list[str]:
    """What one load shows that no fleet may lose."""
    found = []
    if part["failed"] or part["completed"] != count:
        found.append(f"{part['failed']} failed, {part['completed']} of {count} completed")
    for step in part["renewed"]:
        name, held = step["server"], step["held"]
        if not step["ended_under_load"]:
            found.append(f"{name} was renewed after the load had ended")
        if step["handshakes_while_away"][name]:
            found.append(f"{name} was sent {step['handshakes_while_away'][name]} connections while it was away")
        if held["lost"] or held["moved"] or not held["by_server"].get(name):
            found.append(f"of held connections {held['lost']} were lost and {held['moved']} moved: {held}")
    return found


def failures(document: dict, options: argparse.Namespace) -> list[str]:
    found = [f"tcp: {what}" for what in lost_in(document["tcp"], options.handshakes)]
    resumed = document["tcp"]["resumption"]
    if any(resumed.get(f"full {where}") for where in ("elsewhere", "same")) or not resumed.get("resumed elsewhere"):
        found.append(f"tcp: tickets did not resume everywhere: {resumed}")
    if "quic" in document:
        found += [f"quic: {what}" for what in lost_in(document["quic"], options.quic)]
        if not document["quic"]["resumed_elsewhere"]:
            found.append("quic: no ticket resumed with another server")
    return found


def run(folder: Path, options: argparse.Namespace) -> dict:
    with Fleet(folder, options) as fleet:
        say(f"{' and '.join(SERVERS)} serve; {options.handshakes} TCP handshakes")
        document = {"octuple": not options.stock, "idle": options.idle, "tcp": tcp(fleet)}
        if fleet.quic and drive.has_quic_client():
            say(f"{options.quic} QUIC connections")
            document["quic"] = quic(fleet)
        elif options.quic:
            say("no QUIC: it needs nginx with http_v3_module, and python3-aioquic")
        document["packets"] = {host: fleet.segment.packets(host) for host in (CLIENT, BALANCER, *SERVERS)}
        operations = {name: server.counted() for name, server in fleet.servers.items()}
        document["batches"] = {name: {"fill": one.flushes, "in_lanes": one.done, "fallback": one.fallback}
                               for name, one in operations.items()}
    document["machine"] = machine.describe(machine.place(), find_nginx(), "")
    return document


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/fleet", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=Path("build/release"))
    parser.add_argument("--handshakes", type=int, default=100000, help="by TCP; default 100000")
    parser.add_argument("--rate", type=float, default=2000, help="of these handshakes; default 2000 a second")
    parser.add_argument("--quic", type=int, default=10000, help="connections by QUIC; 0 for none; default 10000")
    parser.add_argument("--idle", type=int, default=8,
                        help="seconds after which the balancer forgets a silent flow; default 8")
    parser.add_argument("--renew", type=int, default=2, help="so many servers are drained and added; default 2")
    parser.add_argument("--stateless", action="store_true",
                        help="the balancer learns no flows: connections to a server that is drained are lost")
    parser.add_argument("--packages", action="version", version=PACKAGES, help="only print which packages it needs")
    parser.add_argument("--rules", action="store_true", help="only print the balancer's rules")
    parser.add_argument("--stock", action="store_true", help="servers without Octuple")
    parser.add_argument("--json", type=new_file, help="write the result there too")
    options = parser.parse_args(argv)
    options.build = Build(options.build_dir.resolve())
    return options


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    if options.rules:
        print(ruleset(Segment(SERVERS), options.idle), end="")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with server_folder("fleet") as folder:
            document = run(folder, options)
    except (FleetError, ServerError, LoadError) as error:
        say(error)
        return 1
    text = json.dumps(document, indent=1)
    print(text)
    if options.json:
        options.json.write_text(text + "\n")
    lost = failures(document, options)
    for line in lost:
        say(line)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
