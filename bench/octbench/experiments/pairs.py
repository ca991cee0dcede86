# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx as it is and under Octuple, both running all the time, for the experiments that load them in turns."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from .. import load, measure
from ..server import Nginx, make_keys
from .frame import Lab, metric

CONNECTIONS = 64  # to saturate
FIELD = ("tls12-rsa-kx-rsa2048", "tls12-ecdhe-rsa2048", "tls12-ecdhe-ecdsa-p256", "tls13-rsa2048", "tls13-ecdsa-p256")
Samples = dict[str, list[measure.Sample]]


@contextmanager
def pair(lab: Lab, handshakes: list[load.Handshake]) -> Iterator[measure.Bench]:
    """Both servers with a port for each kind of key, and the load for them."""
    kinds = sorted({handshake.key for handshake in handshakes})
    make_keys(lab.folder / "keys", kinds)
    with Nginx("stock", lab.folder / "stock", lab.folder / "keys", kinds, lab.place.server) as stock, \
            Nginx("octuple", lab.folder / "octuple", lab.folder / "keys", kinds, lab.place.server, lab.build) as octuple:
        yield measure.Bench({"stock": stock, "octuple": octuple}, lab.build.load, lab.place.client)


def cpu(samples: Samples) -> dict:
    return metric("us", "less", {side: [sample.cpu_us for sample in runs] for side, runs in samples.items()})


def rate(samples: Samples) -> dict:
    return metric("1/s", "more", {side: [sample.report["handshakes_per_s"] for sample in runs] for side, runs in samples.items()})


def latency(samples: Samples, quantile: str) -> dict:
    return metric("us", "less", {side: [sample.latency(quantile) for sample in runs] for side, runs in samples.items()})


def notes(samples: Samples, handshake: load.Handshake) -> dict:
    """What a reader has to know to believe the figures: failures, how full batches were, how quiet the server's CPU."""
    total = measure.operation_total(samples["octuple"], handshake.operation)
    return {"failed": sum(measure.failures(runs) for runs in samples.values()), "operation": handshake.operation,
            "batches": measure.operation_summary(total),
            "waited_percent": {side: measure.median([sample.waited_percent for sample in runs]) for side, runs in samples.items()}}
