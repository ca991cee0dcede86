# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx under Octuple with several workers on one CPU, and ways to share connections among them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from lab import counters, process
from lab.programs import Build
from lab.servers.nginx import Nginx, ServerError


@dataclass(frozen=True)
class Setting:
    """`accept` is `reuseport`, `shared` (one queue, nginx's default) or `mutex` (shared, accept_mutex on). `batch`:
    multi_accept, which takes all connections that wait at once."""

    workers: int = 1
    accept: str = "reuseport"
    batch: bool = False

    @property
    def name(self) -> str:
        workers = f"{self.workers} worker" + "s" * (self.workers > 1)
        sharing = f", {self.accept}" if self.workers > 1 else ""
        return workers + sharing + ", multi_accept" * self.batch

    def events(self) -> str:
        mutex = " accept_mutex on; accept_mutex_delay 1ms;" if self.accept == "mutex" else ""
        return mutex + " multi_accept on;" * self.batch

    def configure(self, nginx: Nginx) -> None:
        nginx.workers, nginx.events = self.workers, self.events()
        if self.accept == "reuseport":
            nginx.listen += " reuseport"


class Workers(Nginx):
    """As a Nginx, but its times and counters are those of all workers."""

    def __init__(self, setting: Setting, folder: Path, keys: Path, kinds: list[str], cpu: int, build: Build):
        super().__init__(setting.name, folder, keys, kinds, cpu, build)
        self.setting = setting
        setting.configure(self)

    def wait_until_ready(self, deadline: float) -> None:
        super().wait_until_ready(deadline)
        while len(self.pids()) < self.setting.workers:
            if time.monotonic() > deadline:
                raise ServerError(f"nginx has {len(self.pids())} of {self.setting.workers} workers: {self.said()}")
            time.sleep(0.02)

    def pids(self) -> list[int]:
        return process.children(self.master.pid)

    def cpu_times(self) -> tuple[float, float]:
        """Waiting is not told: workers wait for each other."""
        ran, waited = zip(*(process.cpu_times(pid) for pid in self.pids()))
        return sum(ran), sum(waited) if self.setting.workers == 1 else 0.0

    def counters(self) -> dict[str, counters.Operation]:
        return counters.total(counters.read(self.counters_folder / f"{pid}.octuple") for pid in self.pids())
