# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Octuple beside other libraries: crypto_mb, ipsec-mb, AWS-LC, two releases of OpenSSL, and Debian's qatengine.

A point is a peer, and its metrics are the operations that both have: the programs know them, and nobody keeps a list
of them here. Programs of bench/beside have crypto_mb, ipsec-mb and AWS-LC, `octuple speed` OpenSSL, and `openssl
speed` the engine.
"""

from __future__ import annotations

import json
import re
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from bench.measure import versus
from bench.report import chart, summary
from lab import aws_lc, debian
from lab.servers.nginx import ServerError
from .. import frame
from . import records

BESIDE = Path(__file__).parents[2] / "beside"
CPUINFO = Path("/proc/cpuinfo")
# What measures each, in the order of the tables.
PEERS = {"crypto_mb": "beside", "ipsec-mb": "beside", "aws-lc": "aws_lc", "openssl-3.0": "openssl",
         "openssl-3.5": "openssl", "qatengine": "engine"}
SPEED_DONE = (0, 3)  # 3: some operation is off here, and has no rate of ours
GIGA = 1e9
# About how many operations a peer has, to tell how long it takes.
CRYPTO_MB, IPSEC_MB, AWS_LC, SPEED = 27, 38, 24, 76
# What `openssl speed` calls it, and the verbs of its first results; those of AEADs are sizes.
ENGINE = {"rsa2048": ("private", "public"), "ecdsap256": ("sign", "verify"), "ecdhx25519": ("derive",),
          "rsa3072": ("private", "public"), "rsa4096": ("private", "public"), "ecdsap384": ("sign", "verify"),
          "ecdhp256": ("derive",), "ecdhp384": ("derive",)}
ENGINE_AEADS = ("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305")
ENGINE_SIZES = (64, 1440, 16384)
ENGINE_JOBS = 64
RECORD_SIZES = (64, 256, 1440, 16384)
RECORD_SECONDS, TURNS_PER_SECOND = 0.2, 2000  # of a size of a cipher in a round; of octuple-evp, some 100 us each
QUICK_ENGINE = 3  # the first so many algorithms, and one AEAD
RESULT = re.compile(r"^\+R\d*:(\d+):[^:]*:([\d.]+)$")
NO_ENGINE = "this CPU is not Intel's: the engine's software asks for one, and leaves everything to OpenSSL here"


def of_beside(text: str) -> dict:
    """What a program of bench/beside says: its library, metrics of all pairs of turns, and reasons for no metric."""
    library, *rows = (json.loads(line) for line in text.splitlines())
    metrics, reasons = {}, {}
    for row in rows:
        if "reason" in row:
            reasons[row["name"]] = row["reason"]
            continue
        is_bytes = row["unit"] == "B/s"
        sides = {side: [pair[place] / (GIGA if is_bytes else 1) for pair in row["pairs"]]
                 for place, side in ((1, frame.STOCK), (0, "octuple"))}
        metrics[row["name"]] = frame.metric("GB/s" if is_bytes else "op/s", "more", sides)
    return {"metrics": metrics, "notes": {"library": library["library"], "reasons": reasons,
                                          "said": [library["note"]] if library["note"] else []}}


def of_speed(texts: list[str]) -> dict:
    """Metrics of some rounds of `octuple speed --json`; operations that OpenSSL does not have are left out."""
    metrics: dict = {}
    for row in (json.loads(line) for text in texts for line in text.splitlines()):
        if row["ratio"] is None:
            continue
        sides = metrics.setdefault(row["op"], (row["unit"], {frame.STOCK: [], "octuple": []}))[1]
        sides[frame.STOCK].append(row["openssl_per_s"])
        sides["octuple"].append(row["octuple_per_s"])
    return {name: frame.metric(unit, "more", sides) for name, (unit, sides) in metrics.items()}


def engine_rates(text: str, wanted: int) -> list[float]:
    """Operations per second of the first results of `openssl speed -mr`."""
    found = [match for match in map(RESULT.match, text.splitlines()) if match][:wanted]
    if len(found) < wanted:
        raise ServerError(f"openssl speed gave {len(found)} results of {wanted}: {text.strip()[-300:]}")
    return [int(match[1]) / float(match[2]) for match in found]


def engine_commands(size: frame.Size) -> Iterator[tuple[list[str], list[str], int]]:
    """Names of its results, arguments of openssl, and the bytes that each result counts (0: operations)."""
    quick = size.rounds < Peers.full.rounds
    some = list(ENGINE.items())[:QUICK_ENGINE if quick else None]
    for algorithm, verbs in some:
        yield [f"{algorithm}-{verb}" for verb in verbs], ["-async_jobs", str(ENGINE_JOBS), algorithm], 0
    for algorithm in ENGINE_AEADS[:1] if quick else ENGINE_AEADS:
        for count in ENGINE_SIZES[-1:] if quick else ENGINE_SIZES:
            yield [f"{algorithm}-{count}"], ["-bytes", str(count), "-aead", "-evp", algorithm], count


class Peers(frame.Experiment):
    name = "peers"
    title = "Beside other libraries"
    about = ("Octuple beside other libraries, on one CPU: Intel's crypto_mb and ipsec-mb, and AWS-LC, each in one "
             "process with Octuple, by turns of five milliseconds; OpenSSL's own code by `octuple speed`, and "
             "records through EVP on both sides (`evp-`) by `octuple-evp`; Debian's qatengine by `openssl speed "
             "-engine qatengine` beside `octuple run -- openssl speed`. `bench/peers` installs them, on Debian 12 "
             "in a Debian 13 in a folder. `stock` is the peer. Octuple checks and clears as it always does: "
             "crypto_mb hands out RSA results unchecked, and `-checked` puts its public operation behind them. "
             "Nonces of its ECDSA signatures are given; Octuple makes its own. Comparing tags, nonces of packets "
             "and applying masks is the caller's work with ipsec-mb, and is counted there. Every result is "
             "compared before anything is timed. OpenSSL and AWS-LC have one operation at a time, the others "
             "eight; AEADs seal and open one record, with 13 bytes of additional data; QUIC bursts have 32 "
             "packets.")
    full, quick = frame.Size(3, 0.35), frame.Size(2, 0.075)
    pivots = ("peer",)
    every_metric = True

    def __init__(self, operation: str = "", peers: tuple[str, ...] = ()):
        """Of the operations only those that have this in their name, and these peers only."""
        self.operation, self.peers = operation, peers

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        turns, setting_up = size.rounds * size.seconds + 0.05, 5
        seconds = {"crypto_mb": CRYPTO_MB * turns + setting_up, "ipsec-mb": IPSEC_MB * turns,
                   "aws-lc": AWS_LC * turns,
                   "openssl": size.rounds * (SPEED * (size.seconds + 0.03) + setting_up / 2 + RECORD_SECONDS
                                             * len(records.CIPHERS) * len(RECORD_SIZES)),
                   "qatengine": 2 * self.engine_rounds(size) * sum(len(names) for names, *_ in engine_commands(size))}
        return [frame.Point({"peer": peer}, seconds[peer.partition("-3.")[0]]) for peer in PEERS
                if not self.peers or peer in self.peers]

    @staticmethod
    def engine_rounds(size: frame.Size) -> int:
        return max(1, size.rounds - 1)

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        def one(point: frame.Point) -> dict:
            found = getattr(self, PEERS[point.key["peer"]])(lab, point.key["peer"])
            if not found["metrics"] and not found["notes"].get("reasons"):
                raise frame.Unavailable(f"nothing there has '{self.operation}' in its name")
            return found

        yield one

    def prefix(self, lab: frame.Lab) -> list[str]:
        """What enters the system that has the peers."""
        place = debian.place()
        if place.why_not():
            raise frame.Unavailable(f"{place.why_not()}; `bench/peers` installs it")
        return place.prefix(lab.build.folder)

    def beside(self, lab: frame.Lab, peer: str) -> dict:
        return self.in_one_process(lab, peer, self.prefix(lab))

    def aws_lc(self, lab: frame.Lab, peer: str) -> dict:
        if aws_lc.why_not():
            raise frame.Unavailable(f"{aws_lc.why_not()}; `bench/peers` installs it")
        return self.in_one_process(lab, peer, [], *map(str, aws_lc.files()))

    def in_one_process(self, lab: frame.Lab, peer: str, prefix: list[str], *files: str) -> dict:
        name = peer.replace("-", "_")
        program = lab.build.folder / f"beside/{name}"
        program.parent.mkdir(exist_ok=True)
        frame.output_of([*prefix, str(BESIDE / "build"), name, str(lab.build.folder / "lib"), str(program), *files])
        seconds = lab.size.rounds * lab.size.seconds
        return of_beside(frame.output_of([*prefix, str(program), "--seconds", f"{seconds:g}",
                                          "--only", self.operation], {lab.place.server}))

    def openssl(self, lab: frame.Lab, peer: str) -> dict:
        """Where it is: here, or where the other peers are."""
        wanted = f"OpenSSL {peer.removeprefix('openssl-')}"
        for find in (list, lambda: self.prefix(lab)):
            prefix = find()
            version = frame.output_of([*prefix, "openssl", "version"]).strip()
            if version.startswith(f"{wanted}."):
                break
        else:
            raise frame.Unavailable(f"neither here nor where the peers are is {wanted}")
        texts, names = [], self.speed_names(lab, prefix)
        for _ in range(lab.size.rounds if names is None or names else 0):
            texts.append(self.speed(lab, prefix, names or []))
            names = list(of_speed(texts[:1]))
        metrics, reasons = self.records(lab, prefix)
        return {"metrics": of_speed(texts) | metrics, "notes": {"library": version.split(" (")[0], "reasons": reasons}}

    def records(self, lab: frame.Lab, prefix: list[str]) -> tuple[dict, dict]:
        """Records through EVP, where OpenSSL's machinery is on both sides."""
        metrics, reasons = {}, {}
        for cipher, size in ((cipher, size) for cipher in records.CIPHERS for size in RECORD_SIZES):
            names = {verb: f"evp-{cipher.lower().replace('-', '')}-{verb}-{size}" for verb in ("seal", "open")}
            if not any(self.operation in name for name in names.values()):
                continue
            command = [*prefix, str(lab.build.evp), "--json", "--algorithm", cipher, "--shape", "records", "--len",
                       str(size), "--turns", str(int(TURNS_PER_SECOND * lab.size.seconds)),
                       str(lab.build.provider.parent)]
            try:
                runs = [records.parse(frame.output_of(command, {lab.place.server})) for _ in range(lab.size.rounds)]
            except frame.Unavailable as reason:
                reasons[f"evp-{cipher}-{size}"] = str(reason)
                continue
            metrics |= {name: frame.metric("GB/s", "more", {side: [size / run[verb][side] for run in runs]
                                                            for side in versus.VARIANTS})
                        for verb, name in names.items()}
        return metrics, reasons

    def speed_names(self, lab: frame.Lab, prefix: list[str]) -> list[str] | None:
        """The operations to measure; none for all of them."""
        if not self.operation:
            return None
        done = frame.output_of([*prefix, str(lab.build.octuple), "speed", "--help"])
        return [name for name in re.findall(r"^  ([a-z0-9]+(?:-[a-z0-9]+)+)$", done, re.M) if self.operation in name]

    @staticmethod
    def speed(lab: frame.Lab, prefix: list[str], names: list[str]) -> str:
        command = [*prefix, str(lab.build.octuple), "speed", "--json", "--seconds", f"{lab.size.seconds:g}", *names]
        return frame.output_of(command, {lab.place.server}, SPEED_DONE)

    def engine(self, lab: frame.Lab, _peer: str) -> dict:
        prefix = self.prefix(lab)
        commands = [(names, command, size) for names, command, size in engine_commands(lab.size)
                    if any(self.operation in name for name in names)]
        if "GenuineIntel" not in CPUINFO.read_text():
            return {"metrics": {}, "notes": {"reasons": {"all": NO_ENGINE}, "library": "qatengine"}}
        metrics: dict = {}
        for names, command, size in commands:
            defined = {name: ("GB/s" if size else "op/s", "more") for name in names}

            def one(side: str, _number: int) -> dict[str, float]:
                rates = self.engine_run(lab, prefix, side, command, len(names))
                return dict(zip(names, (rate * size / GIGA if size else rate for rate in rates)))

            metrics |= frame.in_turns(versus.VARIANTS, self.engine_rounds(lab.size), defined, one)
        version = frame.output_of([*prefix, "openssl", "engine", "qatengine"]).strip()
        return {"metrics": metrics, "notes": {"library": version}}

    @staticmethod
    def engine_run(lab: frame.Lab, prefix: list[str], side: str, command: list[str], wanted: int) -> list[float]:
        """Ends the command when it has given what is wanted: for RSA it goes on with eight others. Octuple's ciphers
        are on, as they would step aside where OpenSSL has such code too."""
        speed = ["openssl", "speed", "-mr", "-elapsed", "-seconds", "1"]
        ours = ["env", "OCTUPLE_CIPHERS=on", str(lab.build.octuple), "run", "--", *speed, *command]
        full = [*prefix, *(ours if side == "octuple" else [*speed, "-engine", "qatengine", *command])]
        text = ""
        with frame.started(full, {lab.place.server}) as process:
            while text.count("\n+R") < wanted and (line := process.stdout.readline()):
                text += "\n" + line.strip()
            process.terminate()
        return engine_rates(text, wanted)

    def results(self, records: list[dict]) -> list[dict]:
        """Rates in operations and bytes per second; the peer's is `stock` for OpenSSL and `peer` for the others."""
        found = []
        for record in records:
            peer = record["key"]["peer"]
            theirs = "stock" if peer.startswith("openssl") else "peer"
            for name, metric in record["metrics"].items():
                of, scale = summary.of_metric(metric), GIGA if metric["unit"] == "GB/s" else 1
                found.append({"name": name, "against": peer, theirs: of["median"][frame.STOCK] * scale,
                              "octuple": of["median"]["octuple"] * scale, "ratio": of["ratio"]["octuple"],
                              "spread": of["quartiles"]["octuple"], "unit": "B/s" if scale == GIGA else "op/s",
                              "library": record["notes"]["library"]})
        return found

    def pictures(self, records: list[dict]) -> dict:
        from bench.report import pictures

        return {f"{name}-{record['key']['peer']}": figure for record in records
                for name, figure in pictures.ratios([record]).items()}

    def chart(self, points: list[dict]) -> str:
        return chart.svg(points, "peer", "How many times faster Octuple is")
