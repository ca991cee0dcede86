# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Loads of clients that run beside us, and how far they are."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

from lab.programs import clean_environment
from .net import CLIENT, FleetError, PORT, VIP, inside

HERE = Path(__file__).parent
PYTHON = "/usr/bin/python3"


class Load:
    """A program in the client's namespace whose last line of output is its result, in JSON."""

    def __init__(self, command: list[str]):
        self.command = command
        self.lines: list[str] = []
        self.process = subprocess.Popen(inside(CLIENT, command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=clean_environment())
        self.complaints: list[str] = []
        self.readers = [threading.Thread(target=into.extend, args=(stream,), daemon=True) for into, stream in (
            (self.lines, self.process.stdout), (self.complaints, self.process.stderr))]
        for reader in self.readers:
            reader.start()

    def running(self) -> bool:
        return self.process.poll() is None

    def over(self) -> int:
        """What the program has last said of how many are over."""
        return int(self.lines[-1]) if self.lines and self.lines[-1].strip().isdigit() else 0

    def result(self) -> dict:
        self.process.wait()
        for reader in self.readers:
            reader.join()
        try:
            return json.loads(self.lines[-1])
        except (IndexError, ValueError) as error:
            raise FleetError(f"{' '.join(self.command)}: {''.join(self.complaints)[-2000:]}") from error

    def stop(self) -> None:
        if self.running():
            self.process.kill()
        self.process.wait()


def handshakes(program: Path, count: int, rate: float) -> Load:
    return Load([str(program), VIP, str(PORT), "--handshakes", str(count), "--rate", str(rate), "--connections", "1024",
                 "--json"])


def quic(count: int, hold: float) -> Load:
    return Load([PYTHON, str(HERE / "quicclient.py"), VIP, str(PORT), "--connections", str(count), "--hold",
                 str(hold), "--hold-every", "50"])


def held(cafile: Path, count: int, seconds: float) -> Load:
    return Load([PYTHON, str(HERE / "tcpclient.py"), "hold", VIP, str(PORT), str(cafile), str(count), str(seconds)])


def resumption(cafile: Path, count: int) -> Load:
    return Load([PYTHON, str(HERE / "tcpclient.py"), "resume", VIP, str(PORT), str(cafile), str(count)])


def has_quic_client() -> bool:
    return subprocess.run([PYTHON, "-c", "import aioquic"], capture_output=True, check=False).returncode == 0


def say(*words: object) -> None:
    print("fleet:", *words, file=sys.stderr, flush=True)

