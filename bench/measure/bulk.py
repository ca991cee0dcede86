# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/run bulk`: what ciphers cost a server that sends files, and one that compresses besides.

Bulk: nginx as it is and under Octuple send one file over and over by TLS 1.3 with each cipher; what counts is the CPU
time of the worker for each gigabyte. Mixed: nginx compresses every answer with brotli, and a part of the connections
has ChaCha20-Poly1305, the others AES-128-GCM, with each width of vectors: if wide vectors made the CPU slower,
compressing would show it.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Iterator

import brotli
from rich.console import Console
from rich.table import Table

from lab import ROOT, machine
from lab.programs import Build, clean_environment
from lab.servers.nginx import Nginx, ServerError, find_nginx, make_keys
from . import common, versus
from .arguments import new_file

SUITES = ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256")
AES, CHACHA = SUITES[0], SUITES[2]
KEY = "ecdsa-p256"
BROTLI = ("ngx_http_brotli_filter_module.so", "Accept-Encoding: br")
CONTENT = """\
root {folder};
        ssl_protocols TLSv1.3;
        ssl_conf_command Ciphersuites {suite};
        keepalive_requests 1000000000;
        {more}"""
# The mixed experiment: no Octuple, then each width, every cipher asked for.
WIDTHS = ("stock", "512", "256", "128")
SHARES = (0, 10, 20, 100)
CONNECTIONS = 10


class Site(Nginx):
    """An nginx with one port for each cipher of TLS 1.3, and a file."""

    def __init__(self, name: str, folder: Path, site: Path, cpu: int, build: Build | None, compress: bool = False):
        super().__init__(name, folder, site.parent / "keys", list(SUITES), cpu, build)
        self.site, self.compress = site, compress
        if compress:
            self.main = f"load_module /usr/lib/nginx/modules/{BROTLI[0]};\n"

    def servers(self) -> list[str]:
        more = "brotli on; brotli_types *; brotli_comp_level 5;" if self.compress else ""
        return [self.server(port, KEY, CONTENT.format(folder=self.site, suite=suite, more=more))
                for suite, port in self.ports.items()]


def fetch(ports: dict[int, int], wanted: Path, cpu: int, seconds: float, *headers: str) -> dict:
    """What bench.measure.fetch reports; an answer that was wrong or did not come whole is an error."""
    command = [sys.executable, "-m", "bench.measure.fetch", "--wanted", str(wanted),
               "--cpu", str(cpu), "--seconds", str(seconds)]
    for header in headers:
        command += ["--header", header]
    command += [f"{port}:{count}" for port, count in ports.items() if count]
    environment = clean_environment() | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=False, env=environment)
    if done.returncode:
        raise ServerError(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr.strip()}")
    report = json.loads(done.stdout)
    if report["failed"] or not report["completed"]:
        raise ServerError(f"the answers were not the file: {report['first_failure'] or 'none came'}")
    return report


def sample(server: Site, ports: dict[int, int], wanted: Path, cpu: int, seconds: float, *headers: str) -> dict:
    """One run, with the CPU seconds of the worker."""
    before = server.cpu_times()[0]
    report = fetch(ports, wanted, cpu, seconds, *headers)
    time.sleep(versus.SETTLE)
    report["server_seconds"] = server.cpu_times()[0] - before
    return report


def paired_ratio(stock: list[dict], other: list[dict], unit: str) -> float:
    """CPU of the stock server over that of the other one: the median over the rounds, each its own pair."""
    costs = [[s["server_seconds"] / s[unit] for s in samples] for samples in (stock, other)]
    return round(statistics.median(a / b for a, b in zip(*costs)), 3)


def bulk_summary(samples: list[dict]) -> dict:
    return {"cpu_ms_per_gb": versus.median([s["server_seconds"] * 1e12 / s["bytes"] for s in samples]),
            "mb_per_s": versus.median([s["bytes"] / 1e6 / s["seconds"] for s in samples]),
            "completed": sum(s["completed"] for s in samples)}


def file_sample(server: Site, suite: str, wanted: Path, cpu: int, seconds: float) -> dict:
    """The file over and over with one cipher, and no other."""
    found = sample(server, {server.ports[suite]: 2}, wanted, cpu, seconds)
    if found["ciphers"] != [suite]:
        raise ServerError(f"{found['ciphers']} were used instead of {suite}")
    return found


def mixed_sample(server: Site, share: int, wanted: Path, cpu: int, seconds: float) -> dict:
    """The compressed text over and over, by connections of which `share` per cent have ChaCha20-Poly1305."""
    chacha = CONNECTIONS * share // 100
    return sample(server, {server.ports[CHACHA]: chacha, server.ports[AES]: CONNECTIONS - chacha},
                  wanted, cpu, seconds, BROTLI[1])


def measure_bulk(servers: dict[str, Site], wanted: Path, cpu: int, options: argparse.Namespace) -> list[dict]:
    results = []
    for suite in SUITES:
        samples: dict[str, list[dict]] = {name: [] for name in servers}
        for number in range(options.rounds):
            for name in versus.order(number, tuple(servers)):
                samples[name].append(file_sample(servers[name], suite, wanted, cpu, options.seconds))
        result: dict = {"cipher": suite} | {name: bulk_summary(samples[name]) for name in servers}
        result["cpu_ratio"] = paired_ratio(samples["stock"], samples["octuple"], "bytes")
        results.append(result)
    return results


def measure_mixed(servers: dict[str, Site], wanted: Path, cpu: int, options: argparse.Namespace) -> list[dict]:
    results = []
    for share in SHARES:
        samples: dict[str, list[dict]] = {name: [] for name in servers}
        for number in range(options.rounds):
            for name in versus.order(number, tuple(servers)):
                samples[name].append(mixed_sample(servers[name], share, wanted, cpu, options.seconds))
        for name in servers:
            results.append({"chacha20_percent": share, "width": name,
                            "requests_per_s": versus.median([s["completed"] / s["seconds"] for s in samples[name]]),
                            "cpu_us_per_request": versus.median([s["server_seconds"] * 1e6 / s["completed"]
                                                                  for s in samples[name]]),
                            "cpu_ratio": paired_ratio(samples["stock"], samples[name], "completed")})
    return results


@contextmanager
def file_servers(folder: Path, build: Build, place: machine.Placement,
                 size: int) -> Iterator[tuple[dict[str, Site], Path]]:
    """nginx as it is and under Octuple with a file of so many bytes; folder/keys has their key."""
    (folder / "site").mkdir(mode=0o755)
    wanted = folder / "site/file"
    wanted.write_bytes(random.Random(1).randbytes(size))
    wanted.chmod(0o644)
    with ExitStack() as stack:
        yield {name: stack.enter_context(Site(name, folder / name, folder / "site", place.server,
                                              build if name == "octuple" else None))
               for name in versus.VARIANTS}, wanted


def some_text(size: int) -> bytes:
    """Compresses about as well as a web page: words of a made-up language, frequent ones more often."""
    source = random.Random(2)
    words = ["".join(source.choices("etaoinshrdlu", k=source.randint(2, 9))) for _ in range(2000)]
    chosen = source.choices(words, weights=[1 / (i + 1) for i in range(len(words))], k=size // 3)
    return " ".join(chosen).encode()[:size]


def first_answer(server: Site, text: bytes, wanted: Path) -> None:
    """The compressed form, which is the same each time, once it has been shown to be that of the text."""
    command = ["curl", "-q", "-sSk", "--tlsv1.3", "-H", BROTLI[1], "-o",
               str(wanted), f"https://127.0.0.1:{server.ports[AES]}/file"]
    subprocess.run(command, env=clean_environment(), check=True, timeout=60)
    if brotli.decompress(wanted.read_bytes()) != text:
        raise ServerError("what nginx compressed is not the file")


@contextmanager
def mixed_servers(folder: Path, build: Build, place: machine.Placement,
                  size: int) -> Iterator[tuple[dict[str, Site], Path]]:
    """nginx that compresses a text of so many bytes, as it is and with each width of vectors,
    and the compressed text."""
    text, wanted = some_text(size), folder / "wanted"
    (folder / "mixed").mkdir(mode=0o755)
    (folder / "mixed/file").write_bytes(text)
    (folder / "mixed/file").chmod(0o644)
    with ExitStack() as stack:
        servers = {}
        for width in WIDTHS:
            site = Site(width, folder / f"mixed-{width}", folder / "mixed",
                        place.server, None if width == "stock" else build, True)
            if site.build:
                site.settings = {"OCTUPLE_WIDTH": width, "OCTUPLE_CIPHERS": "on"}
            servers[width] = stack.enter_context(site)
        first_answer(servers["stock"], text, wanted)
        yield servers, wanted


def print_tables(document: dict, console: Console) -> None:
    table = Table("cipher", "stock ms/GB", "Octuple ms/GB", "CPU ratio", "stock MB/s", "Octuple MB/s",
                  title=f"Server CPU for each gigabyte, files of {document['size']} bytes", title_justify="left")
    for result in document["bulk"]:
        stock, octuple = result["stock"], result["octuple"]
        table.add_row(result["cipher"], f"{stock['cpu_ms_per_gb']:.0f}", f"{octuple['cpu_ms_per_gb']:.0f}",
                      f"{result['cpu_ratio']:.2f}x", f"{stock['mb_per_s']:.0f}", f"{octuple['mb_per_s']:.0f}")
    console.print(table)
    if document["mixed"]:
        table = Table("ChaCha20-Poly1305", *(f"{width} /s" for width in WIDTHS),
                      *(f"{width} ratio" for width in WIDTHS[1:]),
                      title=f"brotli of {document['text']} bytes: requests per second; CPU for each, stock over this",
                      title_justify="left")
        for share in SHARES:
            row = {result["width"]: result for result in document["mixed"] if result["chacha20_percent"] == share}
            table.add_row(f"{share} %", *(f"{row[width]['requests_per_s']:.0f}" for width in WIDTHS),
                          *(f"{row[width]['cpu_ratio']:.2f}x" for width in WIDTHS[1:]))
        console.print(table)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run bulk", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=Path("build/release"))
    parser.add_argument("--size", type=int, default=1 << 20, help="bytes of the file (default 1 MB)")
    parser.add_argument("--text", type=int, default=1 << 16,
                        help="bytes of the text that is compressed (default 64 KB)")
    parser.add_argument("--rounds", type=int, default=12, help="both or all servers in turns, so many times")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each run")
    parser.add_argument("--no-mixed", action="store_true", help="without the experiment with brotli")
    parser.add_argument("--json", type=new_file, help="write the numbers there")
    return parser.parse_args(argv)


def run(folder: Path, build: Build, options: argparse.Namespace) -> dict:
    place = machine.place()
    make_keys(folder / "keys", [KEY])
    document: dict = {"size": options.size, "rounds": options.rounds,
                      "seconds": options.seconds, "text": options.text, "mixed": [],
                      "machine": machine.describe(place, find_nginx(), "")}
    with file_servers(folder, build, place, options.size) as (servers, wanted):
        document["bulk"] = measure_bulk(servers, wanted, place.client, options)
    if not options.no_mixed:
        with mixed_servers(folder, build, place, options.text) as (servers, wanted):
            document["mixed"] = measure_mixed(servers, wanted, place.client, options)
    return document


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    build = Build(options.build_dir.resolve())
    document = common.measured("bulk", lambda folder: run(folder, build, options), options.json)
    if document is None:
        return 1
    print_tables(document, Console(width=130))
    return 0


if __name__ == "__main__":
    sys.exit(main())
