# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The tables in docs/pauses.md of where a handshake may pause, and of who asks, are those of the shim."""
import re

from tests.tools.conftest import ROOT

# What the document calls each kind of work of enum oct_slice_work.
WORDS = {"SIGN": ("signature",), "DECRYPT": ("decryption",), "EXCHANGE": ("key pair", "shared secret")}


def points():
    text = (ROOT / "shim/handshake/points.c").read_text(encoding="utf-8")
    return {state: set(re.findall(r"OCT_WORK_(\w+)", work))
            for state, work in re.findall(r'^\s*\{"(\w+)", ([A-Z_ |]+)\},', text, re.MULTILINE)}


def documented():
    text = (ROOT / "docs/pauses.md").read_text(encoding="utf-8")
    return {state: {kind for kind, words in WORDS.items() if any(word in work for word in words)}
            for state, work in re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", text, re.MULTILINE)}


def askers():
    """The files and functions of the table's last column; a function is in the file that is named behind it, if any."""
    text = (ROOT / "docs/pauses.md").read_text(encoding="utf-8")
    section = text.split("## Whether it may\n")[1].split("\n## ")[0]
    for cell in re.findall(r"^\| .+ \| ([^|]*`[^|]*) \|$", section, re.MULTILINE):
        yield from re.findall(r"`(\w+)\(\)`(?: (?:in|of) `([\w/.]+)`)?", cell)


def test_whoever_asks_is_where_it_is_said():
    everywhere = [path for folder in ("shim", "provider") for path in (ROOT / folder).rglob("*.[ch]")]
    for function, name in askers():
        files = [path for path in everywhere if not name or str(path).endswith("/" + name)]
        assert any(re.search(rf"^[^\s#].*\b{function}\([^;]*$", path.read_text(encoding="utf-8"), re.MULTILINE)
                   for path in files), (function, name)


def test_the_points_are_those_of_the_shim():
    assert len(points()) == 4 and documented() == points()
