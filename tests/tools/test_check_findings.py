# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import re
import shutil

import pytest
from tests.tools.conftest import ROOT, run_tool

PAGE, LIST = "docs/troubleshooting.md", "cli/doctor/findings.def"


@pytest.fixture
def doctor(tree):
    """A copy of doctor's code, its lists and the page."""
    for name in (PAGE, "cli/core/stays.def", "cli/doctor"):
        target = tree.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, target)
    return tree.path


def edit(root, name, old, new):
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new, 1), encoding="utf-8")


def check(root, *options):
    return run_tool("check-findings", "--root", root, *options)


def test_as_it_is(doctor):
    assert check(doctor).status == 0


def test_each_row_is_read():
    """One that the tool does not understand would be missing from the page, and nobody would see it."""
    rows = sum(len(re.findall(r"^(?:DOCTOR_\w+|STAY)\(", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE))
               for name in (LIST, "cli/core/stays.def"))
    assert f"check-findings: {rows} findings" in check(ROOT).out


@pytest.mark.parametrize("name,old,new", [
    (PAGE, "restart it", "start it anew"), (LIST, '"restart it"', '"start it anew"'),
    (LIST, "OpenSSL does everything itself", "OpenSSL does all"), (LIST, '"upgrade OpenSSL"', "NULL"),
    ("cli/core/stays.def", "their sockets block", "sockets block"),
    ("cli/doctor/conf.h", "?octuple.serves=yes", "?no")])
def test_planted_difference(doctor, name, old, new):
    edit(doctor, name, old, new)
    assert check(doctor).finds(PAGE, "--write makes it anew")
    assert check(doctor, "--write").status == 0 and check(doctor).status == 0


@pytest.mark.parametrize("call,what", [
    ('doctor_add(report, DOCTOR_PROBLEM, NAME, NULL, "%s", "wrong")', "a problem"),
    ('doctor_add(report, DOCTOR_PROBLEM, NAME, "mend it", "wrong")', "a problem"),
    ('doctor_add(report, DOCTOR_NOTE, "quic",\n        "mend it", "wrong")', "advice")])
def test_planted_words_past_the_list(doctor, call, what):
    edit(doctor, "cli/doctor/quic.c", "switch (quic->state) {", f"{call};\n    switch (quic->state) {{")
    assert check(doctor).finds("cli/doctor/quic.c", f"{what} past {LIST}")


def test_what_is_filled_in(doctor):
    text = (doctor / PAGE).read_text(encoding="utf-8")
    assert "%" not in text and "PRI" not in text and "doctor_" not in text.replace("octuple-doctor", "")
    assert "| `cpu` | **...=off in its environment switches Octuple off** | take the variable" in text
    assert "(default_properties = ...)" in text and "default_properties = ?octuple.serves=yes |" in text
    assert "[docs/keys.md](keys.md)" in text
