# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The programs and libraries of a build folder, and what whoever starts a server needs besides.
The tests use it too."""

from __future__ import annotations

import os
import random
import shutil
import socket
from dataclasses import dataclass
from pathlib import Path

SYSTEM_LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")

SERVER_PORTS = (10000, 32768)  # below what Linux takes for clients


@dataclass(frozen=True)
class Build:
    """Where the parts of a build folder are."""

    folder: Path

    @property
    def octuple(self) -> Path:
        return self.folder / "bin/octuple"

    @property
    def load(self) -> Path:
        return self.folder / "bin/octuple-load"

    @property
    def evp(self) -> Path:
        return self.folder / "bin/octuple-evp"

    @property
    def threads(self) -> Path:
        return self.folder / "bin/octuple-threads"

    @property
    def pages(self) -> Path:
        return self.folder / "bin/octuple-pages"

    @property
    def shim(self) -> Path:
        return self.folder / "lib/liboctuple-async.so"

    @property
    def provider(self) -> Path:
        return self.folder / "lib/octuple.so"

    def missing_libraries(self) -> list[Path]:
        return [part for part in (self.shim, self.provider) if not part.exists()]

    def missing(self) -> list[Path]:
        return [part for part in (self.octuple, self.load) if not part.exists()] + self.missing_libraries()


def copy_libraries(folder: Path) -> Path:
    """OpenSSL's libraries, as files that no other process has:
    a probe stands in a file, and only who maps it meets it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("libssl.so.3", "libcrypto.so.3"):
        if not (folder / name).exists():
            shutil.copy(SYSTEM_LIBRARIES / name, folder)
    return folder


def free_ports(count: int) -> list[int]:
    """Loopback ports that nobody listens on now, by TCP or UDP. The kernel gives none of them to a client's end of a
    connection."""
    found: list[int] = []
    while len(found) < count:
        port = random.SystemRandom().randrange(*SERVER_PORTS)
        with socket.socket() as sock, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
            try:
                sock.bind(("127.0.0.1", port))
                datagrams.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in found:
            found.append(port)
    return found


def clean_environment() -> dict[str, str]:
    """Ours, without anything that would put Octuple into the stock server or set it differently in the other. The table
    stays: it says as on which CPU all is done."""
    drop = ("LD_PRELOAD", "OPENSSL_CONF")
    return {name: value for name, value in os.environ.items()
            if name == "OCTUPLE_TABLE" or name not in drop and not name.startswith("OCTUPLE_")}


def answers(port: int, address: str = "127.0.0.1") -> bool:
    """Whether somebody listens there by TCP."""
    with socket.socket() as sock:
        return sock.connect_ex((address, port)) == 0
