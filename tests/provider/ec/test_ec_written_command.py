# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""EC keys as the openssl command writes them: on every kind of curve, in every form, as OpenSSL alone writes them."""
import base64
import re

import pytest

# OpenSSL hands no key on SM2's curve from one provider to another; the others have lanes, or have none.
CURVES = ["SM2", "P-256", "P-384", "secp256k1"]
PASSWORD = ["-aes-256-cbc", "-pass", "pass:eight lanes"]
WITH_PASSWORD = ["-passin", "pass:eight lanes"]


@pytest.fixture(params=CURVES)
def curve(request, plain):
    if request.param == "SM2" and "SM2" not in plain.text("list", "-signature-algorithms"):
        pytest.skip("this OpenSSL has no SM2")
    return request.param


def generate(command, curve, *arguments, **options):
    return command.run("genpkey", "-algorithm", "EC", "-pkeyopt", f"group:{curve}", *arguments, **options)


def der(pem):
    return base64.b64decode(re.search(r"-----BEGIN [^-]*-----(.*?)-----END", pem, re.S).group(1))


def test_pkcs8(octuple, plain, curve):
    pem = generate(octuple, curve, "-text").stdout.decode()
    (octuple.folder / "k.pem").write_text(pem)
    again = plain.text("pkey", "-in", "k.pem", "-text")
    assert pem == again
    assert octuple.text("pkey", "-in", "k.pem", "-text") == again
    generate(octuple, curve, "-outform", "DER", "-out", "k.der")
    for command in (octuple, plain):
        assert command.run("pkey", "-in", "k.der", "-outform", "DER").stdout == (octuple.folder / "k.der").read_bytes()


def test_password(octuple, plain, curve):
    generate(octuple, curve, *PASSWORD, "-out", "k.pem")
    assert "ENCRYPTED" in (octuple.folder / "k.pem").read_text()
    assert "Key is valid" in plain.text("pkey", "-in", "k.pem", "-check", "-noout", *WITH_PASSWORD)
    assert plain.run("pkey", "-in", "k.pem", "-passin", "pass:nine", check=False).returncode != 0


@pytest.mark.parametrize("form", ["uncompressed", "compressed", "hybrid"])
def test_ecparam(octuple, plain, curve, form):
    arguments = ["ecparam", "-name", curve, "-conv_form", form]
    assert octuple.text(*arguments) == plain.text(*arguments)
    assert octuple.text(*arguments, "-text", "-noout") == plain.text(*arguments, "-text", "-noout")
    explicit = [*arguments, "-param_enc", "explicit"]
    assert octuple.text(*explicit) == plain.text(*explicit)
    pem = octuple.text(*arguments, "-genkey", "-noout")
    assert pem.startswith("-----BEGIN EC PRIVATE KEY") == plain.text(*arguments, "-genkey", "-noout").startswith(
        "-----BEGIN EC PRIVATE KEY")
    (octuple.folder / "k.pem").write_text(pem)
    assert "Key is valid" in plain.text("pkey", "-in", "k.pem", "-check", "-noout")
    assert octuple.text("ec", "-in", "k.pem", "-text") == plain.text("ec", "-in", "k.pem", "-text")


def test_parameters_in_a_file(octuple, plain, curve):
    plain.run("ecparam", "-name", curve, "-out", "p.pem")
    kinds = []
    for command in (octuple, plain):
        done = command.run("genpkey", "-paramfile", "p.pem", "-out", "k.pem", check=False)
        kinds.append(done.returncode)
        if done.returncode == 0:
            assert "Key is valid" in plain.text("pkey", "-in", "k.pem", "-check", "-noout")
    assert kinds[0] == kinds[1]


def test_certificates(octuple, plain, curve):
    """A key that is made for its certificate is written, and so is its public key, within one command."""
    octuple.run("req", "-x509", "-newkey", "ec", "-pkeyopt", f"ec_paramgen_curve:{curve}", "-noenc", "-keyout", "k.pem",
                "-subj", "/CN=lanes", "-out", "c.pem")
    public = plain.text("x509", "-in", "c.pem", "-noout", "-pubkey")
    for command in (octuple, plain):
        assert command.text("pkey", "-in", "k.pem", "-pubout") == public
        assert command.text("x509", "-in", "c.pem", "-noout", "-pubkey") == public
    octuple.run("req", "-new", "-newkey", "ec", "-pkeyopt", f"ec_paramgen_curve:{curve}", "-noenc", "-keyout", "l.pem",
                "-subj", "/CN=lanes", "-out", "r.pem")
    assert plain.text("req", "-in", "r.pem", "-noout", "-pubkey") == octuple.text("pkey", "-in", "l.pem", "-pubout")


def test_pkcs12(octuple, plain, curve):
    generate(octuple, curve, "-out", "k.pem")
    octuple.run("req", "-x509", "-new", "-key", "k.pem", "-subj", "/CN=lanes", "-out", "c.pem")
    octuple.run("pkcs12", "-export", "-inkey", "k.pem", "-in", "c.pem", "-passout", "pass:8", "-out", "k.p12")
    for command in (octuple, plain):
        text = command.text("pkcs12", "-in", "k.p12", "-passin", "pass:8", "-noenc", "-nocerts")
        assert der(text) == der(plain.text("pkey", "-in", "k.pem"))
    octuple.run("pkcs8", "-topk8", "-in", "k.pem", "-passout", "pass:8", "-out", "k.p8")
    assert plain.text("pkey", "-in", "k.p8", "-passin", "pass:8") == plain.text("pkey", "-in", "k.pem")


def test_cms(octuple, plain, curve):
    generate(octuple, curve, "-out", "k.pem")
    octuple.run("req", "-x509", "-new", "-key", "k.pem", "-subj", "/CN=lanes", "-out", "c.pem")
    (octuple.folder / "message").write_text("eight lanes")
    sign = ["cms", "-sign", "-in", "message", "-signer", "c.pem", "-inkey", "k.pem", "-out", "s.eml"]
    check = ["cms", "-verify", "-in", "s.eml", "-CAfile", "c.pem", "-out", "read"]
    verdicts = set()
    for signer in (octuple, plain):
        signed = signer.run(*sign, check=False).returncode
        verdicts.add((signed, *(reader.run(*check, check=False).returncode for reader in (octuple, plain))))
    assert len(verdicts) == 1  # OpenSSL 3.0 by itself writes no good CMS with SM2
    assert curve == "SM2" or verdicts == {(0, 0, 0)}
