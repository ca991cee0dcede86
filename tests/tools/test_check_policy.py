# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import pytest
from tests.tools.conftest import run_tool

CONSTANT = "/* How long a job waits.\n * Unit: ns.\n * Why: others\n * may come.\n * Measured: {} */\n#define {} {}\n"
PAGE = "# Page\n\nBefore.\n\n{}\n\n{}\n\nAfter.\n"
BEGIN, END = "<!-- policy: made by tools/check-policy --write -->", "<!-- end of policy -->"


def check(house, *arguments):
    return run_tool("check-policy", "--root", house.path, *arguments)


@pytest.fixture
def house(tree):
    tree.write("src/base/policy.h", CONSTANT.format("by judgement.", "OCT_POLICY_ONE", 1))
    tree.write("shim/a.c", "int a = OCT_POLICY_ONE;\n")
    tree.page = tree.write("docs/scheduling.md", PAGE.format(BEGIN, END), header=False)
    assert check(tree, "--write").status == 0
    return tree


def test_clean(house):
    assert check(house).status == 0
    text = house.page.read_text(encoding="utf-8")
    assert "| `OCT_POLICY_ONE` | 1 | ns | How long a job waits | Others may come | By judgement |" in text
    assert text.startswith("# Page\n\nBefore.\n") and text.endswith("\nAfter.\n")


@pytest.mark.parametrize("measured,value", [("on a server.", 1), ("by judgement.", 2)])
def test_table_of_other_values(house, measured, value):
    house.write("src/base/policy.h", CONSTANT.format(measured, "OCT_POLICY_ONE", value))
    assert check(house).finds("docs/scheduling.md", "not that of src/base/policy.h")
    assert check(house, "--write").status == 0
    assert check(house).status == 0


def test_table_by_hand(house):
    house.page.write_text(house.page.read_text(encoding="utf-8").replace("| 1 |", "| 3 |"), encoding="utf-8")
    assert check(house).finds("docs/scheduling.md", "not that of")


def test_no_place_for_the_table(house):
    house.page.write_text("# Page\n", encoding="utf-8")
    assert check(house).finds("no place for the table")


def test_unused(house):
    house.write("shim/a.c", "/* OCT_POLICY_ONE */ int a = OCT_POLICY_ONES;\n")
    assert check(house).finds("no source file uses OCT_POLICY_ONE")


@pytest.mark.parametrize("field", ["Unit:", "Why:", "Measured:"])
def test_missing_field(house, field):
    text = CONSTANT.format("by judgement.", "OCT_POLICY_ONE", 1)
    house.write("src/base/policy.h", text + text.replace("ONE", "TWO").replace(field, ""))
    assert check(house).finds("OCT_POLICY_TWO needs a comment")


def test_missing_comment(house):
    house.write("src/base/policy.h",
                CONSTANT.format("by judgement.", "OCT_POLICY_ONE", 1) + "#define OCT_POLICY_TWO 2\n")
    assert check(house).finds("OCT_POLICY_TWO needs a comment")


def test_nothing(house):
    house.write("src/base/policy.h", "\n")
    assert check(house).finds("nothing to look at")
