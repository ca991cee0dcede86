# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx that sends files (`bulk`), and nginx that compresses besides, with a mixture of ciphers (`mixed`)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from bench.measure import bulk, versus
from lab.servers.nginx import make_keys
from . import frame

FILE, TEXT = 1 << 20, 1 << 16  # bytes


class Bulk(frame.Experiment):
    name = "bulk"
    title = "Files by TLS 1.3 from nginx"
    about = (f"nginx with one worker pinned to one CPU sends a file of {FILE >> 20} MB over and over on open "
             "connections, as it is and by `octuple run`, in turns; the client, on another CPU, compares every answer "
             "with the file. CPU is the worker's; reading the file and the socket's share are in it, and stay.")
    full, quick = frame.Size(12, 0.5), frame.Size(4, 0.4)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"cipher": suite}, 2 * size.rounds * (size.seconds + 0.4)) for suite in bulk.SUITES]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        make_keys(lab.folder / "keys", [bulk.KEY])
        with bulk.file_servers(lab.folder, lab.build, lab.place, FILE) as (servers, wanted):
            def one(point: frame.Point) -> dict:
                def run(side: str, _number: int) -> dict[str, float]:
                    sample = bulk.file_sample(servers[side], point.key["cipher"],
                                              wanted, lab.place.client, lab.size.seconds)
                    return {"CPU of a gigabyte": sample["server_seconds"] * 1e12 / sample["bytes"],
                            "throughput": sample["bytes"] / 1e6 / sample["seconds"]}

                defined = {"CPU of a gigabyte": ("ms", "less"), "throughput": ("MB/s", "more")}
                return {"metrics": frame.in_turns(versus.VARIANTS, lab.size.rounds, defined, run)}

            yield one


class Mixed(frame.Experiment):
    name = "mixed"
    title = "Compression with a mixture of ciphers, by width of vectors"
    about = (f"nginx compresses {TEXT >> 10} KB of text with brotli for every answer; a part of {bulk.CONNECTIONS} "
             "connections has ChaCha20-Poly1305, the others AES-128-GCM. Stock, and Octuple with OCTUPLE_WIDTH 512, "
             "256 and 128, in turns. Where a CPU lowers its clock for wide vectors, compressing, nine tenths of the "
             "work, gets slower with them: then a ratio is below 1.")
    full, quick = frame.Size(8, 0.7), frame.Size(3, 0.5)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"ChaCha20, %": share}, len(bulk.WIDTHS) * size.rounds * (size.seconds + 0.4))
                for share in bulk.SHARES]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        make_keys(lab.folder / "keys", [bulk.KEY])
        with bulk.mixed_servers(lab.folder, lab.build, lab.place, TEXT) as (servers, wanted):
            def one(point: frame.Point) -> dict:
                def run(side: str, _number: int) -> dict[str, float]:
                    sample = bulk.mixed_sample(servers[side], point.key["ChaCha20, %"],
                                               wanted, lab.place.client, lab.size.seconds)
                    return {"CPU of a request": sample["server_seconds"] * 1e6 / sample["completed"],
                            "requests": sample["completed"] / sample["seconds"]}

                defined = {"CPU of a request": ("us", "less"), "requests": ("1/s", "more")}
                return {"metrics": frame.in_turns(bulk.WIDTHS, lab.size.rounds, defined, run)}

            yield one
