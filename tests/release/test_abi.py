# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The library has the interface of the last release, additions aside; what tests/release/abi has to find is planted in
a copy of that."""
import shutil
import subprocess

import pytest
from conftest import ROOT

LAST = ROOT / "tests/release/liboctuple.abi"


@pytest.fixture
def library(build):
    path = build / "lib/liboctuple.so.0"
    if shutil.which("abidiff") is None:
        pytest.skip("abidiff is not installed: apt-get install abigail-tools")
    if not path.exists():
        pytest.skip(f"{path} is not built")
    if b"oct_ecdsa_sign_lane" not in path.read_bytes():
        pytest.skip(f"{path} has no debug information, or none of types")
    return path


def compare(old, library):
    done = subprocess.run([ROOT / "tests/release/abi", old, library], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_interface_of_the_last_release(library):
    code, said = compare(LAST, library)
    assert code == 0, said


@pytest.mark.parametrize("what, code", (
    ("function name='oct_version' ", 1),
    ("struct name='oct_ecdsa_sign_lane' size-in-bits='256'", 1),
    ("struct name='oct_aead_ops' size-in-bits='1344'", 0),
))
def test_planted(library, tmp_path, what, code):
    """A function that is missing now, and a struct of another size, public and private."""
    kind, _, words = what.partition(" ")
    name = words.split("'")[1]
    text = LAST.read_text()
    if kind == "function":
        planted = text.replace(f"'{name}'", f"'{name}_before'")
    else:
        planted = text.replace(words, words.replace("size-in-bits='", "size-in-bits='6"))
    assert planted != text
    old = tmp_path / "old.abi"
    old.write_text(planted)
    found, said = compare(old, library)
    assert found == code, said
    assert code == 0 or name in said, said


def test_symbols_of_the_package(library):
    """Those that the package promises are there; new ones need not be in the list."""
    lines = (ROOT / "debian/liboctuple0.symbols").read_text().splitlines()
    promised = {line.split("@")[0].strip() for line in lines[1:] if "(optional)" not in line}
    said = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    assert promised and promised <= {line.split()[-1] for line in said.splitlines()}
