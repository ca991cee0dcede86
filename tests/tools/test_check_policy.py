# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import pytest
from tests.tools.conftest import run_tool

CONSTANT = "/* How long a job waits.\n * Unit: ns.\n * Why: others\n * may come.\n * Measured: {} */\n#define {} {}\n"


def check(house, *arguments):
    return run_tool("check-policy", "--root", house.path, *arguments)


@pytest.fixture
def house(tree):
    tree.write("src/base/policy.h", CONSTANT.format("by judgement.", "OCT_POLICY_ONE", 1))
    tree.write("shim/a.c", "int a = OCT_POLICY_ONE;\n")
    return tree


def test_clean(house):
    assert check(house).status == 0


def test_table(house):
    assert "| `OCT_POLICY_ONE` | 1 | ns | How long a job waits | Others may come | By judgement |\n" in check(
        house, "--table").out


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
