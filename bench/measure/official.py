# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/run official NGINX`: an nginx with OpenSSL's asynchronous jobs, beside nginx under the shim.

NGINX was built with the patches of packaging/nginx, best from the source of the nginx that is installed. Of four
servers it is with `ssl_async off` (`off`), and with `ssl_async on` and the provider alone (`on`); the installed one is
as it is (`stock`), and by `octuple run` (`shim`). All run all the time on one CPU and are loaded in turns. With `none`,
a fifth has `ssl_async on` and no provider that pauses.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.report import summary
from lab import load, machine, openssl_conf
from lab.programs import Build
from lab.servers import conf
from lab.servers.nginx import KEYS, Nginx, find_nginx, make_keys
from . import versus
from .arguments import new_file

SIDES, NONE = ("off", "on", "stock", "shim"), "none"
BASES = {"on": "off", "stock": "off", "shim": "stock", NONE: "off"}  # what each is compared with
METRIC = "CPU of a handshake"
TITLE = "nginx by OpenSSL's asynchronous jobs and by the preload"


class Server(Nginx):
    """One of the sides."""

    def __init__(self, name: str, folder: Path, keys: Path, kinds: list[str], cpu: int, build: Build, patched: Path):
        super().__init__(name, folder, keys, kinds, cpu, build if name == "shim" else None)
        self.file = Path(find_nginx()) if name in ("stock", "shim") else patched.resolve()
        self.text = "" if name in ("stock", "shim") else f"ssl_async {'off' if name == 'off' else 'on'};"
        if name == "on":
            folder.mkdir(mode=0o755)
            (folder / "openssl.cnf").write_text(openssl_conf.served(build.provider.resolve()))
            self.settings = {"OPENSSL_CONF": str(folder / "openssl.cnf")}

    def command(self) -> list[str]:
        return [*self.launcher(), str(self.file), "-p", str(self.folder), "-e", str(self.folder / "error.log"),
                "-c", str(self.folder / "nginx.conf")]

    def servers(self) -> list[str]:
        return [self.server(port, kind, self.text, conf.ANSWER) for kind, port in self.ports.items()]


def measure_one(bench: versus.Bench, handshake: load.Handshake, connections: int, rounds: int, seconds: float) -> dict:
    found = bench.rounds(handshake, "saturated", rounds + 1, seconds, tuple(bench.servers), connections=connections)
    # The first round warms up.
    costs = {side: [sample.cpu_us for sample in samples[1:]] for side, samples in found.items()}
    metric = summary.of_metric({"unit": "us", "better": "less", "sides": costs}, BASES)
    print(f"{handshake.name:<32} {connections:>3}", *(f"{side} {cost:.1f} us ({metric['ratio'].get(side, 1):.2f})"
                                                     for side, cost in metric["median"].items()), flush=True)
    return {"key": {"handshake": handshake.name, "connections": connections}, "metrics": {METRIC: metric},
            "failed": sum(versus.failures(samples) for samples in found.values())}


def measure_all(folder: Path, place: machine.Placement, options: argparse.Namespace) -> list[dict]:
    handshakes = [load.named(name) for name in options.handshake or [one.name for one in load.HANDSHAKES]]
    kinds = [kind for kind in KEYS if kind in {handshake.key for handshake in handshakes}]
    make_keys(folder / "keys", kinds)
    build = Build(options.build_dir.resolve())
    with ExitStack() as stack:
        servers = {}
        for side in (*SIDES, *((NONE,) if options.none else ())):
            servers[side] = Server(side, folder / side, folder / "keys", kinds, place.server, build, options.nginx)
            stack.enter_context(servers[side])
        bench = versus.Bench(servers, build.load, place.client)
        return [measure_one(bench, handshake, connections, options.rounds, options.seconds)
                for connections in options.connections for handshake in handshakes]


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run official", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nginx", metavar="NGINX", type=Path, help="the program, built with the patches")
    parser.add_argument("--json", metavar="FILE", type=new_file, help="write the numbers to FILE")
    parser.add_argument("--build-dir", metavar="DIR", type=Path, default=Path("build/release"),
                        help="the build to measure")
    parser.add_argument("--handshake", action="append", choices=[one.name for one in load.HANDSHAKES],
                        metavar="NAME", help="only this kind; may be repeated")
    parser.add_argument("--connections", type=int, nargs="+", default=[64, 1], help="at a time (default: 64 1)")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="of one run")
    parser.add_argument("--none", action="store_true", help="a fifth, without a provider")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    place = machine.place()
    with tempfile.TemporaryDirectory(prefix="octuple-official-") as name:
        Path(name).chmod(0o755)
        points = measure_all(Path(name), place, options)
    if options.json:
        document = {"experiment": "official", "title": TITLE, "command": "bench/run official",
                    "size": {"rounds": options.rounds, "seconds": options.seconds},
                    "machine": machine.describe(place, find_nginx(), ""), "points": points}
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    return int(any(point["failed"] for point in points))


if __name__ == "__main__":
    sys.exit(main())
