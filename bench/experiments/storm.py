# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers to which more clients come than they can serve, and whose clients leave when they have waited too long."""

from __future__ import annotations

import dataclasses
import itertools
import resource
import statistics
from contextlib import contextmanager
from typing import Iterator

from lab import load, veth
from lab.servers import conf, service_texts, services, web
from lab.servers.nginx import ServerError, make_keys
from bench.measure import versus
from . import frame

KEYS = {"rsa2048": load.named("tls13-rsa2048")}
CONTROLLER = "controller"
SIDES = (*versus.VARIANTS, CONTROLLER)
SETTINGS = {CONTROLLER: {"OCTUPLE_HELLOS": "refuse"}}
PATIENCE = {"fixed": "1000", "long": "3000", "spread": "1000-3000"}  # milliseconds
LOADS = (0.5, 1, 2, 4, 8)  # times what the stock server can serve
USERS, RETRY, ALL_IN_WITHIN = 1500, "500-1500", 15  # milliseconds; seconds
CALM, WARM_UP = 1, {"fixed": 2.5, "long": 6, "spread": 5.5}  # seconds in which queues grow, or do not
SATURATED = 64  # connections
PLACES = 40000  # of clients, if that many files may be open
BACKLOG = 16384  # of connections that the server has not accepted yet
SOURCES = 100  # addresses of clients: one that leaves keeps its port for a minute
GOODPUT, SATURATION, ALL_IN = "goodput", "saturated", "all in"
METRICS = {GOODPUT: ("1/s", "more"), "p50": ("us", "less"), "p99": ("us", "less")}

NGINX = conf.template(conf.nginx(
    "{folder}", [conf.server(*service_texts.NGINX_TLS, "location / { " + conf.ANSWER + " }")], connections=20000))


def roomy(kind: web.Kind) -> web.Kind:
    """With places and a backlog that are not the limit, where a configuration can say so."""
    text = kind.conf.replace("4096", str(BACKLOG)).replace("maxconn 4000", "maxconn 9500")
    return dataclasses.replace(kind, conf=text + "maxclients 20000\n" * (kind.name == "redis"))


def of(kinds: tuple[web.Kind, ...], name: str) -> web.Kind:
    return next(kind for kind in kinds if kind.name == name)


SERVERS = {kind.name: roomy(kind) for kind in (
    web.Kind("nginx", "nginx", "nginx", NGINX, lambda path: ["-c", str(path)]),
    of(web.KINDS, "haproxy"), of(services.KINDS, "mosquitto"), of(web.KINDS, "redis"))}
QUICK_SERVERS = ("nginx", "haproxy")


class Storm(frame.Experiment):
    name = "storm"
    title = "Clients served in time when too many come at once"
    about = ("After a restart or an outage all clients come back at once: here several times as many each second as "
             "the stock server can serve, at random moments, without end. A client that was not served when its "
             "patience is over closes its end and is lost: after 1 s (`fixed`), 3 s (`long`) or 1 to 3 s (`spread`). "
             "`goodput` is how many each second complete a TLS handshake in time, `p50` and `p99` are their latencies. "
             "`saturated` is what the server can serve when clients wait their turn, and 100 % in the picture is "
             "Octuple's. `controller` is Octuple with `OCTUPLE_HELLOS=refuse`. `4x` is four times what stock can "
             "serve. In `users`, 1500 clients come at once, leave after their patience, and come again 0.5 to 1.5 s "
             "later until all are in. Each server has one CPU, each side a fresh server, and the backlog is raised to "
             f"{BACKLOG} where the configuration allows it.")
    full, quick = frame.Size(1, 2.5), frame.Size(1, 5)
    within = 240, 1500

    def __init__(self) -> None:
        self.rates: dict[tuple[str, str], dict[str, list[float]]] = {}
        self.numbers = itertools.count()

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        loads = ("4x",) if quick else (*(f"{times:g}x" for times in LOADS), "users")
        found = [(load, patience) for load in loads for patience in ("spread", "fixed")]
        return [frame.Point({"server": server, "key": key, "load": load, "patience": patience},
                            len(SIDES) * size.rounds * seconds(load, patience, size))
                for server in (QUICK_SERVERS if quick else SERVERS) for key in KEYS
                for load, patience in (found if quick else [*found, ("4x", "long")])]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        make_keys(lab.folder / "keys", [handshake.key for handshake in KEYS.values()])
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # servers inherit it
        with veth.network_with_room(BACKLOG):
            yield lambda point: self.measure(lab, point.key)

    def measure(self, lab: frame.Lab, key: dict) -> dict:
        kind, name = SERVERS[key["server"]], key["key"]
        if not kind.path():
            raise frame.Unavailable(f"{kind.name} is not installed; Debian's package: {kind.package}")
        if (kind.name, name) not in self.rates:
            self.rates[kind.name, name] = self.saturated(lab, kind, name)
        rates = self.rates[kind.name, name]
        said: list[str] = []

        def one(side: str, number: int) -> dict[str, float]:
            with self.server(lab, kind, name, side) as server:
                self.saturate(lab, server, name)  # costs are learned
                if key["load"] == "users":
                    return users(lab, server, key, number, said)
                offered = float(key["load"].rstrip("x")) * statistics.median(rates["stock"])
                return storm(lab, server, key, number, offered, said)

        defined = {ALL_IN: ("s", "less")} if key["load"] == "users" else METRICS
        metrics = frame.in_turns(SIDES, lab.size.rounds, defined, one)
        for quantile in defined.keys() & {"p50", "p99"}:  # who serves nobody has no latency
            sides = metrics[quantile]["sides"]
            sides |= {side: [] for side, values in sides.items() if not all(values)}
        return {"metrics": metrics | {SATURATION: frame.metric("1/s", "more", rates)}, "notes": {"said": said}}

    def server(self, lab: frame.Lab, kind: web.Kind, key: str, side: str) -> web.Other:
        server = web.Other(kind, lab.folder / f"{kind.name}-{side}-{next(self.numbers)}", lab.folder / "keys",
                           KEYS[key].key, 0, None if side == versus.STOCK else lab.build, {lab.place.server})
        server.settings = SETTINGS.get(side, {})
        return server

    def saturate(self, lab: frame.Lab, server: web.Other, key: str) -> float:
        """Handshakes a second when clients wait their turn."""
        report = load.run(lab.build.load, server.port, lab.place.client, KEYS[key], connections=SATURATED, seconds=1)
        if report["failed_total"] or not report["completed"]:
            raise ServerError(f"{server.kind.name}: {report['first_failure'] or 'no handshake was completed'}; "
                              f"{server.said()}")
        return report["handshakes_per_s"]

    def saturated(self, lab: frame.Lab, kind: web.Kind, key: str) -> dict[str, list[float]]:
        with self.server(lab, kind, key, "stock") as stock, self.server(lab, kind, key, "octuple") as octuple:
            both = {"stock": stock, "octuple": octuple}
            for server in both.values():
                self.saturate(lab, server, key)
            found = frame.in_turns(versus.VARIANTS, 3, {SATURATION: ("1/s", "more")},
                                   lambda side, _number: {SATURATION: self.saturate(lab, both[side], key)})
        return found[SATURATION]["sides"]

    def results(self, records: list[dict]) -> list[dict]:
        return [result_of(record, side) for record in records if SATURATION in record["metrics"]
                for side in SIDES[1:]]

    def sentence(self, points: list[dict]) -> str:
        found = {side: [100 * share for point in points if point["key"]["load"] == "4x"
                        for share in [share_of(point, side)] if share is not None] for side in SIDES}
        if not all(found.values()):
            return super().sentence(points)
        stock, octuple, controller = (f"{statistics.median(found[side]):.0f} %" for side in SIDES)
        return (f"When four times as many clients come as stock can serve, stock serves {stock} of what Octuple can "
                f"serve at most, Octuple {octuple}, and Octuple with the controller {controller} (medians).")

    def pictures(self, records: list[dict]) -> dict:
        from bench.report import pictures, summary

        points = [point for point in summary.of_records(records) if GOODPUT in point["metrics"]]
        if not points:
            return super().pictures(records)
        shares = {" ".join((point["key"]["server"], point["key"]["load"], point["key"]["patience"])):
                  {side: 100 * share_of(point, side) for side in SIDES} for point in points}
        found = {"shares": pictures.bars(shares, "Clients served in time, % of what Octuple serves saturated")}
        if len({point["key"]["load"] for point in points}) > 1:
            only = [record | {"metrics": {GOODPUT: record["metrics"][GOODPUT]}} for record in records
                    if GOODPUT in record["metrics"]]
            found["loads"] = pictures.lines(only, "load", "times what stock can serve", False)
        return found


def warm_up(load: str, patience: str) -> float:
    """Behind it a queue has the length that it keeps."""
    return WARM_UP[patience] if float(load.rstrip("x")) > 1 else CALM


def seconds(load: str, patience: str, size: frame.Size) -> float:
    """About what one side takes, with its start and what is under way at the end."""
    return 8 if load == "users" else warm_up(load, patience) + size.seconds + 3.5


def places() -> int:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return PLACES if most == resource.RLIM_INFINITY else min(PLACES, most - 50)


def storm(lab: frame.Lab, server: web.Other, key: dict, number: int, offered: float, said: list[str]) -> dict:
    warm = warm_up(key["load"], key["patience"])
    report = load.run(lab.build.load, server.port, lab.place.client, KEYS[key["key"]], connections=places(),
                      seconds=warm + lab.size.seconds, rate=offered, seed=number + 1,
                      more=("--warm-up", str(warm), "--patience", PATIENCE[key["patience"]],
                            "--sources", str(SOURCES)))
    if report["overdue"]:
        said.append(f"{server.kind.name} {key['load']}: {report['overdue']} clients found no place in the load "
                    "generator, and fewer came than were to.")
    return {GOODPUT: report["goodput_per_s"], "p50": report["latency_us"]["p50"], "p99": report["latency_us"]["p99"]}


def users(lab: frame.Lab, server: web.Other, key: dict, number: int, said: list[str]) -> dict:
    report = load.run(lab.build.load, server.port, lab.place.client, KEYS[key["key"]], connections=USERS,
                      seconds=ALL_IN_WITHIN, seed=number + 1,
                      more=("--handshakes", str(USERS), "--patience", PATIENCE[key["patience"]], "--retry", RETRY,
                            "--sources", str(SOURCES)))
    if report["completed"] < USERS:
        said.append(f"{server.kind.name} users {key['patience']}, {server.folder.name}: {report['completed']} of "
                    f"{USERS} were in after {ALL_IN_WITHIN} s.")
    return {ALL_IN: report["seconds"]}


def share_of(point: dict, side: str) -> float | None:
    """Goodput over what Octuple serves saturated, of a point of a summary."""
    goodput, saturated = (point["metrics"].get(name, {}).get("median", {}) for name in (GOODPUT, SATURATION))
    return goodput[side] / saturated["octuple"] if side in goodput and "octuple" in saturated else None


def result_of(record: dict, side: str) -> dict:
    """One of results.json. The ratio of `users` is the time that Octuple saturated would take over the real one."""
    from bench.report import summary

    saturated = statistics.median(record["metrics"][SATURATION]["sides"]["octuple"])
    name = ALL_IN if ALL_IN in record["metrics"] else GOODPUT
    metric = record["metrics"][name]
    values = metric["sides"][side]
    ratios = [USERS / saturated / value if name == ALL_IN else value / saturated for value in values]
    return {"name": " ".join([*record["key"].values(), *([side] if side != "octuple" else [])]),
            "stock": versus.rounded(statistics.median(metric["sides"]["stock"])),
            "octuple": versus.rounded(statistics.median(values)), "saturated": versus.rounded(saturated),
            "ratio": round(statistics.median(ratios), 3), "spread": summary.quartiles(ratios),
            "unit": metric["unit"], "better": metric["better"]}
