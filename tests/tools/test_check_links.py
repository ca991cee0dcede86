# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import pytest
from tests.tools.conftest import run_tool


def check(tree, text, name="README.md"):
    tree.write("docs/a.md", "# Title\n\n## Two words\n\n## Two words\n\n## `code`, and [a link](a.md)\n", header=False)
    tree.write(name, text, header=False)
    return run_tool("check-links", "--root", tree.path)


@pytest.mark.parametrize("target", ["docs/a.md", "docs", "docs/a.md#two-words", "docs/a.md#two-words-1",
                                    "docs/a.md#code-and-a-link", "#here", "https://example.org/none.md"])
def test_good(tree, target):
    result = check(tree, f"# Here\n\n[text]({target}), ![picture](docs/a.md)\n")
    assert result.status == 0, result.out


@pytest.mark.parametrize("target", ["docs/b.md", "a.md", "docs/a.md#two-words-2", "docs/a.md#Two-words", "#there"])
def test_planted(tree, target):
    result = check(tree, f"# Here\n\nText\n[text]({target})\n")
    assert result.finds("README.md:4", target), result.out


def test_links_go_from_their_document(tree):
    assert check(tree, "[text](a.md#title)\n", "docs/b.md").status == 0
    assert check(tree, "[text](docs/a.md)\n", "docs/b.md").finds("docs/b.md:1", "is not there")


@pytest.mark.parametrize("text", ["`[text](b.md)`", "```\n[text](b.md)\n```", "Text:\n\n    [text](b.md)"])
def test_code_has_no_links(tree, text):
    assert check(tree, f"[text](docs/a.md)\n\n{text}\n").status == 0


@pytest.mark.parametrize("mention,status", [("docs/a.md", 0), ("docs/a.md#title", 0), ("docs/b.md", 1),
                                            ("docs/a.md#none", 1), ("other/docs/b.md", 0)])
def test_mentions_in_code(tree, mention, status):
    result = check(tree, f"/* see {mention}. */\n/* see docs/a.md */\n", "src/a.c")
    assert result.status == status, result.out
    assert status == 0 or result.finds("src/a.c:1", mention)


def test_a_changelog_names_what_was_there(tree):
    assert check(tree, "docs/b.md is gone. [text](docs/a.md)\n", "CHANGELOG.md").status == 0


def test_nothing_to_read(tree):
    tree.write("a.c", "int f(void);\n")
    assert run_tool("check-links", "--root", tree.path).finds("nothing to look at")
