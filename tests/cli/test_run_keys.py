# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""Programs that use keys and make no handshakes, under LD_PRELOAD: those that OpenSSL's own provider would serve are
served, and those that ask for another provider get that one."""
from __future__ import annotations

import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest

from lab.testing import needs

MODULES = pathlib.Path("/usr/lib/x86_64-linux-gnu/ossl-modules")
SIGN = """
import threading, sys
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
def sign():
    signature = key.sign(b"text", padding.PKCS1v15(), hashes.SHA256())
    key.public_key().verify(signature, b"text", padding.PKCS1v15(), hashes.SHA256())
threads = [threading.Thread(target=sign) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
print(open("/proc/self/maps").read())
"""


def under(served, *command, **env):
    env = {name: str(value) for name, value in {**served.env, "LD_PRELOAD": served.shim, **env}.items()}
    return subprocess.run(list(map(str, command)), env=env, text=True, capture_output=True, check=False, timeout=120,
                          cwd=served.work, stdin=subprocess.DEVNULL, **served.user())


def loads_ours(served, *command, **env) -> bool:
    """The dynamic linker says what a program loads."""
    done = under(served, *command, LD_DEBUG="files", LD_DEBUG_OUTPUT=served.work / "loaded", **env)
    assert done.returncode == 0, done.stderr
    said = "".join(file.read_text() for file in served.work.glob("loaded.*"))
    for file in served.work.glob("loaded.*"):
        file.unlink()
    return f"calling init: {served.provider}" in said


@pytest.mark.parametrize("command", ["genrsa -out k 2048", "genpkey -algorithm RSA -out k",
                                     "genpkey -algorithm X25519 -out k", "speed -seconds 1 ecdsap256"])
def test_openssl_is_served(served, command):
    assert loads_ours(served, "openssl", *command.split())


@pytest.mark.parametrize("command", ["version", "list -providers", "dgst -sha256 /etc/hosts", "rand -hex 8",
                                     "enc -aes-256-ctr -pass pass:x -pbkdf2 -in /etc/hosts -out k"])
def test_who_uses_no_key_loads_nothing(served, command):
    assert not loads_ours(served, "openssl", *command.split())


@pytest.mark.parametrize("providers", ["-provider legacy -provider default", "-provider default", "-provider base "
                                       "-provider default"])
def test_openssls_own_providers_are_no_hindrance(served, providers):
    assert loads_ours(served, "openssl", "genpkey", *providers.split(), "-algorithm", "RSA", "-out", "k")


def test_where_default_does_not_serve_ours_does_not(served):
    own = served.write("own.cnf", "openssl_conf = i\n[i]\nproviders = p\n[p]\nbase = b\n[b]\nactivate = 1\n")
    command = ("openssl", "genpkey", "-algorithm", "RSA", "-out", "k")
    stock = subprocess.run(command, env={**served.env, "OPENSSL_CONF": str(own)}, capture_output=True, text=True,
                           check=False, cwd=served.work, **served.user())
    done = under(served, *command, OPENSSL_CONF=own)
    assert done.returncode == stock.returncode != 0
    assert done.stderr.split(":", 1)[1].splitlines()[0].split(":")[3:] == \
        stock.stderr.split(":", 1)[1].splitlines()[0].split(":")[3:]


@needs("dnssec-keygen", "dnssec-signzone", "dnssec-verify")
@pytest.mark.parametrize("algorithm", ["RSASHA256", "ECDSAP256SHA256", "ED25519"])
def test_dnssec_signzone(served, algorithm):
    served.write("zone", "$TTL 1\n@ SOA a. b. 1 1 1 1 1\n@ NS ns\nns A 127.0.0.1\n"
                 + "".join(f"n{i} A 127.0.0.1\n" for i in range(20)))
    for more in ((), ("-f", "KSK")):
        assert under(served, "dnssec-keygen", "-q", "-a", algorithm, *more, "example").returncode == 0
    signs = ("dnssec-signzone", "-q", "-S", "-n", "8", "-o", "example", "-f", "signed", "zone")
    assert loads_ours(served, *signs)
    assert under(served, "dnssec-verify", "-q", "-o", "example", "signed").returncode == 0


@needs("ldns-keygen", "ldns-signzone", "ldns-verify-zone")
def test_ldns_signzone(served):
    served.write("zone", "example. 1 SOA a. b. 1 1 1 1 1\nexample. 1 NS ns.example.\nns.example. 1 A 127.0.0.1\n")
    key = under(served, "ldns-keygen", "-a", "RSASHA256", "-b", "2048", "-r", "/dev/urandom", "example").stdout.strip()
    assert loads_ours(served, "ldns-signzone", "-f", "signed", "zone", key)
    assert under(served, "ldns-verify-zone", "signed").returncode == 0


def test_cryptography(served):
    if subprocess.run(["/usr/bin/python3", "-c", "import cryptography"], capture_output=True, check=False).returncode:
        pytest.skip("not installed: python3-cryptography")
    done = under(served, "/usr/bin/python3", "-c", SIGN)
    assert done.returncode == 0 and str(served.provider) in done.stdout, done.stderr


def two_ports():
    """One behind the other, as the TPM's software wants them."""
    for _ in range(100):
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port, port + 1
    raise OSError("no two free ports")


@pytest.fixture(name="tpm")
def tpm_of_software(served):
    """The environment by which tpm2-openssl finds it."""
    if shutil.which("swtpm") is None or not (MODULES / "tpm2.so").exists():
        pytest.skip("not installed: swtpm, tpm2-openssl")
    ports = two_ports()
    state = served.work / "tpm"
    state.mkdir()
    with subprocess.Popen(["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={state}", "--server",
                           f"type=tcp,port={ports[0]}", "--ctrl", f"type=tcp,port={ports[1]}", "--flags",
                           "not-need-init,startup-clear"]) as process:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", ports[0])) == 0:
                    break
            time.sleep(0.05)
        os.chmod(state, 0o755)
        yield {"TPM2OPENSSL_TCTI": f"swtpm:port={ports[0]}"}
        process.terminate()


def test_keys_of_a_tpm(served, tpm):
    made = under(served, "openssl", "genpkey", "-provider", "tpm2", "-algorithm", "RSA", "-pkeyopt", "bits:2048",
                 "-out", "tpm.key", **tpm)
    assert made.returncode == 0, made.stderr
    assert (served.work / "tpm.key").read_text().startswith("-----BEGIN TSS2 PRIVATE KEY-----")
    certificate = ("openssl", "req", "-provider", "tpm2", "-provider", "default", "-propquery", "?provider=tpm2",
                   "-x509", "-subj", "/CN=localhost", "-key", "tpm.key", "-out", "tpm.crt")
    done = under(served, *certificate, **tpm)
    assert done.returncode == 0, done.stderr
    assert under(served, "openssl", "verify", "-CAfile", "tpm.crt", "tpm.crt").returncode == 0


def test_both_providers_make_what_they_would(served, tpm):
    """Which of two comes first is OpenSSL's affair."""
    for order in (("tpm2", "default"), ("default", "tpm2")):
        names = [word for name in order for word in ("-provider", name)]
        first = []
        for env in ({}, {"LD_PRELOAD": ""}):
            done = under(served, "openssl", "genpkey", *names, "-algorithm", "RSA", "-out", "k", **tpm, **env)
            first.append((done.returncode, (served.work / "k").read_text().splitlines()[0]))
        assert first[0] == first[1]
