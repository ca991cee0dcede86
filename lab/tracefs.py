# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Whether `octuple trace` works here, as tests ask."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path


def mount_tracefs() -> bool:
    """In a namespace for mounts of this process and its children, so that nobody else sees it; False if it cannot."""
    if ctypes.CDLL(None).unshare(0x20000) != 0:  # CLONE_NEWNS
        return False
    commands = (["mount", "--make-rprivate", "/"], ["mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing"])
    return all(subprocess.run(command, check=False, capture_output=True).returncode == 0 for command in commands)


def obstacle() -> str | None:
    """Why no nginx can be traced here, or None."""
    if os.geteuid() != 0:
        return "tracing needs root"
    for program in ("bpftrace", "nginx", "curl"):
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin"):
            return f"{program} is not installed"
    if not Path("/sys/bus/event_source/devices/uprobe/type").exists():
        return "this kernel has no uprobes"
    if not Path("/sys/kernel/tracing/events").exists() and not mount_tracefs():
        return "tracefs is not mounted: mount -t tracefs tracefs /sys/kernel/tracing"
    return None
