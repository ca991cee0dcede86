# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
import pytest
from tests.tools.conftest import run_tool

SHORT = "This sentence has exactly six words."
LONG = "It says " + "a word more " * 12 + "at the end."
WRAPPED = LONG.replace("more ", "more\n", 6)


def check(tree, text, name="README.md"):
    tree.write(name, text, header=False)
    return run_tool("check-sentences", "--root", tree.path)


def test_clean(tree):
    assert check(tree, f"# A heading\n\n{SHORT} {SHORT}\n").status == 0


def test_nothing_to_read(tree):
    assert check(tree, "# A heading alone\n").finds("nothing to look at")


@pytest.mark.parametrize("name", ["README.md", "OTHER.md", "docs/other.md", "docs/internals/other.md"])
@pytest.mark.parametrize("form", ["{}\n", "Before.\n\n{}\n", "- Item.\n- {}\n", "1. {}\n", "Before. {} After.\n",
                                  "`Code`. {}\n", "It ends in `code`.\n{}\n"])
def test_planted_long_sentence(tree, name, form):
    result = check(tree, f"# Title\n\n{SHORT}\n\n{SHORT}\n\n" + form.format(LONG), name)
    assert result.finds(name, "words, more than 35"), result.out


def test_long_sentence_over_several_lines(tree):
    assert check(tree, f"{SHORT} {SHORT}\n{WRAPPED}\n").finds("README.md:1", "more than 35")


@pytest.mark.parametrize("words,status", [(34, 0), (35, 0), (36, 1)])
def test_limit_of_words(tree, words, status):
    assert check(tree, "Word" + "\nword" * (words - 1) + ".\n", "docs/other.md").status == status


@pytest.mark.parametrize("words,status", [(16, 0), (17, 1)])
@pytest.mark.parametrize("name", ["README.md", "docs/internals/architecture.md", "docs/operations.md"])
def test_limit_of_the_median(tree, name, words, status):
    result = check(tree, "Word" + "\nword" * (words - 1) + ".\n", name)
    assert result.status == status
    assert status == 0 or result.finds(name, "the median sentence has 17 words")


def test_median_of_other_documents(tree):
    assert check(tree, "Word" + "\nword" * 29 + ".\n", "docs/other.md").status == 0


def test_abbreviation_ends_no_sentence(tree):
    half = "word\n" * 20
    assert check(tree, f"Word {half}e.g. A {half}end.\n\n{SHORT} {SHORT}\n").finds("more than 35")
    assert check(tree, f"Word {half}end. A {half}end.\n\n{SHORT} {SHORT} {SHORT}\n").status == 0


def test_limit_of_columns(tree):
    line = "word " * 24
    assert check(tree, f"{line}end. {SHORT} {SHORT} {SHORT}\n").finds("README.md:1", "columns")
    assert check(tree, f"| {line} | {line} |\n\n{SHORT}\n").status == 0


@pytest.mark.parametrize("text", [
    f"```\n{LONG}\n```\n", f"    {LONG}\n", f"| {LONG} |\n", "# Word" + " w" * 40 + "\n",
    "[Six](http://a/" + "b/" * 60 + ").\n",
    f"`{WRAPPED}` is one word.\n", f"<!-- {WRAPPED} -->\n",
    f"- Item.\n  <!-- {'long ' * 30} -->\n", f"- Item.\n\n      {LONG}\n"])
def test_what_is_not_prose(tree, text):
    result = check(tree, f"{SHORT} {SHORT}\n\n{text}")
    assert result.status == 0, result.out


@pytest.mark.parametrize("text,status", [("Made by `bench/results`.", 0), ("It is made by `bench/results`.", 1)])
def test_documents_that_programs_make(tree, text, status):
    tree.write("README.md", f"{SHORT}\n", header=False)
    assert check(tree, f"{text}\n\n{LONG}\n", "docs/made.md").status == status


@pytest.mark.parametrize("lines,status", [(48, 0), (49, 1)])
def test_limit_of_hidden_lines(tree, lines, status):
    tree.write("docs/a.md", "A text.\n" + "<!-- a\nb -->\n" * 20 + "<!-- c -->\n" * (lines - 40), header=False)
    result = check(tree, "A sentence.\n")
    assert result.status == status and bool(status) == result.finds("lines of hidden comments, more than 48")


STUMBLES = [
    "Had it to be there when a program is linked, every build would need it.",
    "Beside each object is the JDK's own, which refuses what it would refuse.",
    "The provider keeps most keys twice that an application brings.",
    "So nobody is taken for it who has got its number.",
    "It is reached, and has nothing to do.",
    "A thread that ends later sleeps unseen.",
    "Programs of 32 bits find an empty library.",
    "A sample counts as at least that part of it.",
    "HAProxy works and is faster.",
    "Write to `<security address>`.",
]


@pytest.mark.parametrize("form", ["{}\n", "- {}\n", "Before. {} After.\n", "| a | {} |\n"])
@pytest.mark.parametrize("text", STUMBLES)
def test_what_makes_a_reader_stumble(tree, text, form):
    result = check(tree, f"{SHORT} {SHORT}\n\n" + form.format(text), "docs/other.md")
    assert result.finds("docs/other.md:3", "makes a reader stumble"), result.out


@pytest.mark.parametrize("text", [
    "He had it there.", "It refuses what stock refuses.", "Nobody is there.", "A reader has nothing to do with it.",
    "It works, and is faster.", "It has 32 bits.", "Names are `oct_<family>_<verb>`, as in `a < b`.",
    "`works and is` stands in code."])
def test_what_does_not(tree, text):
    result = check(tree, f"{SHORT} {SHORT}\n\n{text}\n", "docs/other.md")
    assert result.status == 0, result.out


def test_a_changelog_is_left_alone(tree):
    tree.write("CHANGELOG.md", "\n".join(STUMBLES) + "\n", header=False)
    assert check(tree, f"{SHORT}\n").status == 0
