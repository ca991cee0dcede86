# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The table of switches in docs/operations.md is the list that the provider reads."""
import re

from tests.tools.conftest import ROOT

ROW = re.compile(r"^\| `([a-z0-9-]+)` \| (.+) \|$", re.MULTILINE)
SWITCH = re.compile(r'^OCT_PROV_SWITCH\(\w+, "([a-z0-9-]+)", \w+,\s*((?:"[^"]+"\s*)+)\)$', re.MULTILINE)


def test_the_table_is_the_list():
    rows = SWITCH.findall((ROOT / "provider/core/switches.def").read_text(encoding="utf-8"))
    said = [(name, re.sub(r'"\s*"|^"|"$', "", what)) for name, what in rows]
    section = (ROOT / "docs/operations.md").read_text(encoding="utf-8").split("| switch | what it switches |")[1]
    assert len(said) > 10 and ROW.findall(section.split("\n\n")[0]) == said
