# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx as it is and under Octuple, both running all the time, for the experiments that load them in turns."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from bench.measure import versus
from lab import load
from lab.programs import copy_libraries
from lab.servers.nginx import Nginx, make_keys
from .frame import Lab, metric

CONNECTIONS = 64  # to saturate
FIELD = ("tls12-rsa-kx-rsa2048", "tls12-ecdhe-rsa2048", "tls12-ecdhe-ecdsa-p256", "tls13-rsa2048", "tls13-ecdsa-p256")
Samples = dict[str, list[versus.Sample]]


def start(lab: Lab, side: str, handshakes: list[load.Handshake]) -> Nginx:
    """One of the two, with a port for each kind of key."""
    kinds = sorted({handshake.key for handshake in handshakes})
    make_keys(lab.folder / "keys", [kind for kind in kinds if not (lab.folder / f"keys/{kind}.crt").exists()])
    return Nginx(side, lab.folder / side, lab.folder / "keys", kinds,
                 lab.place.server, lab.build if side == "octuple" else None)


@contextmanager
def single(lab: Lab, side: str, handshake: load.Handshake) -> Iterator[versus.Bench]:
    """One of them, for tracing, with libraries of its own: what is traced in a file that a process with paused
    handshakes maps, ours or anybody's, is traced at its begin only."""
    server = start(lab, side, [handshake])
    server.settings["LD_LIBRARY_PATH"] = str(copy_libraries(lab.folder / f"libraries-{side}"))
    with server:
        yield versus.Bench({side: server}, lab.build.load, lab.place.client)


@contextmanager
def pair(lab: Lab, handshakes: list[load.Handshake]) -> Iterator[versus.Bench]:
    """Both servers, and the load for them."""
    with start(lab, "stock", handshakes) as stock, start(lab, "octuple", handshakes) as octuple:
        yield versus.Bench({"stock": stock, "octuple": octuple}, lab.build.load, lab.place.client)


def cpu(samples: Samples) -> dict:
    return metric("us", "less", {side: [sample.cpu_us for sample in runs] for side, runs in samples.items()})


def rate(samples: Samples) -> dict:
    return metric("1/s", "more",
                  {side: [sample.report["handshakes_per_s"] for sample in runs] for side, runs in samples.items()})


def latency(samples: Samples, quantile: str) -> dict:
    return metric("us", "less", {side: [sample.latency(quantile) for sample in runs] for side, runs in samples.items()})


def notes(samples: Samples, handshake: load.Handshake) -> dict:
    """What a reader has to know to believe the figures: failures, how full batches were, how quiet the server's CPU."""
    total = versus.operation_total(samples["octuple"], handshake.operation)
    return {"group": {side: runs[0].group for side, runs in samples.items()},
            "failed": sum(versus.failures(runs) for runs in samples.values()),
            "overdue": {side: sum(sample.report["overdue"] for sample in runs) for side, runs in samples.items()},
            "operation": handshake.operation, "batches": versus.operation_summary(total),
            "waited_percent": {side: versus.median([sample.waited_percent for sample in runs])
                               for side, runs in samples.items()}}
