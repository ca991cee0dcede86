# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What the kernel knows about a process: its children, the CPU time it has used, its memory."""

from __future__ import annotations

import os
from pathlib import Path

PATIENCE = 120.0  # seconds: what has not come by then does not come, on a busy machine either

PROC = Path("/proc")


def stat_fields(text: str) -> list[str]:
    """/proc/PID/stat from its third field (the state) on: the second, the name, may hold spaces and parentheses."""
    return text[text.rindex(")") + 2:].split()


def children(pid: int, proc: Path = PROC) -> list[int]:
    """The processes whose parent this is."""
    found = []
    for entry in proc.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = stat_fields((entry / "stat").read_text())
        except OSError:  # it has just ended
            continue
        if int(fields[1]) == pid:
            found.append(int(entry.name))
    return sorted(found)


def cpu_times(pid: int, proc: Path = PROC) -> tuple[float, float]:
    """Seconds of all threads: running (user and system), and waiting for a CPU that others used.

    The scheduler's own account (schedstat) is in nanoseconds; where the kernel has none, stat's clock ticks of 10 ms,
    and nothing about waiting.
    """
    run = wait = 0
    try:
        for task in (proc / str(pid) / "task").iterdir():
            fields = (task / "schedstat").read_text().split()
            run, wait = run + int(fields[0]), wait + int(fields[1])
    except FileNotFoundError:
        run = 0
    if run:
        return run / 1e9, wait / 1e9
    fields = stat_fields((proc / str(pid) / "stat").read_text())
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), 0.0


def memory_kb(pid: int, proc: Path = PROC) -> dict[str, int]:
    """rss, pss (shared pages divided among their users) and private (clean and dirty), in KB."""
    values = {}
    for line in (proc / str(pid) / "smaps_rollup").read_text().splitlines():
        name, _, rest = line.partition(":")
        if rest.strip().endswith("kB"):
            values[name] = int(rest.split()[0])
    return {"rss": values["Rss"], "pss": values["Pss"], "private": values["Private_Clean"] + values["Private_Dirty"]}
