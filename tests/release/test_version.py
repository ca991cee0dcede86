# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""One version in all files that state it, and in what was built; packaging/version finds another one, and sets all."""
import shutil
import subprocess

import pytest
from conftest import ROOT


def version(tree, *words):
    return subprocess.run([tree / "packaging/version", *words], capture_output=True, text=True, check=False)


@pytest.fixture
def tree(tmp_path):
    """A copy of the source, which is no clone."""
    names = ("CMakeLists.txt", "CHANGELOG.md", "packaging", "debian", "bindings", "docs", "tests/places/packages")
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("target", "results"))
        else:
            shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_all_files_state_one():
    done = version(ROOT, "check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ("CMakeLists.txt", "debian/changelog", "packaging/rpm/octuple.spec", "CHANGELOG.md",
                                  "bindings/rust/Cargo.lock", "bindings/java/pom.xml", "docs/operations.md"))
def test_another_one_is_named(tree, name):
    path = tree / name
    stated = version(ROOT).stdout.strip()
    path.write_text(path.read_text().replace(stated, "9.8.7"))
    done = version(tree, "check")
    assert done.returncode == 1
    assert name in done.stderr or name == "CMakeLists.txt", done.stderr


def test_a_new_one(tree):
    done = version(tree, "set", "9.8.7")
    wrong = {line.split(":")[1].strip() for line in done.stderr.splitlines()}
    assert wrong == {"CHANGELOG.md", "debian/changelog"}
    assert version(tree).stdout.strip() == "9.8.7"


def test_what_was_built(build):
    command = build / "bin/octuple"
    if not command.exists():
        pytest.skip(f"{command} is not built")
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert said.split("\n")[0] == f"octuple {version(ROOT).stdout.strip()}"
