# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`openssl speed` itself, as it is and by `octuple run`:
RSA, ECDSA, ECDH and AEADs, by asynchronous jobs and processes."""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import Iterator

from bench.measure import versus
from lab import counters
from lab.programs import clean_environment
from lab.servers.nginx import ServerError
from .. import frame

# What the command calls an algorithm, and what the rates in its result are.
ASYMMETRIC = {"rsa2048": ("sign", "verify"), "ecdsap256": ("sign", "verify"),
              "ecdhp256": ("derive",), "ecdhx25519": ("derive",)}
AEADS = ("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")
JOBS, QUICK_JOBS = (0, 1, 2, 4, 8, 16, 32, 64), (0, 8, 64)
SIZES, QUICK_SIZES = (64, 1440, 16384), (16384,)
RATES = {"+F": 1, "+F2": 2, "+F4": 2, "+F5": 1}  # how many rates a kind of result has


def process_counts() -> list[int]:
    """1, 2, 4, ... up to all CPUs that we may use."""
    cpus = len(os.sched_getaffinity(0))
    return sorted({1 << i for i in range(cpus.bit_length()) if 1 << i <= cpus} | {cpus})


def parse_rates(text: str) -> list[float]:
    """Operations or bytes per second from a machine-readable result. With several processes the children's come first,
    marked as such, and the sum last; sizes of text (+H) are then the children's only, so a run asks for one size."""
    for line in reversed(text.splitlines()):
        kind, *fields = line.split(":")
        if kind in RATES:
            return [float(field) for field in fields[2:2 + RATES[kind]]]
    raise ServerError(f"openssl speed gave no result: {text.strip()[-300:]}")


def command(key: dict, seconds: int) -> list[str]:
    """Time is that of the clock: by default the command divides by user time alone,
    and leaves out its own waiting for jobs."""
    options = ["openssl", "speed", "-mr", "-elapsed", "-seconds", str(seconds)]
    if key["processes"] > 1:
        options += ["-multi", str(key["processes"])]
    if key.get("jobs"):
        options += ["-async_jobs", str(key["jobs"])]
    if "bytes" in key:
        return [*options, "-bytes", str(key["bytes"]), "-aead", "-evp", key["algorithm"]]
    return [*options, key["algorithm"]]


def in_lanes(folder) -> float | None:
    """Per cent of the counted operations of all processes that lanes did; none if none was counted."""
    total = counters.Operation()
    for path in folder.glob("*.octuple"):
        for one in counters.read(path).values():
            total += one
        path.unlink()
    return round(100 * total.done / total.all, 1) if total.all else None


class OpensslSpeed(frame.Experiment):
    name = "openssl-speed"
    title = "openssl speed, as it is and by octuple run"
    about = ("Debian's `openssl speed -elapsed` alone, and by `octuple run`, in turns; one process is pinned to one "
             "CPU, several have all. `jobs` is -async_jobs (0: none), `processes` -multi. OpenSSL's own code never "
             "pauses, so jobs change little for it; without jobs there is nothing to gather for Octuple. What the "
             "command cannot show: its jobs all have the same key; it asks select() for each paused job before it goes "
             "on with it, system calls that a server does not make and that are in the figures of Octuple; ECDH is "
             "derivation alone, without a handshake's ephemeral key pair; and its AEADs (`-aead`, a record with 13 "
             "bytes of additional data) are never asynchronous.")
    full, quick = frame.Size(2, 1), frame.Size(1, 1)
    pivots = ("jobs", "bytes")

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        found = []
        for processes in process_counts():
            jobs, sizes = (QUICK_JOBS, QUICK_SIZES) if quick else (JOBS, SIZES)
            if processes > 1:
                jobs, sizes = jobs[-1:] if quick else (jobs[0], jobs[-1]), sizes[-1:]
            for algorithm, what in ASYMMETRIC.items():
                found += [frame.Point({"algorithm": algorithm, "processes": processes, "jobs": count},
                                      2 * size.rounds * len(what) * (size.seconds + 0.1)) for count in jobs]
            for algorithm in AEADS:
                found += [frame.Point({"algorithm": algorithm, "processes": processes, "bytes": count},
                                      2 * size.rounds * (size.seconds + 0.1)) for count in sizes]
        return found

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        yield lambda point: self.measure(lab, point.key)

    def run(self, lab: frame.Lab, key: dict, side: str) -> str:
        cpus = {lab.place.server} if key["processes"] == 1 else os.sched_getaffinity(0)
        full = command(key, int(lab.size.seconds))
        environment = clean_environment()
        if side == "octuple":
            full = [str(lab.build.octuple), "run", "--", *full]
            environment["OCTUPLE_COUNTERS"] = str(lab.folder)
        done = subprocess.run(full, capture_output=True, text=True,
                              env=environment, check=False, timeout=120 + 10 * lab.size.seconds,
                              preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        if done.returncode:
            raise ServerError(f"{' '.join(full)} ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def measure(self, lab: frame.Lab, key: dict) -> dict:
        names, scale = (("sealed",), 1e-6) if "bytes" in key else (ASYMMETRIC[key["algorithm"]], 1)
        defined = {name: ("MB/s" if "bytes" in key else "1/s", "more") for name in names}

        def one(side: str, _number: int) -> dict[str, float]:
            return dict(zip(names, (rate * scale for rate in parse_rates(self.run(lab, key, side)))))

        metrics = frame.in_turns(versus.VARIANTS, lab.size.rounds, defined, one)
        return {"metrics": metrics, "notes": {"in_lanes_percent": in_lanes(lab.folder)}}

    def pictures(self, records: list[dict]) -> dict:
        from bench.report import pictures

        shown = [record for record in records if "jobs" in record["key"]]
        return {"jobs": pictures.lines(shown, "jobs", "asynchronous jobs")} | pictures.ratios(
            [record for record in records if "bytes" in record["key"]])
