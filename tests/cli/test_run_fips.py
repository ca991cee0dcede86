# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""Beside OpenSSL's FIPS module a program finds what it would without Octuple: probe.c says who serves what. Nothing
that the FIPS module would serve is ours."""
from __future__ import annotations

import pathlib
import re
import subprocess

import pytest

from tests.cli.test_config_variants import build, differences, probe  # noqa: F401
from tests.cli.test_lives import compiled, live  # noqa: F401
from tests.cli.variants import Variant

PROVIDERS = {"fips-base": ("fips", "base"), "fips-default": ("fips", "default"), "default-fips": ("default", "fips"),
             "fips": ("fips",), "fips-base-default": ("fips", "base", "default")}
PROPERTIES = {"": "", "fips": "default_properties = fips=yes", "maybe-fips": "default_properties = ?fips=yes",
              "no-fips": "default_properties = fips=no", "not-ours": "default_properties = ?provider=fips",
              "fips-mode": "fips_mode = yes"}
# What a program does itself, where its configuration activates nothing.
PROGRAMS = ("load=fips load=base", "load=fips load=base properties=fips=yes", "load=fips load=default",
            "load=default load=fips", "load=fips load=default properties=fips=yes",
            "load=default load=fips properties=?fips=yes", "load=fips load=base query=fips=yes",
            "load=fips load=default query=fips=yes", "load=default load=fips key", "load=fips load=base key")
LIVES = ("cleanup", "forks", "threads", "later", "queries", "fips-first", "properties-first")


@pytest.fixture(name="section", scope="module")
def section_of_the_module(tmp_path_factory):
    """As `openssl fipsinstall` writes it."""
    said = subprocess.run(["openssl", "version", "-m"], capture_output=True, text=True, check=True).stdout
    module = pathlib.Path(re.search(r'"(.*)"', said)[1]) / "fips.so"
    if not module.exists():
        pytest.skip("this OpenSSL has no FIPS module: tests/places/run versions builds some")
    out = tmp_path_factory.mktemp("fips") / "fipsmodule.cnf"
    subprocess.run(["openssl", "fipsinstall", "-module", module, "-out", out], check=True, capture_output=True)
    lines = [line for line in out.read_text().splitlines() if line and not line.startswith(("[", "#", "activate"))]
    return "\n".join([f"module = {module}", *lines, ""])


def write(served, section, active=(), properties=""):
    names = [*active, *({"fips"} - {*active})]
    text = "openssl_conf = i\n[i]\nproviders = p\n" + ("alg_section = a\n" if properties else "")
    text += "[p]\n" + "".join(f"{name} = its_{name}\n" for name in names) + f"[a]\n{properties}\n"
    for name in names:
        text += f"[its_{name}]\n" + (section if name == "fips" else "") + ("activate = 1\n" if name in active else "")
    return served.write("openssl.cnf", text)


def owners(lines):
    return dict(line.split()[2:] for line in lines if line.startswith("owner default "))


def compare(served, built, conf, *arguments):
    stock = probe(served, built, *arguments, OPENSSL_CONF=conf)
    ours = probe(served, built, *arguments, OPENSSL_CONF=conf, LD_PRELOAD=served.shim)
    assert not differences(stock, ours, Variant())
    assert [name for name, who in owners(stock).items() if who == "fips" and owners(ours)[name] != "fips"] == []
    return stock, ours


@pytest.mark.parametrize("properties", PROPERTIES)
@pytest.mark.parametrize("providers", PROVIDERS)
def test_by_configuration(served, built, section, providers, properties):
    conf = write(served, section, PROVIDERS[providers], PROPERTIES[properties])
    stock, ours = compare(served, built, conf)
    if properties in ("fips", "fips-mode", "maybe-fips"):
        assert owners(stock)["RSA"] == "fips", "the FIPS module is not what is tested"
    if properties in ("fips", "fips-mode"):
        assert "octuple" not in owners(ours).values()


@pytest.mark.parametrize("does", PROGRAMS)
def test_by_the_program(served, built, section, does):
    compare(served, built, write(served, section), *does.split())


@pytest.mark.parametrize("properties", ["", "fips", "maybe-fips"])
@pytest.mark.parametrize("providers", ["fips-base", "fips-default", "default-fips"])
@pytest.mark.parametrize("name", LIVES)
def test_handshakes(served, program, section, providers, properties, name):
    """A life makes handshakes with keys that it makes itself."""
    conf = write(served, section, PROVIDERS[providers], PROPERTIES[properties])
    stock, _ = live(served, program, name, OPENSSL_CONF=conf)
    assert live(served, program, name, OPENSSL_CONF=conf, LD_PRELOAD=served.shim)[0] == stock


@pytest.mark.parametrize("words", [("-provider", "fips", "-provider", "base"),
                                   ("-provider", "fips", "-provider", "base", "-propquery", "fips=yes"),
                                   ("-provider", "default", "-provider", "fips", "-propquery", "fips=yes")])
def test_the_command(served, section, words):
    """What FIPS forbids stays forbidden: an RSA key of 1024 bits."""
    conf = write(served, section)
    for bits, expected in (("2048", 0), ("1024", 1)):
        for preload in ("", str(served.shim)):
            done = subprocess.run(["openssl", "genpkey", *words, "-algorithm", "RSA", "-pkeyopt",
                                   f"rsa_keygen_bits:{bits}", "-out", "k"], cwd=served.work, capture_output=True,
                                  env={**served.env, "OPENSSL_CONF": str(conf), "LD_PRELOAD": preload}, check=False,
                                  **served.user())
            assert done.returncode == expected, done.stderr
