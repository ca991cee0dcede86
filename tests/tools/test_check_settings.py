# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import pytest
from tests.tools.conftest import run_tool

LIST = """OCT_SETTING(TABLE, "auto, c, off", "auto",
            "which kernels serve; off "
            "is none",
            "library", "")
OCT_SETTING(KEYS, "a number, or more", "0", "how many", "shim", "keys.md")
OCT_SETTING_OPTION(KEYS, nice, "0 to 19", OCT_POLICY_KEYS_NICE, "how much")
"""
MARKS = "<!-- settings: made by tools/check-settings --write -->\n\n<!-- end of settings -->\n"
MANUAL = '.Bl\n.\\" settings: made by tools/check-settings --write\n\n.\\" end of settings\n.El\n'
READS = "int a = OCT_SETTING_TABLE, b = OCT_SETTING_KEYS;\n"


def check(house, *arguments):
    return run_tool("check-settings", "--root", house.path, *arguments)


@pytest.fixture
def house(tree):
    tree.write("src/base/settings.def", LIST)
    tree.write("src/base/policy.h", "#define OCT_POLICY_KEYS_NICE 8\n")
    tree.write("shim/a.c", READS)
    tree.page = tree.write("docs/operations.md", MARKS, header=False)
    tree.keys = tree.write("docs/keys.md", MARKS, header=False)
    tree.manual = tree.write("cli/man/octuple.1", MANUAL, header=False)
    assert check(tree, "--write").status == 0
    return tree


def test_clean(house):
    assert check(house).status == 0
    row = "| `OCTUPLE_TABLE` | `auto`, `c`, `off` | `auto` | which kernels serve; off is none | library |"
    assert row in house.page.read_text(encoding="utf-8")
    assert "| `OCTUPLE_KEYS` | a number, or more | 0 | how many ([more](keys.md)) | shim |" in house.page.read_text()
    assert "| `nice=` | 0 to 19 | 8 | how much |" in house.keys.read_text(encoding="utf-8")
    manual = house.manual.read_text(encoding="utf-8")
    assert ".It Ev OCTUPLE_TABLE\nWhich kernels serve; off is none.\n" in manual
    assert ".Cm auto\n(the default),\n.Cm c\nor\n.Cm off .\n" in manual


@pytest.mark.parametrize("page", ["docs/operations.md", "docs/keys.md", "cli/man/octuple.1"])
def test_table_by_hand(house, page):
    path = house.path / page
    path.write_text(path.read_text(encoding="utf-8").replace("ow m", "ow very m"), encoding="utf-8")
    assert check(house).finds(page, "its table is not that of src/base/settings.def")
    assert check(house, "--write").status == 0 and check(house).status == 0


def test_other_default(house):
    house.write("src/base/policy.h", "#define OCT_POLICY_KEYS_NICE 9\n")
    assert check(house).finds("docs/keys.md", "its table is not that of")


def test_no_place_for_the_table(house):
    house.page.write_text("# Page\n", encoding="utf-8")
    assert check(house).finds("docs/operations.md", "no place for the table")


@pytest.mark.parametrize("text", ['secure_getenv("OCTUPLE_TABLE")', 'getenv(\n    "OCTUPLE_OTHER")'])
def test_read_past_the_list(house, text):
    house.write("cli/a.c", f"const char *a = {text};\n")
    assert check(house).finds("cli/a.c", "reads a variable past")


def test_never_read(house):
    house.write("shim/a.c", READS.replace("OCT_SETTING_KEYS", "OCT_SETTING_KEYS_"))
    assert check(house).finds("nothing reads OCTUPLE_KEYS")


@pytest.mark.parametrize("text,said", [
    ("set OCTUPLE_TABEL", "OCTUPLE_TABEL is no setting"), ("OCTUPLE_SHIM=off", "OCTUPLE_SHIM is no setting"),
    ("OCTUPLE_TABLE=no", "no is no value of OCTUPLE_TABLE: auto, c or off")])
@pytest.mark.parametrize("page", ["README.md", "docs/a.md", "docs/internals/a.md", "cli/main.c", "include/octuple/a.h"])
def test_planted_names(house, page, text, said):
    house.write(page, f"/* {text} */\n", header=False)
    assert check(house).finds(page, said)


def test_names_that_are_right(house):
    house.write("docs/a.md", "OCTUPLE_TABLE=off, OCTUPLE_KEYS=16 and OCTUPLE_BUILD=here\n", header=False)
    assert check(house).status == 0


def test_option_of_nothing(house):
    house.write("src/base/settings.def", LIST.replace("OPTION(KEYS", "OPTION(LOCKS"))
    assert check(house).finds("the option nice is of no setting")


def test_empty_list(house):
    house.write("src/base/settings.def", "/* none */\n")
    assert check(house).status == 1
