# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""The manual pages: clean, and in step with --help."""
import re
import shutil
import subprocess

import pytest
from tests.cli.conftest import ROOT

PAGES = sorted((ROOT / "cli/man").glob("*.1"))


def rendered(page):
    groff = subprocess.run(["groff", "-mandoc", "-Tascii", "-P-cbou", "-ww", page],
                           capture_output=True, text=True, check=True)
    return groff.stdout, groff.stderr


def test_there_is_a_page_for_every_command(place):
    names = {page.stem for page in PAGES}
    commands = re.findall(r"^  (\w+) ", place.call("--help").stdout.split("Options:")[0], re.M)
    assert names == {"octuple"} | {f"octuple-{command}" for command in commands}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_is_clean(page):
    assert rendered(page)[1] == ""
    if shutil.which("mandoc"):
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page],
                              capture_output=True, text=True, check=False)
        assert lint.stdout == ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_has_its_sections(page):
    sections = re.findall(r"^\.Sh (.*)$", page.read_text(), re.M)
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
        assert section in sections


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_and_help_have_the_same_options(place, page):
    command = page.stem.removeprefix("octuple").removeprefix("-")
    help_text = place.call(*filter(None, [command]), "--help").stdout
    in_help = set(re.findall(r"^  (-\w), (--[\w-]+)", help_text, re.M))
    in_page = set(re.findall(r"^ +(-\w), (--[\w-]+)", rendered(page)[0], re.M))
    assert in_help and in_help == in_page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_refers_to_pages_that_exist(page):
    for name in re.findall(r"^\.Xr (octuple[\w-]*) 1", page.read_text(), re.M):
        assert (page.parent / f"{name}.1").exists()


def test_page_explains_every_kind_of_operation(place):
    """An operation is named after its algorithm, with the size in it: what is measured follows."""
    kinds = " ".join(re.findall(r"^\.It Cm (.*)$", (ROOT / "cli/man/octuple-speed.1").read_text(), re.M)).split(" ")
    listed = place.call("speed", "--help").stdout.split("named):\n")[1].split("\n\n")[0].split()
    assert listed and all(set(operation.split("-")) & set(kinds) for operation in listed)
