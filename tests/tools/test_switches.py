# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The table of switches in docs/operations.md is what the families of the provider say of themselves."""
import re

from tests.tools.conftest import ROOT

ROW = re.compile(r"^\| `([a-z0-9-]+)` \| (.+) \|$", re.MULTILINE)
SWITCH = re.compile(r'^    \{"([a-z0-9-]+)",\s*"([^"]+)"\},$', re.MULTILINE)


def test_the_table_is_what_families_say():
    said = dict(row for path in sorted(ROOT.glob("provider/*/*.c")) for row in SWITCH.findall(path.read_text()))
    section = (ROOT / "docs/operations.md").read_text(encoding="utf-8").split("| switch | what it switches |")[1]
    table = dict(ROW.findall(section.split("\n\n")[0]))
    assert table.pop("combining")
    assert len(said) > 10 and table == said
