# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""A program under LD_PRELOAD finds its OpenSSL as it would without, whatever its configuration says, but for Octuple's
algorithms: probe.c says what it finds, and here both are compared."""
from __future__ import annotations

import functools
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from tests.cli.conftest import ROOT
from tests.cli.variants import Variant, all_variants

SOURCES = ROOT / "tests/cli"
HYBRID = "11ec"  # X25519MLKEM768
ALL_GROUPS = 10  # those of OpenSSL before 3.5 where nobody names any; fewer by a security level
FILES = {"diagnostics": "config_diagnostics = 1\n{root}", "dollars": ".pragma = dollarid:on\n{root}",
         "no-equal-sign": "{root}nonsense\n", "no-variable": "{root}a = $nowhere\n", "no-root": "",
         "root-missing": "openssl_conf = nowhere\n"}


@pytest.fixture(scope="module", name="built")
def build():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="octuple-variants-"))
    folder.chmod(0o755)
    subprocess.run(["cc", "-o", folder / "probe", SOURCES / "probe.c", "-lssl", "-lcrypto"], check=True)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "other.so", SOURCES / "other.c", "-lcrypto"], check=True)
    yield folder
    shutil.rmtree(folder)


def write(folder: pathlib.Path, variant: Variant, places: dict[str, str]) -> str:
    """What OPENSSL_CONF names."""
    path = folder / "openssl.cnf"
    kind, body = variant.choice["file"], variant.text(places)
    text = FILES.get(kind, "{root}").format(root="openssl_conf = init\n") + body
    if kind == "include":
        (folder / "included.cnf").write_text(body)
        text = f"openssl_conf = init\n.include {folder}/included.cnf\n"
    elif kind == "include-folder":
        (folder / "parts").mkdir(exist_ok=True)
        (folder / "parts/one.cnf").write_text(body)
        text = f"openssl_conf = init\n.include {folder}/parts\n"
    elif kind == "include-missing":
        text = f".include {folder}/nowhere.cnf\n{text}"
    elif kind == "no-newline":
        text = text.rstrip("\n")
    path.write_text(text)
    if kind == "binary":
        path.write_bytes(bytes(range(256)) * 4)
    elif kind == "gone":
        path.unlink()
    return "" if kind == "empty-name" else str(path)


def probe(served, built, *arguments, **env) -> list[str]:
    env = {k: str(v) for k, v in {**served.env, **env}.items()}
    done = subprocess.run([built / "probe", *arguments], env=env, text=True, capture_output=True, check=False,
                          timeout=60, cwd=served.work, **served.user())
    return [*done.stdout.splitlines(), f"stderr {done.stderr!r}", f"exit {done.returncode}"]


def without_number(line: str) -> str:
    """Of an algorithm's name in this process: libcrypto counts names as they come."""
    return re.sub(r"Algorithm \((\S+) : \d+\)", r"Algorithm (\1)", line)


def without_ours(line: str) -> str:
    return re.sub(r"^(owner default \S+) octuple$", r"\1 default", line)


def differences(stock: list[str], ours: list[str], variant: Variant) -> list[str]:
    """All but what Octuple is for: algorithms of the default provider are ours, and there is one group more."""
    stock = [without_number(line) for line in stock]
    kept = [without_ours(without_number(line)) for line in ours if line != "provider default octuple"]
    own = sum(line.startswith("group default ") for line in stock)
    if f"group default {HYBRID}" not in stock and (own == ALL_GROUPS or variant.choice["tls"] == "level3"):
        kept = [line for line in kept if line != f"group default {HYBRID}"]
    return [line for line in {*kept} ^ {*stock}] + ([] if len(kept) == len(stock) else ["count"])


def is_ours(lines: list[str]) -> bool:
    return "provider default octuple" in lines and "owner default RSA octuple" in lines


@functools.cache
def forgets_modules() -> bool:
    """Early patch levels take the module of a section that does not activate it from their own folder."""
    said = subprocess.run(["openssl", "version"], capture_output=True, text=True, check=True).stdout
    _, minor, patch = (int(part) for part in said.split()[1].split("."))
    return patch < {0: 14, 1: 6, 2: 2, 3: 1}.get(minor, 0)


def should_be_ours(stock: list[str], variant: Variant) -> bool:
    """Where OpenSSL's own provider serves key exchange and signatures, and a query lets others come."""
    said = (*variant.choice.values(), variant.program)
    keeps_out = ("only-default", "not-ours", "fips", "fips-mode", "properties=fips=yes", "legacy",
                 *(["switches-of-ours"] if forgets_modules() else []))
    return "owner default RSA default" in stock and "made default 1" in stock and "other" not in " ".join(said) and \
        not any(word in keeps_out for word in said) and "provider=" not in variant.program


VARIANTS = all_variants()


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_as_without_but_for_our_algorithms(served, built, variant):
    places = {"other": str(built / "other.so"), "module": str(served.provider)}
    conf = write(served.work, variant, places)
    if variant.choice["file"] == "unreadable":
        pathlib.Path(conf).chmod(0)
    arguments = variant.program.split()
    stock = probe(served, built, *arguments, OPENSSL_CONF=conf)
    ours = probe(served, built, *arguments, OPENSSL_CONF=conf, LD_PRELOAD=served.shim)
    assert not differences(stock, ours, variant)
    if should_be_ours(stock, variant):
        assert is_ours(ours), "it is not served"


def test_there_are_enough():
    assert len({variant.name for variant in VARIANTS}) >= 70 + len("spare")
