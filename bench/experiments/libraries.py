# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""One HAProxy and one nginx on three OpenSSLs and on AWS-LC, each also with Octuple."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from lab import load
from lab.debian import InstallError
from lab.servers import libraries
from lab.servers.libraries import AWS_LC, OPENSSL, Side
from lab.servers.nginx import make_keys
from bench.measure import versus
from . import frame

HANDSHAKES = {"p256": "tls13-ecdsa-p256", "hybrid": "tls13-ecdsa-p256-x25519mlkem768", "ed25519": "tls13-ed25519",
              "rsa2048": "tls13-rsa2048", "resumed": "tls13-resumed-get", "p384": "tls13-ecdsa-p384-x25519",
              "rsa4096": "tls13-rsa4096", "tls12-rsa2048": "tls12-ecdhe-rsa2048"}
QUICK = ("p256", "rsa2048", "resumed")
SERVERS = ("haproxy", "nginx")
CONNECTIONS = 64
CPU = "CPU of a handshake"
METRICS = {CPU: ("us", "less")}
SIDES = tuple(Side(library, octuple) for library in (*OPENSSL, AWS_LC) for octuple in (False, True))
BESIDE, OF_BOTH = AWS_LC, str(Side(AWS_LC, True))  # AWS-LC beside OpenSSL with Octuple, and AWS-LC with and without it
LIBRARIES = (*OPENSSL, BESIDE, OF_BOTH)
Found = dict[str, dict[Side, list[float]]]  # microseconds in each round, by handshake and side


class Libraries(frame.Experiment):
    name = "libraries"
    title = "OpenSSL with Octuple, and AWS-LC"
    about = ("One HAProxy and one nginx of Debian 13's source, on OpenSSL 3.0, 3.5 and 3.6 of three Debians, as they "
             "are and by `octuple run`, and likewise on AWS-LC. All run all the time on one CPU, and are loaded in "
             "turns by 64 connections from another. Each round has all kinds of handshakes. Those of TLS 1.3 have a "
             "small GET behind them. Rows with a version, and with `awslc octuple`, compare stock and Octuple there. "
             "In rows with `awslc`, `stock` is AWS-LC, and `octuple` is the cheapest of the OpenSSLs with Octuple.")
    full, quick = frame.Size(3, 0.6), frame.Size(3, 0.3)
    main_metric = CPU

    def __init__(self) -> None:
        self.found: dict[str, Found] = {}

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        of_all = len(SIDES) * (size.rounds + 1) * (size.seconds + 0.15)  # a warm-up comes before the rounds
        return [frame.Point({"server": server, "library": library, "handshake": name}, of_all / len(LIBRARIES))
                for server in SERVERS for name in (QUICK if quick else HANDSHAKES) for library in LIBRARIES]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        try:
            libraries.install()
        except InstallError as error:
            raise frame.Unavailable(str(error)) from error
        keys, kinds = lab.folder / "keys", sorted({load.named(name).key for name in HANDSHAKES.values()})
        make_keys(keys, kinds)
        libraries.pem(keys, kinds)
        yield lambda point: self.measure(lab, kinds, point.key)

    def measure(self, lab: frame.Lab, kinds: list[str], key: dict) -> dict:
        """All sides and handshakes of a server are measured in turns when one of them is asked for first."""
        server, library = key["server"], key["library"]
        if server not in self.found:
            names = tuple(dict.fromkeys(point.key["handshake"] for point in lab.points))
            self.found[server] = in_turns(lab, server, names, kinds)
        found = self.found[server][key["handshake"]]
        if library == OF_BOTH:
            stock, octuple = Side(AWS_LC, False), Side(AWS_LC, True)
        elif library == BESIDE:
            stock = Side(AWS_LC, False)
            octuple = min((Side(one, True) for one in OPENSSL), key=lambda side: versus.median(found[side]))
        else:
            stock, octuple = Side(library, False), Side(library, True)
        return {"metrics": {CPU: frame.metric(*METRICS[CPU], {"stock": found[stock], "octuple": found[octuple]})},
                "notes": {"octuple": str(octuple)}}


def in_turns(lab: frame.Lab, server: str, names: tuple[str, ...], kinds: list[str]) -> Found:
    """Microseconds of each handshake on each side. A machine has slow minutes, and not all libraries suffer alike: so
    each round has all of them."""
    where = lab.folder / server
    where.mkdir(mode=0o755, exist_ok=True)
    both = {f"{name} {side}": (name, side) for name in names for side in SIDES}
    with libraries.All(server, kinds, lab.folder / "keys", where, lab.build, lab.place.server, SIDES) as all_of:

        def one(which: str, _number: int) -> dict[str, float]:
            name, side = both[which]
            return {CPU: all_of.microseconds(side, load.named(HANDSHAKES[name]), lab.place.client,
                                             connections=CONNECTIONS, seconds=lab.size.seconds)}

        for which in both:
            one(which, 0)
        found = frame.in_turns(tuple(both), lab.size.rounds, METRICS, one)[CPU]["sides"]
    return {name: {side: found[f"{name} {side}"] for side in SIDES} for name in names}
