# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Full handshakes by QUIC: nginx and HAProxy of a Debian that has both with HTTP/3."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import Iterator

from bench.measure import quic, versus
from lab import cargo
from lab.debian import InstallError
from lab.servers import http3
from lab.servers.nginx import make_keys
from . import frame


class Http3(frame.Experiment):
    name = "http3"
    title = "Handshakes by QUIC"
    about = ("nginx 1.30 and HAProxy 3.2 of Debian forky, on OpenSSL 3.6, as they are and by `octuple run`, on one CPU "
             "and with one worker or thread. The client on the other CPU is quinn, with a socket for each connection; "
             "it makes one full handshake after the other, waits for the first stream of the server and closes. "
             "`hybrid` is X25519MLKEM768, the others have X25519.")
    full, quick = frame.Size(6, 2.0), frame.Size(3, 1.0)
    main_metric = "CPU of a handshake"

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        cases = [("nginx", key, 64) for key in http3.KEYS] + [("nginx", "rsa2048-hybrid", 64)]
        cases += [("haproxy", key, 64) for key in http3.KEYS] + [("nginx", "rsa2048", 1)]
        if not quick:
            cases += [(server, f"{key}-hybrid", 64) for server in ("nginx", "haproxy") for key in http3.KEYS
                      if (server, key) != ("nginx", "rsa2048")]
            cases += [("haproxy", "rsa2048", 1)]
        return [frame.Point({"server": server, "handshake": handshake, "connections": connections},
                            2 * size.rounds * (size.seconds + 0.3)) for server, handshake, connections in cases]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        prepare(lab)
        yield lambda point: measure(lab, point.key)


def prepare(lab: frame.Lab) -> None:
    """The Debian, the client, and keys: what is missing is made."""
    reason = cargo.why_not(lab.build.folder)
    if reason:
        raise frame.Unavailable(reason)
    try:
        http3.install()
        cargo.build_all(lab.build.folder)
    except (InstallError, cargo.CargoError) as error:
        raise frame.Unavailable(str(error)) from error
    keys = lab.folder / "keys"
    make_keys(keys, list(http3.KEYS.values()))
    for key in http3.KEYS.values():
        (keys / f"{key}.pem").write_text((keys / f"{key}.crt").read_text() + (keys / f"{key}.key").read_text())


def measure(lab: frame.Lab, key: dict) -> dict:
    kind, _, hybrid = key["handshake"].partition("-")
    made: Counter[str] = Counter()
    failures: dict[str, Counter[str]] = {side: Counter() for side in versus.VARIANTS}
    folder = lab.folder / f"{key['server']}-{key['handshake']}-{key['connections']}"
    folder.mkdir(mode=0o755)
    with http3.Pair(key["server"], kind, lab.folder / "keys", folder, lab.build, lab.place.server) as pair:

        def one(side: str, _number: int) -> dict[str, float]:
            before = pair.cpu_seconds(side)
            report = quic.handshakes(lab.build.folder, pair.ports[side], lab.place.client, key["connections"],
                                     lab.size.seconds, hybrid=bool(hybrid))
            made[side] += report["completed"] + report["failed_total"]
            failures[side].update(report["failures"])
            count = max(1, report["completed"])
            return {"CPU of a handshake": 1e6 * (pair.cpu_seconds(side) - before) / count, "p50": report["p50_us"]}

        for side in versus.VARIANTS:
            one(side, 0)
        defined = {"CPU of a handshake": ("us", "less")} | ({"p50": ("us", "less")} if key["connections"] == 1 else {})
        metrics = frame.in_turns(versus.VARIANTS, lab.size.rounds, defined, one)
    return {"metrics": metrics, "notes": {"failed": sum(sum(why.values()) for why in failures.values()),
                                          "handshakes": made, "failures": failures,
                                          "programs": http3.versions(key["server"])}}
