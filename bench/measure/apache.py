# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/run apache`: what Octuple does for a server with a thread for each connection.

Apache as Debian ships it, with the worker MPM: one process, whose threads serve one connection each and block. No shim;
the provider alone, by OPENSSL_CONF. There are three of the same: `stock`, `off` with the provider and
OCTUPLE_COMBINE=off, and `octuple`. All run all the time on the same CPU and are loaded in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.table import Table

from lab import load, machine, openssl_conf
from lab.programs import Build
from lab.servers.nginx import Nginx, ServerError, make_keys
from . import versus
from .arguments import new_file

VARIANTS = ("stock", "off", "octuple")
HANDSHAKES = ("tls12-rsa-kx-rsa2048", "tls13-rsa2048", "tls13-ecdsa-p256")
CONFIG_HEAD = """\
ServerRoot {folder}
ServerName localhost
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/error.log
LogLevel warn
User {user}
Group {group}
LoadModule mpm_worker_module {root}/usr/lib/apache2/modules/mod_mpm_worker.so
LoadModule authz_core_module {root}/usr/lib/apache2/modules/mod_authz_core.so
LoadModule ssl_module {root}/usr/lib/apache2/modules/mod_ssl.so
ServerLimit 1
StartServers 1
ThreadLimit {threads}
ThreadsPerChild {threads}
MaxRequestWorkers {threads}
KeepAlive Off
SSLProtocol -all +TLSv1.2 +TLSv1.3
SSLSessionCache none
"""
CONFIG_SERVER = """\
Listen 127.0.0.1:{port}
<VirtualHost 127.0.0.1:{port}>
    SSLEngine on
    SSLCertificateFile {keys}/{key}.crt
    SSLCertificateKeyFile {keys}/{key}.key
</VirtualHost>
"""


class Apache(Nginx):
    """One running Apache with one process of `threads` threads."""

    def __init__(self, name: str, folder: Path, keys: Path, kinds: list[str],
                 cpu: int, build: Build | None, root: str, threads: int):
        super().__init__(name, folder, keys, kinds, cpu, build)
        self.root, self.threads = root, threads
        if build:
            self.settings["OPENSSL_CONF"] = str(folder / "openssl.cnf")
        if root:
            self.settings["LD_LIBRARY_PATH"] = f"{root}/usr/lib/x86_64-linux-gnu"

    def command(self) -> list[str]:
        libraries = [f"LD_LIBRARY_PATH={self.settings['LD_LIBRARY_PATH']}"] if self.root else []
        return ["env", *libraries, f"{self.root}/usr/sbin/apache2",
                "-D", "FOREGROUND", "-f", str(self.folder / "apache.conf")]

    def write_config(self) -> None:
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        self.counters_folder.mkdir(exist_ok=True)
        self.counters_folder.chmod(0o1777)
        user, group = ("www-data", "www-data") if os.geteuid() == 0 else (f"#{os.geteuid()}", f"#{os.getegid()}")
        text = CONFIG_HEAD.format(folder=self.folder, user=user, group=group, root=self.root, threads=self.threads)
        for kind, port in self.ports.items():
            text += CONFIG_SERVER.format(port=port, keys=self.keys, key=kind)
        (self.folder / "apache.conf").write_text(text)
        if self.build:
            (self.folder / "openssl.cnf").write_text(openssl_conf.served(self.build.provider.resolve()))


def summary(samples: list[versus.Sample], operation: str) -> dict:
    """A saturated server: its costs, what its clients wait, and what of it ran in lanes."""
    latency = {name: versus.median([sample.latency(name) for sample in samples]) for name in ("p50", "p99")}
    return (versus.capacity_summary(samples) | {"latency_us": latency}
            | {"operation": versus.operation_summary(versus.operation_total(samples, operation))})


def measure_one(servers: dict[str, Apache], handshake: load.Handshake, client_cpu: int, connections: int,
                options: argparse.Namespace) -> dict:
    bench = versus.Bench(servers, options.build_dir.resolve() / "bin/octuple-load", client_cpu)
    samples: dict[str, list[versus.Sample]] = {variant: [] for variant in VARIANTS}
    for number in range(options.rounds + 1):
        for variant in versus.order(number, VARIANTS):
            sample = bench.run(variant, handshake, "saturated", options.seconds,
                               connections=connections, seed=number + 1)
            if number:  # the first round warms up
                samples[variant].append(sample)
    result = {"server": "Apache, worker MPM", **handshake.describe(),
              "connections": connections, "threads": options.threads}
    for variant in VARIANTS:
        result[variant] = summary(samples[variant], handshake.operation)
    result["cpu_ratio"] = {variant: versus.ratio(result["stock"]["cpu_us_per_handshake"],
                                                  result[variant]["cpu_us_per_handshake"])
                           for variant in VARIANTS[1:]}
    return result


def measure_all(folder: Path, place: machine.Placement, options: argparse.Namespace) -> list[dict]:
    handshakes = [load.named(name) for name in options.handshake or HANDSHAKES]
    kinds = sorted({handshake.key for handshake in handshakes})
    make_keys(folder / "keys", kinds)
    with ExitStack() as stack:
        servers = {}
        for variant in VARIANTS:
            build = None if variant == "stock" else Build(options.build_dir)
            servers[variant] = Apache(variant, folder / variant, folder / "keys",
                                      kinds, place.server, build, options.root,
                                      options.threads)
            if variant == "off":
                servers[variant].settings["OCTUPLE_COMBINE"] = "off"
            stack.enter_context(servers[variant])
        return [measure_one(servers, handshake, place.client, connections, options)
                for handshake in handshakes for connections in options.connections]


def mean_fill(operation: dict) -> str:
    """How many of the server's private operations a batch held."""
    batches = sum(operation["batch_fill"])
    jobs = sum(fill * count for fill, count in enumerate(operation["batch_fill"], 1))
    return f"{jobs / batches:.1f}" if batches else "-"


def table(results: list[dict]) -> Table:
    shown = Table("handshake", "conns", "server", "CPU us", "ratio",
                  "per s", "p50 us", "p99 us", "fill", box=None, pad_edge=False, padding=(0, 1))
    for result in results:
        for variant in VARIANTS:
            one = result[variant]
            shown.add_row(result["handshake"], str(result["connections"]),
                          variant, f"{one['cpu_us_per_handshake']:.0f}",
                          f"{result['cpu_ratio'].get(variant, 1):.2f}", f"{one['handshakes_per_s']:.0f}",
                          f"{one['latency_us']['p50']:.0f}", f"{one['latency_us']['p99']:.0f}",
                          mean_fill(one["operation"]))
    return shown


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run apache",
                                     description="Compares Apache's worker MPM as it is with the same under Octuple's "
                                                 "provider, with and without combining.")
    parser.add_argument("--json", metavar="FILE", type=new_file, help="write the numbers to FILE")
    parser.add_argument("--build-dir", metavar="DIR", type=Path, default=Path("build/release"),
                        help="the build to measure")
    parser.add_argument("--root", metavar="DIR", default="",
                        help="where Debian's packages of Apache were unpacked (dpkg -x), if they are not installed")
    parser.add_argument("--handshake", action="append", choices=HANDSHAKES, help="only this kind; may be repeated")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 8, 64], help="at a time (default: 1 8 64)")
    parser.add_argument("--threads", type=int, default=64, help="of Apache (default: 64)")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1.5, help="of one run")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    console = Console()
    place = machine.place()
    try:
        with tempfile.TemporaryDirectory(prefix="octuple-apache-") as name:
            Path(name).chmod(0o755)
            results = measure_all(Path(name), place, options)
    except (ServerError, load.LoadError, OSError) as error:
        print(f"bench/run apache: {error}", file=sys.stderr)
        return 1
    console.print(table(results))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return int(any(result[variant]["failed"] for result in results for variant in VARIANTS))


if __name__ == "__main__":
    sys.exit(main())
