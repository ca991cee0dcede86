# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The machine that a measurement was made on, and which of its CPUs serve which side.

Server and client get a core each, and not two hyperthreads of one core: those share execution units, and the client
would slow down what is measured.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

SYS_CPU = Path("/sys/devices/system/cpu")
CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Placement:
    """Which CPU serves whom, and what a reader of the numbers has to know about it."""

    server: int
    client: int
    note: str = ""

    @property
    def shared(self) -> bool:
        return self.server == self.client


def siblings(cpu: int, root: Path = SYS_CPU) -> set[int]:
    """The hyperthreads of the core that this CPU belongs to, itself included."""
    try:
        text = (root / f"cpu{cpu}/topology/thread_siblings_list").read_text().strip()
    except OSError:
        return {cpu}
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found | {cpu}


def place(allowed: set[int] | None = None, root: Path = SYS_CPU) -> Placement:
    """The server on the first CPU that we may use, the client on the last that is another core."""
    cpus = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    server = cpus[0]
    core = siblings(server, root)
    others = [cpu for cpu in cpus if cpu not in core]
    if others:
        return Placement(server, others[-1])
    threads = [cpu for cpu in cpus if cpu != server]
    if threads:
        return Placement(server, threads[-1], "Client and server run on two hyperthreads of one core and slow each "
                                              "other down: rates and latencies are worse than they could be.")
    return Placement(server, server, "There is one CPU only: client and server share it. CPU per handshake is right, "
                                     "rates and latencies are those of both together.")


def first_line(command: list[str], stderr: bool = False) -> str:
    """What a program says of itself; empty if it cannot be asked."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (done.stderr if stderr else done.stdout).strip().splitlines()
    return lines[0] if lines else ""


def cpu_fields(text: str) -> tuple[str, set[str]]:
    """Model name and flags out of /proc/cpuinfo."""
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    flags = re.search(r"^flags\s*:\s*(.+)$", text, re.M)
    return model.group(1).strip() if model else "unknown", set(flags.group(1).split()) if flags else set()


def cpu() -> tuple[str, set[str]]:
    """Of this machine."""
    return cpu_fields(CPUINFO.read_text())


def has_avx512() -> bool:
    return "avx512f" in cpu()[1]


def os_name() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def describe(placement: Placement, nginx: str, octuple_version: str) -> dict:
    """All that is needed to judge, or to repeat, the numbers."""
    model, flags = cpu()
    return {
        "cpu": model,
        "cpus": len(os.sched_getaffinity(0)),
        "avx512": sorted(flag for flag in flags if flag.startswith("avx512")),
        "server_cpu": placement.server,
        "client_cpu": placement.client,
        "placement_note": placement.note,
        "system": os_name(),
        "kernel": platform.release(),
        "nginx": first_line([nginx, "-v"], stderr=True).removeprefix("nginx version: "),
        "openssl": first_line(["openssl", "version"]),
        "openssl_masked": os.environ.get("OPENSSL_ia32cap", ""),
        "octuple": octuple_version,
        "load_average": round(os.getloadavg()[0], 2),
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
    }
