# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import os

import pytest
from tests.tools.conftest import ROOT, run_tool

GOOD = "int f(int a)\n{\n    return a;\n}\n"


@pytest.fixture
def formatted(tree):
    """A planted tree with this project's own style."""
    tree.write(".clang-format", (ROOT / ".clang-format").read_text(encoding="utf-8"), header=False)
    return tree


def check(tree, *options):
    return run_tool("check-format", "--root", tree.path, *options)


def test_clean(formatted):
    formatted.write("src/a.c", GOOD)
    formatted.write("tools/b", "x" * 120 + "\n", header=False)
    result = check(formatted)
    assert result.status == 0 and "1 files of C, 2 others" in result.out, result.out


def test_nothing_to_read(tree):
    tree.write("README.md", "Text.\n", header=False)
    assert check(tree).finds("nothing to look at")


@pytest.mark.parametrize("text", [GOOD.replace("    ", "  "), GOOD.replace("(int a)\n{", "(int a) {"),
                                  GOOD.replace("int a", "int  a"), GOOD.replace("return a", "return  a")])
@pytest.mark.parametrize("name", ["src/a.c", "include/octuple/a.h"])
def test_planted_format(formatted, name, text):
    formatted.write(name, text)
    assert check(formatted).finds(f"{name}:", "not as .clang-format has it")


def test_fix_formats(formatted):
    source = formatted.write("src/a.c", GOOD.replace("    ", "  "))
    assert check(formatted, "--fix").status == 0
    assert source.read_text(encoding="utf-8").endswith(GOOD)


@pytest.mark.parametrize("name", ["check", "tools/a.py", "src/CMakeLists.txt", "cli/man/a.1", "bench/a.html",
                                  "src/a.def", "bindings/rust/a.rs", "bindings/rust/Cargo.toml", "packaging/a.in",
                                  "tests/wanted.txt"])
@pytest.mark.parametrize("columns,status", [(120, 0), (121, 1)])
def test_planted_long_line(formatted, name, columns, status):
    formatted.write(name, "short\n" + "x" * columns + "\n", header=False)
    result = check(formatted)
    assert result.status == status
    assert status == 0 or result.finds(f"{name}:2", "121 columns, more than 120")


def test_long_line_that_the_formatter_cannot_break(formatted):
    formatted.write("src/a.c", f'const char *a =\n    "{"x" * 120}";\n')
    assert check(formatted).finds("src/a.c:4", "columns, more than 120")


def test_columns_are_not_bytes(formatted):
    formatted.write("tools/a.py", "# " + "\N{MICRO SIGN}" * 118 + "\n", header=False)
    assert check(formatted).status == 0


@pytest.mark.parametrize("name", ["docs/a.md", "docs/results/a.json", "bindings/rust/Cargo.lock",
                                  "tests/library/vectors/a.txt"])
def test_what_cannot_be_wrapped(formatted, name):
    formatted.write(name, "x" * 200 + "\n", header=False)
    assert check(formatted).status == 0


def test_a_style_that_is_not_there(tree):
    tree.write("src/a.c", GOOD)
    assert check(tree).finds("clang-format-14")


def test_a_formatter_that_is_not_there(formatted, monkeypatch):
    formatted.write("src/a.c", GOOD)
    monkeypatch.setitem(os.environ, "PATH", str(formatted.path))
    assert check(formatted).finds("clang-format-14 is not installed")
