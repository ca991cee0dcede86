# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""SM2 with the openssl command: keys, messages, certificates and encryption, with Octuple and against OpenSSL alone."""
import re

import pytest

ID = "distid:1234567812345678"


@pytest.fixture(params=["made here", "made there"])
def pair(request, octuple, plain):
    """(who makes, who uses)"""
    if "SM2" not in plain.text("list", "-signature-algorithms"):
        pytest.skip("this OpenSSL has no SM2")
    return (octuple, plain) if request.param == "made here" else (plain, octuple)


def test_who_serves(octuple):
    assert re.search(r"\bSM2 \} @ octuple", octuple.text("list", "-signature-algorithms"))


def test_keys(pair):
    maker, user = pair
    maker.run("genpkey", "-algorithm", "SM2", "-out", "a.pem")
    maker.run("ecparam", "-name", "SM2", "-genkey", "-noout", "-out", "b.pem")
    for key in ("a.pem", "b.pem"):
        assert user.text("pkey", "-in", key, "-text") == maker.text("pkey", "-in", key, "-text")
        for command in pair:
            assert "Key is valid" in command.text("pkey", "-in", key, "-check", "-noout")
            assert command.run("pkey", "-in", key, "-pubout").stdout == maker.run("pkey", "-in", key, "-pubout").stdout


@pytest.mark.parametrize("options", [[], [ID]])
def test_messages(pair, tmp_path, options):
    maker, user = pair
    maker.run("genpkey", "-algorithm", "SM2", "-out", "k.pem")
    maker.run("pkey", "-in", "k.pem", "-pubout", "-out", "k.pub")
    arguments = [word for option in options for word in ("-sigopt", option)]
    (tmp_path / "message").write_bytes(b"eight lanes" * 1000)
    maker.run("dgst", "-sm3", "-sign", "k.pem", *arguments, "-out", "s", "message")
    check = ["dgst", "-sm3", "-verify", "k.pub", *arguments, "-signature", "s", "message"]
    for command in pair:
        assert "Verified OK" in command.text(*check)
    (tmp_path / "message").write_bytes(b"two")
    for command in pair:
        assert command.run(*check, check=False).returncode != 0


def test_digests(pair, tmp_path):
    maker, user = pair
    maker.run("genpkey", "-algorithm", "SM2", "-out", "k.pem")
    maker.run("pkey", "-in", "k.pem", "-pubout", "-out", "k.pub")
    (tmp_path / "digest").write_bytes(bytes(range(32)))
    maker.run("pkeyutl", "-sign", "-inkey", "k.pem", "-in", "digest", "-out", "s")
    for command in pair:
        command.run("pkeyutl", "-verify", "-pubin", "-inkey", "k.pub", "-in", "digest", "-sigfile", "s")


def test_certificates(pair):
    maker, user = pair
    maker.run("genpkey", "-algorithm", "SM2", "-out", "ca.key")
    maker.run("req", "-x509", "-new", "-key", "ca.key", "-sm3", "-sigopt", ID, "-subj", "/CN=authority", "-days", "30",
              "-addext", "basicConstraints=critical,CA:TRUE", "-out", "ca.pem")
    user.run("genpkey", "-algorithm", "SM2", "-out", "k.pem")
    user.run("req", "-new", "-key", "k.pem", "-sm3", "-sigopt", ID, "-subj", "/CN=leaf", "-out", "r.pem")
    (maker.folder / "leaf").write_text("basicConstraints = CA:FALSE\n")
    maker.run("x509", "-req", "-in", "r.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30",
              "-sm3", "-sigopt", ID, "-vfyopt", ID, "-extfile", "leaf", "-out", "c.pem")
    for command in pair:
        assert "SM2-with-SM3" in command.text("x509", "-in", "c.pem", "-text", "-noout")
        command.run("verify", "-CAfile", "ca.pem", "-vfyopt", ID, "c.pem")
        assert command.run("verify", "-CAfile", "ca.pem", "-vfyopt", "distid:other", "c.pem",
                           check=False).returncode != 0


def test_cms(pair, tmp_path):
    """The same verdicts with and without: OpenSSL before 3.5 or so signs no CMS with these keys."""
    maker, user = pair
    (tmp_path / "message").write_bytes(b"eight lanes")
    maker.run("genpkey", "-algorithm", "SM2", "-out", "k.pem")
    maker.run("req", "-x509", "-new", "-key", "k.pem", "-sm3", "-subj", "/CN=test", "-days", "30", "-out", "c.pem")
    arguments = ["cms", "-sign", "-in", "message", "-binary", "-signer", "c.pem", "-inkey", "k.pem", "-md", "sm3",
                 "-outform", "DER", "-nodetach", "-out", "signed"]
    assert len({command.run(*arguments, check=False).returncode for command in pair}) == 1
    check = ["cms", "-verify", "-in", "signed", "-inform", "DER", "-CAfile", "c.pem", "-purpose", "any", "-binary"]
    assert len({command.run(*check, check=False).returncode for command in pair}) == 1


def test_encryption(pair, tmp_path):
    maker, user = pair
    (tmp_path / "message").write_bytes(b"eight lanes")
    maker.run("genpkey", "-algorithm", "SM2", "-out", "k.pem")
    maker.run("pkey", "-in", "k.pem", "-pubout", "-out", "k.pub")
    maker.run("pkeyutl", "-encrypt", "-pubin", "-inkey", "k.pub", "-in", "message", "-out", "secret")
    user.run("pkeyutl", "-decrypt", "-inkey", "k.pem", "-in", "secret", "-out", "clear")
    assert (tmp_path / "clear").read_bytes() == b"eight lanes"
