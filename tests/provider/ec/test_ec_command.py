# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""EC with the openssl command: what is made with the provider serves without it, and the other way."""
import os

import pytest

CURVES = {"prime256v1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521", "secp256k1": "secp256k1"}
if os.environ.get("OCTUPLE_TABLE") == "c":
    # Outside of fibres the table hardly matters, and each command spends a long time on known answers with this one.
    CURVES = {"secp384r1": "P-384"}


@pytest.fixture(params=["made here", "made there"])
def pair(request, octuple, plain):
    """(who makes, who uses)"""
    return (octuple, plain) if request.param == "made here" else (plain, octuple)


@pytest.mark.parametrize("curve", CURVES)
def test_keys(pair, curve):
    maker, user = pair
    maker.run("genpkey", "-algorithm", "EC", "-pkeyopt", f"ec_paramgen_curve:{CURVES[curve]}", "-out", "a.pem")
    maker.run("ecparam", "-name", curve, "-genkey", "-noout", "-out", "b.pem")
    maker.run("ecparam", "-name", curve, "-out", "p.pem")
    maker.run("genpkey", "-paramfile", "p.pem", "-out", "c.pem")
    for key in ("a.pem", "b.pem", "c.pem"):
        assert user.text("pkey", "-in", key, "-text") == maker.text("pkey", "-in", key, "-text")
        user.run("pkey", "-in", key, "-check", "-noout")
        user.run("ec", "-in", key, "-param_enc", "explicit", "-conv_form", "compressed", "-out", "explicit.pem")
        maker.run("pkey", "-in", "explicit.pem", "-check", "-noout")


@pytest.mark.parametrize("curve", CURVES)
def test_derive(pair, tmp_path, curve):
    maker, user = pair
    for who, name in ((maker, "a"), (user, "b")):
        who.run("ecparam", "-name", curve, "-genkey", "-noout", "-out", f"{name}.pem")
        who.run("pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub")
    maker.run("pkeyutl", "-derive", "-inkey", "a.pem", "-peerkey", "b.pub", "-out", "x")
    user.run("pkeyutl", "-derive", "-inkey", "b.pem", "-peerkey", "a.pub", "-out", "y")
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes() != b""


@pytest.mark.parametrize("curve", CURVES)
def test_certificates(pair, tmp_path, curve):
    maker, user = pair
    (tmp_path / "message").write_bytes(b"eight lanes" * 1000)
    maker.run("req", "-x509", "-newkey", "ec", "-pkeyopt", f"ec_paramgen_curve:{CURVES[curve]}", "-nodes", "-keyout",
              "k.pem", "-out", "c.pem", "-subj", "/CN=test", "-days", "30", "-sha384")
    user.run("verify", "-CAfile", "c.pem", "c.pem")
    maker.run("cms", "-sign", "-in", "message", "-binary", "-signer", "c.pem", "-inkey", "k.pem", "-outform", "DER",
              "-nodetach", "-out", "signed")
    user.run("cms", "-verify", "-in", "signed", "-inform", "DER", "-CAfile", "c.pem", "-purpose", "any", "-binary",
             "-out", "back")
    assert (tmp_path / "back").read_bytes() == (tmp_path / "message").read_bytes()
    maker.run("cms", "-encrypt", "-aes256", "-binary", "-in", "message", "-outform", "DER", "-out", "secret", "c.pem")
    user.run("cms", "-decrypt", "-in", "secret", "-inform", "DER", "-inkey",
             "k.pem", "-recip", "c.pem", "-out", "clear")
    assert (tmp_path / "clear").read_bytes() == (tmp_path / "message").read_bytes()


@pytest.mark.parametrize("curve", CURVES)
def test_wrong_signature(pair, tmp_path, curve):
    maker, user = pair
    (tmp_path / "message").write_bytes(b"one")
    maker.run("ecparam", "-name", curve, "-genkey", "-noout", "-out", "k.pem")
    maker.run("pkey", "-in", "k.pem", "-pubout", "-out", "k.pub")
    maker.run("dgst", "-sha256", "-sign", "k.pem", "-out", "s", "message")
    user.run("dgst", "-sha256", "-verify", "k.pub", "-signature", "s", "message")
    (tmp_path / "message").write_bytes(b"two")
    assert user.run("dgst", "-sha256", "-verify", "k.pub", "-signature", "s", "message", check=False).returncode != 0
