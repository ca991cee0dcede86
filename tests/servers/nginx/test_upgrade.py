# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Octuple is upgraded under an nginx that serves: the files of an older version are replaced one by one, as dpkg does
it, and nginx is reloaded and then started anew (USR2). No client loses a handshake at any moment.

The older version is this build with another text for its version in each of the three libraries, which is all that they
know each other by.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.common import rig
from tests.servers.nginx import test_lifecycle as lifecycle

HANDSHAKES = 50_000
PARTS = ("liboctuple.so.0", "octuple.so", "liboctuple-async.so")
# In which order dpkg may come to them; whatever is between two of them meets a program that starts.
ORDERS = (PARTS, PARTS[::-1])
SERVER = rig.Server("ecdsa-p256")


def make_older(path: Path) -> None:
    """Another version in the place of its own, which stands in each library as a text."""
    content = path.read_bytes()
    older = re.sub(rb"(?<=\x00)(\d+\.\d+\.)\d+(?=\x00)", lambda found: found[1] + b"x", content)
    assert older != content and len(older) == len(content)
    path.write_bytes(older)


class Installed(rig.Build):
    """A tree with the three libraries of an older version, and how its files are replaced by the build's."""

    @property
    def new(self) -> Path:
        return self.folder / "new"

    def put(self, name: str, older: bool) -> None:
        fresh = self.folder / f"lib/{name}.dpkg-new"
        shutil.copy(self.new / name, fresh)
        if older:
            make_older(fresh)
        fresh.replace(self.folder / "lib" / name)


@pytest.fixture
def installed(build: rig.Build, place: Path) -> Iterator[Installed]:
    tree = Installed(place / "tree")
    for folder in ("lib", "new"):
        (tree.folder / folder).mkdir(parents=True)
    for name in PARTS:
        shutil.copy(build.folder / "lib" / name, tree.new)
        tree.put(name, older=True)
    yield tree


class Load:
    """The load generator, all of whose handshakes have to complete."""

    def __init__(self, build: rig.Build, port: int, handshakes: int):
        self.handshakes = handshakes
        self.process = subprocess.Popen([build.load, "127.0.0.1", str(port), "--handshakes", str(handshakes),
                                         "--connections", "48", "--timeout", "60", "--json"],
                                        stdout=subprocess.PIPE, text=True)

    def runs(self) -> bool:
        return self.process.poll() is None

    def finish(self) -> None:
        said = json.loads(self.process.communicate()[0])
        assert (said["completed"], said["failed_total"]) == (self.handshakes, 0), said


def mapped(pid: int) -> set[str]:
    """Which of the parts a process has, and whether each is the file that stands there now."""
    lines = (rig.maps_of(pid) or "").splitlines()
    return {line.split(maxsplit=5)[5] for line in lines if any(line.split("/")[-1].startswith(part) for part in PARTS)}


def lanes(counts: dict[str, rig.Counts]) -> int:
    return counts["p256-sign"].done


def test_under_load(build, keys, installed):
    main = lifecycle.ENV_LINES
    with rig.Nginx(keys, installed, [SERVER], main=main, detached=True, workers=2) as nginx:
        load = Load(build, nginx.port, HANDSHAKES)

        def serves(what: str) -> None:
            before = lanes(nginx.counters())
            rig.wait_until(lambda: lanes(nginx.counters()) > before + 1000, f"{what} serves in lanes", 120)
            assert load.runs(), "all handshakes were over before the upgrade was"

        serves("the older version")
        for name in PARTS:
            installed.put(name, older=False)
            serves(f"nginx while {name} is replaced")
        nginx.reload()
        serves("nginx after its reload")
        assert all(path.endswith("(deleted)") for pid in nginx.worker_pids() for path in mapped(pid))
        new = lifecycle.upgrade(nginx)
        try:
            serves("the new nginx")
            parts = {path for child in new.children() for path in mapped(child.pid)}
            assert parts == {str(installed.folder / "lib" / name) for name in PARTS}
            load.finish()
        finally:
            lifecycle.end(new)
        assert "octuple:" not in nginx.log


@pytest.mark.parametrize("order", ORDERS, ids=("library-first", "shim-first"))
def test_started_in_between(build, keys, installed, order):
    """... of two packages: the parts do not fit, say so, and leave all to OpenSSL. Only with all of one version does it
    go on."""
    for count in range(len(order) + 1):
        for name in order[:count]:
            installed.put(name, older=False)
        with rig.Nginx(keys, installed, [SERVER]) as nginx:
            load = Load(build, nginx.port, 500)
            load.finish()
            said = (nginx.folder / "output").read_text()
            whole = count in (0, len(order))
            assert ("octuple: the " in said) == (not whole), said
            # A shim that does not fit loads no provider.
            fits = {name: (name in order[:count]) == (PARTS[0] in order[:count]) for name in PARTS[1:]}
            for name, who in (("octuple.so", "provider"), ("liboctuple-async.so", "shim")):
                tells = not fits[name] and (who == "shim" or fits["liboctuple-async.so"])
                assert (f"octuple: the {who} is of version" in said) == tells, said
            assert (lanes(nginx.counters()) > 0) == whole, nginx.counters()
