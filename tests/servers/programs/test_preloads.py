# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Other preloaded libraries before and behind the shim: the program starts, serves and ends as with them alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
LIBRARIES = ["libjemalloc.so.2", "libmimalloc.so.2.0", "libtcmalloc_minimal.so.4", "libeatmydata.so",
             "torsocks/libtorsocks.so", "faketime/libfaketime.so.1", "faketime/libfaketimeMT.so.1",
             "libnss_wrapper.so", "libkeepalive.so", "libprofiler.so.0", "heaptrack/libheaptrack_preload.so",
             "libasan.so.8"]


def find(name: str) -> Path:
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib", "/usr/local/lib", "/usr/lib/gcc/x86_64-linux-gnu/12"):
        path = Path(folder, name)
        if path.exists():
            return path
    pytest.skip(f"{name} is not installed")


def serve(command: list[str], keys, build, place, preload: list[Path]) -> crowd.Verdict:
    env = {"ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0", "TORSOCKS_ALLOW_INBOUND": "1",
           "OCTUPLE_COMBINE": "off", "FAKETIME": "+0", "DUMP_HEAPTRACK_OUTPUT": str(place / "heaptrack"),
           "CPUPROFILE": str(place / "profile"), "CPUPROFILE_REALTIME": "1", "CPUPROFILE_FREQUENCY": "1000"}
    name, *words = command
    path = crowd.program(name, build or rig.build_from_environment(), "cc")
    server = crowd.Program([path, *words], keys, build, place, **env)
    shim = server.env.get("LD_PRELOAD")
    server.env["LD_PRELOAD"] = ":".join(str(path) if path else shim for path in preload if path or shim)
    with server:
        for version in ("1.2", "1.3"):
            server.receive([crowd.Guest("plain", rig.client_context(version)) for _ in range(crowd.SIZE)])
        return server.verdict()


@each("program", ["linked", "reached"])
@each("library", LIBRARIES)
def test_served(build, keys, place, library, program):
    other = find(library)
    stock = serve([program, "shared"], keys, None, place, [other])
    if stock.guests != {"plain": {"good": 2 * crowd.SIZE}} or stock.status != 0:
        pytest.skip(f"without Octuple it does not serve with {library}: {stock}")
    for preload in ([other, None], [None, other]):
        crowd.compare(serve([program, "shared"], keys, build, place, preload), stock)
        count = rig.read_counters(place / "counters")["rsa2048-private"]
        # A sanitizer keeps account of the stack, and so nothing pauses there.
        assert (count.submitted > 0) == ("asan" not in library), f"{count} with {preload}"
