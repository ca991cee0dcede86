# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx with other allocators of Debian's preloaded, as it is and under Octuple."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Iterator

from bench.measure import versus
from lab import load
from lab.programs import SYSTEM_LIBRARIES
from lab.servers.nginx import Nginx, make_keys
from . import frame
from .pairs import CONNECTIONS

HANDSHAKES = ("tls13-ecdsa-p256", "tls13-rsa2048", "tls13-resumed")
ALLOCATORS = {"libc": "", "jemalloc": "libjemalloc.so.2", "mimalloc": "libmimalloc.so.2.0",
              "tcmalloc": "libtcmalloc_minimal.so.4"}
PACKAGES = "libjemalloc2 libmimalloc2.0 libtcmalloc-minimal4"
CPU = "CPU of a handshake"


def library(name: str) -> Path | None:
    """What is preloaded for it; None where the C library's own serves."""
    return SYSTEM_LIBRARIES / ALLOCATORS[name] if ALLOCATORS[name] else None


class Allocators(frame.Experiment):
    name = "allocators"
    title = "Other allocators"
    about = ("Debian's nginx with the C library's allocator, and with those of Debian's packages " + PACKAGES +
             " preloaded, as it is and by `octuple run`. All run all the time on one CPU, and are loaded in turns.")
    full, quick = frame.Size(7, 1.0), frame.Size(3, 0.5)
    main_metric = CPU

    def __init__(self) -> None:
        self.found: dict[str, dict] = {}

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"allocator": name, "handshake": handshake}, 2 * (size.rounds + 1) * (size.seconds + 0.1))
                for handshake in (HANDSHAKES[:2] if quick else HANDSHAKES) for name in ALLOCATORS]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        keys = lab.folder / "keys"
        kinds = sorted({load.named(name).key for name in HANDSHAKES})
        make_keys(keys, kinds)
        with ExitStack() as stack:
            servers = {}
            for name in ALLOCATORS:
                preload = library(name)
                if preload is not None and not preload.exists():
                    continue
                for side in versus.VARIANTS:
                    server = Nginx(f"{side} {name}", lab.folder / f"{side}-{name}", keys, kinds, lab.place.server,
                                   lab.build if side == "octuple" else None)
                    if preload is not None:
                        server.settings["LD_PRELOAD"] = str(preload)
                    servers[f"{side} {name}"] = stack.enter_context(server)
            bench = versus.Bench(servers, lab.build.load, lab.place.client)
            yield lambda point: self.measure(lab, bench, tuple(servers), point.key)

    def measure(self, lab: frame.Lab, bench: versus.Bench, sides: tuple[str, ...], key: dict) -> dict:
        """All are measured in turns when one of them is asked for first."""
        name = key["allocator"]
        if f"stock {name}" not in sides:
            raise frame.Unavailable(f"{ALLOCATORS[name]} is not installed: one of {PACKAGES}")
        if key["handshake"] not in self.found:
            handshake = load.named(key["handshake"])

            def one(side: str, number: int) -> dict[str, float]:
                sample = bench.run(side, handshake, "saturated", lab.size.seconds, seed=number + 1,
                                   connections=CONNECTIONS)
                return {CPU: sample.cpu_us}

            for side in sides:
                one(side, 0)
            found = frame.in_turns(sides, lab.size.rounds, {CPU: ("us", "less")}, one)
            self.found[key["handshake"]] = found[CPU]["sides"]
        found = self.found[key["handshake"]]
        return {"metrics": {CPU: frame.metric("us", "less", {side: found[f"{side} {name}"]
                                                             for side in versus.VARIANTS})}}
