# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Many handshakes of nginx whose key is in a device of the test, with all that can go wrong.

Clients that end early, reloads, a token that is removed and comes back, a device that hangs and comes back, and a full
set of threads. Then the worker must have neither more descriptors nor much more memory than before, and serve on.
`tests/servers/run keys_soak --build FOLDER [--device token|card] [--handshakes N]` prints a line for each round. With
a build of `-DOCT_SANITIZE=address` or `thread`, `--sanitizer` puts that one's runtime into nginx. What it reports
fails the run.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# pylint: disable=wrong-import-position
from lab import devices, process
from lab.programs import Build, clean_environment
from lab.servers.nginx import make_keys

THREADS, CONNECTIONS, GROWTH_KB = 8, 64, 4096


@dataclass(frozen=True)
class Sanitizer:
    """Its own memory grows with all that is ever allocated. ThreadSanitizer's has no end that could be told."""

    runtime: str
    options: dict[str, str]
    growth_kb: float

    def preload(self, build: Build) -> str:
        """OpenSSL's jobs jump from stack to stack, for which ThreadSanitizer needs jumps.c."""
        found = subprocess.run(["gcc", f"-print-file-name={self.runtime}"], capture_output=True, text=True, check=True)
        jumps = build.folder / "lib/jumps.so"
        return ":".join([str(jumps)] * jumps.exists() + [found.stdout.strip()])


SANITIZERS = {
    "address": Sanitizer("libasan.so", {
        "ASAN_OPTIONS": "verify_asan_link_order=0:intercept_tls_get_addr=0:quarantine_size_mb=1"}, 65536),
    "thread": Sanitizer("libtsan.so", {"TSAN_OPTIONS": "die_after_fork=0"}, float("inf")),
}


class Soak:
    """One nginx, and what its clients have seen."""

    def __init__(self, nginx: devices.DeviceNginx, build: Build, folder: Path, growth_kb: float):
        self.nginx, self.build, self.folder, self.total = nginx, build, folder, 0
        self.growth_kb = growth_kb

    def worker(self) -> int:
        """The one that serves now: the others end."""
        return max(process.children(self.nginx.master.pid))

    def load(self, count: int, *more: str) -> subprocess.Popen:
        self.total += count
        command = [str(self.build.load), "127.0.0.1", str(self.nginx.ports["tls"]), "--handshakes", str(count),
                   "--connections", str(CONNECTIONS), "--seed", str(self.total), "--json", *more]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=clean_environment())

    @staticmethod
    def report(run: subprocess.Popen) -> dict:
        return json.loads(run.communicate(timeout=300)[0])

    def all_served(self, count: int, *more: str) -> dict:
        report = self.report(self.load(count, *more))
        assert report["failed_total"] == 0, report
        return report

    def reloads(self, count: int) -> None:
        """Workers that go finish what they have begun."""
        run = self.load(count)
        while run.poll() is None:
            self.nginx.master.send_signal(signal.SIGHUP)
            time.sleep(1)
        report = self.report(run)
        assert report["failed_total"] == 0, report

    def without(self, what: str, count: int) -> dict:
        """The device fails or hangs for a second, in the midst."""
        run = self.load(count, "--timeout", "5")
        time.sleep(0.3)
        (self.folder / what).touch()
        time.sleep(1)
        (self.folder / what).unlink()
        report = self.report(run)
        assert report["completed"] > 0, report
        return report

    def state(self) -> tuple[int, int]:
        time.sleep(1)
        pid = self.worker()
        sockets = sum("socket:" in os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd"))
        return sockets, process.memory_kb(pid)["rss"]


def trouble(run: Soak, part: int) -> tuple[int, int]:
    for what in ("fail", "hang"):
        report = run.without(what, part)
        print(f"{run.total:7} {what}: {report['completed']} completed, {report['failed_total']} failed", flush=True)
    run.all_served(part, "--abort", "30")
    state = run.state()
    print(f"{run.total:7} handshakes: sockets {state[0]}, {state[1]} KB", flush=True)
    return state


def soak(run: Soak, handshakes: int) -> None:
    """A worker keeps what its most handshakes at a time have taken: while the device hangs there are many."""
    part = max(handshakes // 10, 200)
    run.reloads(part)
    before = trouble(run, part)
    while run.total < handshakes:
        after = trouble(run, part)
        assert after[0] == before[0] and after[1] - before[1] < run.growth_kb, (before, after)
    run.all_served(part)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests/servers/run keys_soak",
                                     description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--device", choices=("token", "card"), default="token")
    parser.add_argument("--handshakes", type=int, default=50000)
    parser.add_argument("--sanitizer", choices=tuple(SANITIZERS), help="the one that the build was made with, by gcc")
    options = parser.parse_args()
    build = Build(options.build.resolve())
    with tempfile.TemporaryDirectory(prefix="octuple-keys-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        make_keys(folder / "keys", ["rsa2048"])
        nginx = devices.DeviceNginx("octuple", folder / "nginx", folder / "keys", os.sched_getaffinity(0), build,
                                    device=options.device, micros=1000, threads=THREADS)
        nginx.settings.update(OCTUPLE_TEST_DEVICE_FAIL=str(folder / "fail"),
                              OCTUPLE_TEST_DEVICE_HANG=str(folder / "hang"), OCTUPLE_KEYS=f"{THREADS},timeout=500")
        sanitizer = SANITIZERS.get(options.sanitizer)
        if sanitizer:
            nginx.settings |= sanitizer.options | {"LD_PRELOAD": sanitizer.preload(build)}
        with nginx:
            soak(Soak(nginx, build, folder, sanitizer.growth_kb if sanitizer else GROWTH_KB), options.handshakes)
        said = nginx.said()
    bad = [line for line in said.splitlines() if "alert" in line or "emerg" in line or "signal 11" in line
           or "Sanitizer" in line and any(word in line for word in ("ERROR", "WARNING", "FATAL", "CHECK"))]
    for line in bad:
        print(line)
    timeouts = sum("has not answered" in line for line in said.splitlines())
    print(f"{timeouts} lines say that the device has not answered")
    return int(bool(bad) or not timeouts)


if __name__ == "__main__":
    sys.exit(main())
