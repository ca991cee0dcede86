# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import pytest
from tests.tools.conftest import run_tool


def test_clean(tree):
    tree.write("src/a.c", "int f(void);\n")
    assert run_tool("check-words", "--root", tree.path).status == 0


CALLS = ["strcpy(a, b)", "sprintf(a, b)", "rand()", "alloca(n)", "__builtin_alloca(n)", "strtok(a, b)", "strcat (a, b)",
         "longjmp(j, 1)", "system(s)", "gets(a)"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("folder", ["src", "provider", "shim", "cli"])
def test_planted_call(tree, folder, call):
    tree.write(f"{folder}/a.c", f"void f(void)\n{{\n    {call};\n}}\n")
    result = run_tool("check-words", "--root", tree.path)
    assert result.finds(f"{folder}/a.c:5", "banned call"), result.out


def test_call_in_a_comment_or_a_longer_name(tree):
    tree.write("src/a.c", "/* strcpy(a, b) */ int my_strcpy(int); int grand(int);\n")
    assert run_tool("check-words", "--root", tree.path).status == 0


def test_allowed_with_a_reason(tree):
    tree.write("shim/a.c", "void f(void)\n{\n    setenv(a, b, 1); /* allow(setenv): before any thread starts */\n}\n")
    assert run_tool("check-words", "--root", tree.path).status == 0
    tree.write("shim/a.c", "void f(void)\n{\n    setenv(a, b, 1); /* allow(setenv): */\n}\n")
    assert run_tool("check-words", "--root", tree.path).finds("banned call: setenv")


@pytest.mark.parametrize("name,text", [("src/a.c", "int x;\n"), ("tools/t", "#!/bin/sh\ntrue\n"),
                                       ("a/CMakeLists.txt", "\n"), ("tests/t.py", "import os\n")])
def test_licence_lines(tree, name, text):
    tree.write(name, text, header=False)
    assert run_tool("check-words", "--root", tree.path).finds(name, "licence")


def test_key_in_the_tree(tree):
    tree.write("tests/key.txt", "-----BEGIN " + "RSA PRIVATE KEY-----\nMII\n", header=False)
    assert run_tool("check-words", "--root", tree.path).finds("tests/key.txt", "a key")


def test_warning_switched_off(tree):
    tree.write("src/a.c", '#pragma GCC diagnostic ignored "-Wvla"\n')
    assert run_tool("check-words", "--root", tree.path).finds("-Wvla")
