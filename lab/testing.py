# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What the tests of measurements and those of the rest share."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess

import pytest


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skips a test where one of them is not installed; servers are not in everybody's PATH."""
    absent = [name for name in programs if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")]
    return pytest.mark.skipif(bool(absent), reason=f"not installed: {', '.join(absent)}")


def said_on_terminal(command: list, stream: str, **options: object) -> tuple[int, bytes]:
    """The command's status, and what it says where this stream of it, "stdout" or "stderr", is a terminal."""
    ours, theirs = os.openpty()
    said = b""
    with subprocess.Popen(command, **{stream: theirs}, **options) as process:
        os.close(theirs)
        with contextlib.suppress(OSError):  # the end of a terminal
            while chunk := os.read(ours, 4096):
                said += chunk
    os.close(ours)
    return process.returncode, said
