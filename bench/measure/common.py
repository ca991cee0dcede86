# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What the commands of experiments share: a folder while it runs, its errors told in a line, its numbers in a file."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator

from lab.load import LoadError
from lab.servers.nginx import ServerError


@contextmanager
def server_folder(name: str) -> Iterator[Path]:
    """A folder for servers, gone in the end."""
    folder = Path(tempfile.mkdtemp(prefix=f"octuple-{name}-"))
    folder.chmod(0o755)  # some servers' workers are another user
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measured(name: str, run: Callable[[Path], dict], json_file: Path | None) -> dict | None:
    """What run() returns, given a folder for servers;
    None if one of them or the load failed, which has then been told."""
    try:
        with server_folder(name) as folder:
            document = run(folder)
    except (ServerError, LoadError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return None
    if json_file:
        json_file.write_text(json.dumps(document, indent=1) + "\n")
    return document
