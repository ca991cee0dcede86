# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Operations beside each version of OpenSSL: this system's, those of later Debians, and OpenSSL 4."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from lab import ROOT, debian
from .. import frame
from . import peers
from .by_table import OPERATIONS, points_of

PACKAGES = "openssl libjansson4"


@dataclass(frozen=True)
class Version:
    """The Debian that runs it, or this system; and the suite whose OpenSSL is put beside our own build for it."""

    name: str
    release: str = ""
    suite: str = ""

    def prefix(self, build: Path) -> list[str]:
        """What stands before `octuple` of that build; a Debian that is missing is made."""
        if not self.release:
            return []
        debian.run([*debian.as_root(), str(debian.ENTER), "--install", PACKAGES, str(debian.cache()), self.release,
                    "true"])
        own = [self.library()] if self.suite else []
        return [*debian.enter(debian.cache(), self.release, build, *own), *(f"LD_LIBRARY_PATH={path}" for path in own)]

    def library(self) -> Path:
        return debian.cache() / self.suite / "lib"

    def build(self, lab: frame.Lab) -> Path:
        """The folder of a build for it: a library of another major version has another name."""
        if not self.suite:
            return lab.build.folder
        folder = ROOT / "build" / f"openssl-{self.suite}"
        if not self.library().exists():
            debian.run([str(ROOT / "packaging/container/fetch-openssl"), self.suite, str(self.library().parent)])
        # That library wants a later libc than this system's, which only the linker would miss here.
        loose = [f"-DCMAKE_{kind}_LINKER_FLAGS=-Wl,--allow-shlib-undefined" for kind in ("SHARED", "EXE")]
        for command in (["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                         "-DOCT_TESTS=OFF", f"-DOPENSSL_ROOT_DIR={self.library().parent}", *loose],
                        ["cmake", "--build", str(folder), "--target", "octuple_cli"]):
            debian.run(command)
        return folder


VERSIONS = (Version("this system's"), Version("Debian 13's", "trixie"), Version("Debian forky's", "forky"),
            Version("Debian experimental's", "forky", "experimental"))


class ByOpenssl(frame.Experiment):
    name = "openssl-versions"
    title = "Operations beside each version of OpenSSL"
    about = ("`octuple speed` with eight lanes full beside OpenSSL in one process, in turns, pinned to one CPU: on "
             "this system, in later Debians in folders, and with OpenSSL 4 there. `stock` is OpenSSL, where it has "
             "the operation.")
    full, quick = frame.Size(4, 0.8), frame.Size(1, 0.1)
    pivots = ("openssl",)
    every_metric = True

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return points_of("openssl", (version.name for version in VERSIONS), size)

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        yield lambda point: self.measure(lab, next(one for one in VERSIONS if one.name == point.key["openssl"]))

    @staticmethod
    def measure(lab: frame.Lab, version: Version) -> dict:
        if version.release and os.geteuid() != 0:
            raise frame.Unavailable("only root enters another Debian")
        try:
            build = version.build(lab)
            prefix = version.prefix(build)
        except debian.InstallError as error:
            raise frame.Unavailable(str(error)) from error
        octuple = str(build / "bin/octuple")
        found = json.loads(frame.output_of([*prefix, octuple, "info", "--json"]))["openssl"]["version"]
        command = [*prefix, octuple, "speed", "--json", "--seconds", f"{lab.size.seconds:g}", *OPERATIONS]
        texts = [frame.output_of(command, {lab.place.server}, peers.SPEED_DONE) for _ in range(lab.size.rounds)]
        return {"metrics": peers.of_speed(texts), "notes": {"library": found, "programs": {"openssl": found}}}
