# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The table in docs/pauses.md of where a handshake may pause is that of the shim."""
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


def test_the_points_are_those_of_the_shim():
    assert len(points()) == 4 and documented() == points()
