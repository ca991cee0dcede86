# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""BIND's dnssec-signzone, as it is and by `octuple run`: a whole zone, many threads on two CPUs."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from bench.measure import versus
from lab.programs import clean_environment
from lab.servers.nginx import ServerError
from . import frame
from .operations.openssl_speed import in_lanes

TOOLS = ("dnssec-keygen", "dnssec-signzone", "dnssec-verify")
ZONE, THREADS = "example.org.", 32
# BIND's options for a pair of keys.
ALGORITHMS = {"RSA-2048": ("-a", "RSASHA256", "-b", "2048"), "P-256": ("-a", "ECDSAP256SHA256")}
NAMES, QUICK_NAMES = 100_000, 2_000
SECONDS_PER_NAME = {"RSA-2048": 1.3e-3, "P-256": 3e-4}  # of both sides on two CPUs, about
METRICS = {"wall": ("s", "less"), "CPU": ("s", "less")}


def require_tools() -> None:
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        raise frame.Unavailable(f"{', '.join(missing)} of Debian's package bind9-utils missing")


def zone_text(names: int) -> str:
    """So many names, each with an address."""
    head = f"$ORIGIN {ZONE}\n$TTL 3600\n@ SOA ns hostmaster 1 7200 3600 1209600 3600\n@ NS ns\nns A 192.0.2.1\n"
    return head + "".join(f"h{i} A 10.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}\n" for i in range(names))


def usage_of(command: list[str], cpus: set[int], env: dict[str, str], log: Path) -> dict[str, float]:
    """The seconds that a program took, by the clock and of all CPUs."""
    began = time.monotonic()
    with log.open("w") as output:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=env,
                                 preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise ServerError(f"{' '.join(command)} ended with status {child.returncode}: {log.read_text()[-300:]}")
    return {"wall": time.monotonic() - began, "CPU": usage.ru_utime + usage.ru_stime}


class Zone:
    """A zone in a folder with two keys, as BIND's tools want them."""

    def __init__(self, folder: Path, algorithm: str, names: int):
        self.folder = folder
        folder.mkdir()
        (folder / "zone").write_text(zone_text(names))
        self.keys = [self.key(algorithm), self.key(algorithm, "-f", "KSK")]
        with (folder / "zone").open("a") as zone:
            for key in self.keys:
                zone.write((folder / f"{key}.key").read_text())

    def key(self, algorithm: str, *more: str) -> str:
        command = ["dnssec-keygen", "-q", "-K", str(self.folder), *ALGORITHMS[algorithm], *more, ZONE]
        return frame.output_of(command).strip()

    def command(self) -> list[str]:
        return ["dnssec-signzone", "-q", "-n", str(THREADS), "-o", ZONE, "-d", str(self.folder), "-K", str(self.folder),
                "-f", str(self.folder / "signed"), str(self.folder / "zone"), *self.keys]

    def verify(self) -> None:
        frame.output_of(["dnssec-verify", "-q", "-o", ZONE, str(self.folder / "signed")])


class Dnssec(frame.Experiment):
    name = "dnssec"
    title = "dnssec-signzone, as it is and by octuple run"
    about = (f"Debian's `dnssec-signzone -n {THREADS}` alone and by `octuple run`, in turns, on two CPUs: a zone that "
             "is made for it, where each name has an address, so that two signatures are made for each name. Time of "
             "the clock, and CPU of all threads, from start to end: reading, signing, and the tool's own check of the "
             "zone that it has made, which one thread makes. `dnssec-verify` checks every signed zone once more, "
             "outside of these times.")
    full, quick = frame.Size(2, 1), frame.Size(3, 1)
    pivots = ("algorithm",)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        names = QUICK_NAMES if quick else NAMES
        return [frame.Point({"algorithm": algorithm, "names": names}, 2 + size.rounds * names * seconds)
                for algorithm, seconds in SECONDS_PER_NAME.items()]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        yield lambda point: self.measure(lab, point.key)

    @staticmethod
    def measure(lab: frame.Lab, key: dict) -> dict:
        require_tools()
        zone = Zone(lab.folder / key["algorithm"], key["algorithm"], key["names"])
        cpus = {lab.place.server, lab.place.client}

        def one(side: str, _number: int) -> dict[str, float]:
            command, env = zone.command(), clean_environment()
            if side == "octuple":
                command = [str(lab.build.octuple), "run", "--", *command]
                env["OCTUPLE_COUNTERS"] = str(lab.folder)
            found = usage_of(command, cpus, env, lab.folder / "log")
            zone.verify()
            return found

        metrics = frame.in_turns(versus.VARIANTS, lab.size.rounds, METRICS, one)
        return {"metrics": metrics, "notes": {"in_lanes_percent": in_lanes(lab.folder), "threads": THREADS}}
