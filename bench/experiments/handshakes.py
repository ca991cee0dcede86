# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Full TLS handshakes per core on nginx, saturated."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from lab import load
from . import frame, pairs

MORE = ("tls13-rsa3072", "tls13-rsa4096", "tls13-ecdsa-p384", "tls13-ed25519", "tls13-rsa2048-x25519mlkem768",
        "tls13-ecdsa-p256-x25519mlkem768", "tls13-rsa2048-half-hybrid", "tls13-ecdsa-p256-half-hybrid")


class Handshakes(frame.Experiment):
    name = "handshakes"
    title = "Full handshakes per core on nginx"
    about = ("Debian's nginx with one worker pinned to one CPU, as it is and by `octuple run`, both running all the "
             "time and loaded in turns from another CPU by 64 connections in a closed loop, every handshake a full one "
             "that was completed. CPU is user and system time of the worker. Where OpenSSL has no hybrid group, "
             "stock's handshake is classical.")
    full, quick = frame.Size(5, 1.5), frame.Size(3, 0.7)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        names = pairs.FIELD if quick else pairs.FIELD + MORE
        return [frame.Point({"handshake": name}, 2 * (0.5 + size.rounds * (size.seconds + 0.1))) for name in names]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        with pairs.pair(lab, [load.named(name) for name in pairs.FIELD + MORE]) as bench:
            yield lambda point: self.measure(lab, bench, load.named(point.key["handshake"]))

    @staticmethod
    def measure(lab: frame.Lab, bench, handshake: load.Handshake) -> dict:
        bench.rounds(handshake, "warm-up", 1, 0.3, connections=pairs.CONNECTIONS)
        samples = bench.rounds(handshake, "saturated", lab.size.rounds, lab.size.seconds, connections=pairs.CONNECTIONS)
        return {"metrics": {"CPU of a handshake": pairs.cpu(samples), "handshakes": pairs.rate(samples)},
                "notes": pairs.notes(samples, handshake)}
