# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Parts of two versions in one process: they say so and leave all to OpenSSL, and the program works. And beside a
configuration that asks for FIPS, Octuple serves nothing."""
import re
import shutil
import subprocess

import pytest

PARTS = {"library": "lib/liboctuple.so.0", "shim": "lib/liboctuple-async.so", "provider": "lib/octuple.so"}
CONFIGURATION = """openssl_conf = init
[init]
providers = providers
{more}
[providers]
octuple = octuple
default = default_sect
[octuple]
module = {provider}
activate = 1
[default_sect]
activate = 1
"""


@pytest.fixture
def parts(build, tmp_path):
    """Copies of the three libraries, which find each other."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    for path in PARTS.values():
        if not (build / path).exists():
            pytest.skip(f"{build / path} is not built")
        shutil.copy(build / path, tmp_path)
    return tmp_path


def make_older(path):
    """Another version in the place of its own, which stands in each library as a text."""
    content = path.read_bytes()
    changed = re.sub(rb"(?<=\x00)(\d+\.\d+\.)\d+(?=\x00)", lambda found: found[1] + b"x", content)
    assert changed != content and len(changed) == len(content)
    path.write_bytes(changed)


def run(parts, *command, more=""):
    configuration = parts / "openssl.cnf"
    configuration.write_text(CONFIGURATION.format(provider=parts / "octuple.so", more=more))
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin", "OPENSSL_CONF": str(configuration), "OCTUPLE_TABLE": "c",
                               "LD_LIBRARY_PATH": str(parts), "LD_PRELOAD": str(parts / "liboctuple-async.so")})
    assert done.returncode == 0, done.stderr
    return done


def offers(parts, more=""):
    """Whether the provider offers RSA signatures, and what was said on the way."""
    done = run(parts, "openssl", "list", "-signature-algorithms", more=more)
    return "@ octuple" in done.stdout, done.stderr


def test_one_version(parts):
    offered, said = offers(parts)
    assert offered and "octuple:" not in said


def test_an_older_library(parts):
    make_older(parts / "liboctuple.so.0")
    offered, said = offers(parts)
    assert not offered
    assert re.search(r"octuple: the provider is of version \S+, liboctuple of \S+x: it leaves all to OpenSSL", said)
    assert "octuple: the shim is of version" in said


def test_an_older_provider(parts):
    make_older(parts / "octuple.so")
    offered, said = offers(parts)
    assert not offered
    assert "octuple: the provider is of version" in said and "the shim" not in said


def test_an_older_shim(parts):
    make_older(parts / "liboctuple-async.so")
    offered, said = offers(parts)
    assert offered
    assert "octuple: the shim is of version" in said and "the provider" not in said


def test_keys_work_without(parts):
    make_older(parts / "liboctuple.so.0")
    key = parts / "key.pem"
    run(parts, "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(key))
    (parts / "text").write_text("text")
    run(parts, "openssl", "dgst", "-sha256", "-sign", str(key), "-out", str(parts / "sig"), str(parts / "text"))


FIPS = "alg_section = evp_properties\n[evp_properties]\ndefault_properties = {}\n"


@pytest.mark.parametrize("asked, served", (("fips=yes", False), ("?fips=yes", True)))
def test_fips(parts, asked, served):
    """A fetch with the property finds nothing of Octuple's. There need not be a FIPS provider for that: then nothing at
    all is found, and a signature fails as it would without Octuple. What is merely preferred may come from anywhere."""
    key, text = parts / "key.pem", parts / "text"
    text.write_text("text")
    run(parts, "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(key))
    more = FIPS.format(asked)
    configuration = parts / "openssl.cnf"
    configuration.write_text(CONFIGURATION.format(provider=parts / "octuple.so", more=more))
    done = subprocess.run(["openssl", "dgst", "-sha256", "-sign", str(key), "-out", str(parts / "sig"), str(text)],
                          capture_output=True, text=True, check=False,
                          env={"PATH": "/usr/bin:/bin", "OPENSSL_CONF": str(configuration), "OCTUPLE_TABLE": "c",
                               "LD_LIBRARY_PATH": str(parts)})
    assert (done.returncode == 0) == served, done.stderr
