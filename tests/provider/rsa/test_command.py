# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""The openssl command with the provider does what it does without, and both understand each other."""
import os
import re
import shlex
import shutil
import subprocess

import pytest

from lab import ROOT, counters

LANE_KEYS = ["2048a", "2048e3", "3072a", "4096a"]
ALL_KEYS = LANE_KEYS + ["1024", "1025", "2047", "2048x3"]
if os.environ.get("OCTUPLE_TABLE") == "c":
    # Outside of fibres the table hardly matters, and each command spends a long time on known answers with this one.
    LANE_KEYS = ["2048a"]
    ALL_KEYS = ["2048a", "1024"]

PKCS1 = ["-pkeyopt", "rsa_padding_mode:pkcs1"]
PSS = ["-pkeyopt", "rsa_padding_mode:pss"]
SCHEMES = {
    "pkcs1": PKCS1,
    "pss-digest": PSS + ["-pkeyopt", "rsa_pss_saltlen:digest"],
    "pss-max": PSS + ["-pkeyopt", "rsa_pss_saltlen:max"],
    "pss-auto": PSS + ["-pkeyopt", "rsa_pss_saltlen:auto"],
    "pss-number": PSS + ["-pkeyopt", "rsa_pss_saltlen:11"],
    "pss-mgf1": PSS + ["-pkeyopt", "rsa_mgf1_md:sha1"],
}


def test_is_loaded(octuple):
    text = octuple.text("list", "-providers")
    assert re.search(r"octuple\n\s+name: Octuple provider\n\s+version: \d+\.\d+\.\d+\n\s+status: active", text)


def test_documented_speed_command(octuple, tmp_path):
    """As docs/operations.md has it, without a configuration file, and in lanes."""
    [command] = re.findall(r"^ {4}(openssl speed .*)$", (ROOT / "docs/operations.md").read_text(), re.MULTILINE)
    environment = dict(os.environ, OPENSSL_CONF="/dev/null", OCTUPLE_COUNTERS=str(tmp_path))
    done = subprocess.run(shlex.split(command), env=environment, cwd=tmp_path, capture_output=True, text=True,
                          timeout=300, check=False)  # from 3.5 on it makes 64 keys too
    assert done.returncode == 0, done.stderr
    assert re.search(r"^ *rsa ?2048 .*\d$", done.stdout, re.MULTILINE)
    [count] = [counters.read(path) for path in tmp_path.glob("*.octuple")]
    assert count["rsa2048-private"].flushes[7] > 0
    assert count["rsa2048-private"].done > count["rsa2048-private"].fallback
    assert count["rsa2048-private"].failed == 0


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ALL_KEYS)
def test_sign(octuple, plain, keys, tmp_path, name, scheme):
    (tmp_path / "message").write_bytes(b"eight lanes" * 1000)
    for digest in ("sha256", "sha384"):
        options = SCHEMES[scheme] + ["-rawin", "-digest", digest, "-in", "message"]
        for signer, verifier in ((octuple, plain), (plain, octuple)):
            signer.run("pkeyutl", "-sign", "-inkey", keys / f"{name}.pem", "-out", "signature", *options)
            check = ["pkeyutl", "-verify", "-pubin", "-inkey", keys / f"{name}.pub.pem", "-sigfile", "signature"]
            assert b"Successfully" in verifier.run(*check, *options).stdout
        signature = bytearray((tmp_path / "signature").read_bytes())
        signature[-1] ^= 1
        (tmp_path / "signature").write_bytes(signature)
        assert octuple.run(*check, *options, check=False).returncode != 0


@pytest.mark.parametrize("name", LANE_KEYS)
def test_dgst(octuple, plain, keys, tmp_path, name):
    (tmp_path / "message").write_bytes(bytes(range(256)) * 5)
    octuple.run("dgst", "-sha512", "-sign", keys / f"{name}.pem", "-out", "one", "message")
    plain.run("dgst", "-sha512", "-sign", keys / f"{name}.pem", "-out", "two", "message")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    octuple.run("dgst", "-sha512", "-verify", keys / f"{name}.pub.pem", "-signature", "two", "message")
    plain.run("dgst", "-sha512", "-verify", keys / f"{name}.pub.pem", "-signature", "one", "message")


def test_verify_recover(octuple, plain, keys, tmp_path):
    (tmp_path / "digest").write_bytes(bytes(range(32)))
    plain.run("pkeyutl", "-sign", "-inkey", keys / "2048a.pem", "-in", "digest", "-out", "signature",
              "-pkeyopt", "digest:sha256")
    done = octuple.run("pkeyutl", "-verifyrecover", "-pubin", "-inkey", keys / "2048a.pub.pem", "-in", "signature",
                       "-pkeyopt", "digest:sha256")
    assert done.stdout == bytes(range(32))


OAEP = ["-pkeyopt", "rsa_padding_mode:oaep"]
CIPHERS = {
    "pkcs1": PKCS1,
    "oaep": OAEP,
    "oaep-sha256": OAEP + ["-pkeyopt", "rsa_oaep_md:sha256"],
    "oaep-mixed": OAEP + ["-pkeyopt", "rsa_oaep_md:sha256", "-pkeyopt", "rsa_mgf1_md:sha1"],
    "oaep-label": OAEP + ["-pkeyopt", "rsa_oaep_label:6c6162656c"],
}


@pytest.mark.parametrize("scheme", CIPHERS)
@pytest.mark.parametrize("name", ALL_KEYS)
def test_encrypt(octuple, plain, keys, tmp_path, name, scheme):
    (tmp_path / "message").write_bytes(b"a secret")
    options = CIPHERS[scheme]
    for encryptor, decryptor in ((octuple, plain), (plain, octuple)):
        encryptor.run("pkeyutl", "-encrypt", "-pubin", "-inkey", keys / f"{name}.pub.pem", "-in", "message",
                      "-out", "ciphertext", *options)
        done = decryptor.run("pkeyutl", "-decrypt", "-inkey", keys / f"{name}.pem", "-in", "ciphertext", *options)
        assert done.stdout == b"a secret"


def test_bad_ciphertext(octuple, plain, keys, tmp_path):
    """As OpenSSL's own. With implicit rejection there is no error, but a message that does not change, and another one
    for another ciphertext."""
    answers = []
    for last in (1, 1, 2):
        (tmp_path / "ciphertext").write_bytes(b"\0" + b"\x42" * 254 + bytes([last]))
        done, stock = (who.run("pkeyutl", "-decrypt", "-inkey", keys / "2048a.pem", "-in", "ciphertext", check=False)
                       for who in (octuple, plain))
        assert (done.returncode, done.stdout) == (stock.returncode, stock.stdout)
        answers.append((done.returncode, done.stdout))
    assert answers[0] == answers[1] and (answers[1] != answers[2] or answers[0][0] != 0)
    for wrong in (b"\xff" * 256, b"\x01" * 257):
        (tmp_path / "ciphertext").write_bytes(wrong)
        assert octuple.run("pkeyutl", "-decrypt", "-inkey", keys / "2048a.pem", "-in", "ciphertext",
                           check=False).returncode != 0


@pytest.mark.parametrize("name", ALL_KEYS)
def test_key_text(octuple, plain, keys, name):
    for arguments in (["rsa", "-in", keys / f"{name}.pem", "-text"], ["pkey", "-in", keys / f"{name}.pem", "-text"],
                      ["rsa", "-pubin", "-in", keys / f"{name}.pub.pem", "-text", "-modulus"],
                      ["rsa", "-in", keys / f"{name}.pem", "-traditional"],
                      ["pkey", "-in", keys / f"{name}.pem", "-outform", "DER"]):
        assert octuple.run(*arguments).stdout == plain.run(*arguments).stdout
    assert "Key is valid" in octuple.text("pkey", "-in", keys / f"{name}.pem", "-check", "-noout")


def test_generate(octuple, plain, tmp_path):
    """Keys made here, encrypted, read there, and the old command."""
    octuple.run("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt",
                "rsa_keygen_pubexp:65539", "-aes256", "-pass", "pass:secret", "-out", "key.pem")
    assert "65539" in plain.text("pkey", "-in", "key.pem", "-passin", "pass:secret", "-text", "-noout")
    assert "65539" in octuple.text("pkey", "-in", "key.pem", "-passin", "pass:secret", "-text", "-noout")
    octuple.run("genrsa", "-out", "old.pem", "2048")
    assert "RSA key ok" in plain.text("rsa", "-in", "old.pem", "-check", "-noout")
    octuple.run("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt",
                "rsa_keygen_primes:3", "-out", "three.pem")
    assert "3 primes" in plain.text("pkey", "-in", "three.pem", "-text", "-noout")


@pytest.mark.parametrize("bits", [2048, 3072, 4096])
def test_generate_in_lanes(octuple, plain, bits):
    """By each command that makes keys; OpenSSL checks them, and a certificate signed at once."""
    octuple.run("genrsa", "-out", "a.pem", bits)
    octuple.run("genpkey", "-algorithm", "RSA", "-pkeyopt", f"rsa_keygen_bits:{bits}", "-out", "b.pem")
    octuple.run("req", "-x509", "-newkey", f"rsa:{bits}", "-nodes", "-subj", "/CN=x", "-keyout", "c.pem",
                "-out", "d.pem")
    moduli = set()
    for name in ("a.pem", "b.pem", "c.pem"):
        assert "RSA key ok" in plain.text("rsa", "-in", name, "-check", "-noout")
        text = plain.text("rsa", "-in", name, "-text", "-noout")
        assert f"({bits} bit, 2 primes)" in text and "publicExponent: 65537 (0x10001)" in text
        moduli.add(plain.text("rsa", "-in", name, "-modulus", "-noout"))
    assert len(moduli) == 3
    assert "OK" in plain.text("verify", "-CAfile", "d.pem", "d.pem")


def test_generated_keys_in_gnutls(octuple, plain, tmp_path):
    """GnuTLS reads the key, looks at its numbers, and signs with it."""
    if not shutil.which("certtool"):
        pytest.skip("Debian's package gnutls-bin is not installed")
    octuple.run("genrsa", "-out", "key.pem", "2048")
    (tmp_path / "template").write_text("cn = x\nca\nserial = 1\nexpiration_days = 2\n")
    made = subprocess.run(["certtool", "--generate-self-signed", "--load-privkey", "key.pem", "--template", "template",
                           "--outfile", "certificate.pem"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert "OK" in plain.text("verify", "-CAfile", "certificate.pem", "certificate.pem")


CERTIFICATES = {
    "pkcs1": ["-sha256"],
    "sha1": ["-sha1"],
    "sha512": ["-sha512"],
    "sha3": ["-sha3-256"],
    "pss": ["-sha256", "-sigopt", "rsa_padding_mode:pss"],
    "pss-salt": ["-sha384", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:20"],
    "pss-mgf1": ["-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_mgf1_md:sha1"],
}


@pytest.mark.parametrize("kind", CERTIFICATES)
def test_certificates(octuple, plain, keys, tmp_path, kind):
    """An authority here and one there, requests signed by the other, everything verified by both."""
    for number, (maker, signer) in enumerate(((octuple, plain), (plain, octuple))):
        maker.run("req", "-x509", "-key", keys / "3072a.pem", "-subj", "/CN=authority", "-out", "ca.pem",
                  "-addext", "basicConstraints=critical,CA:TRUE", *CERTIFICATES[kind])
        signer.run("req", "-new", "-key", keys / "2048a.pem", "-subj", f"/CN=server {number}", "-out", "server.csr",
                   *CERTIFICATES[kind])
        verified = maker.run("req", "-in", "server.csr", "-verify", "-noout")
        assert b"verify OK" in verified.stderr + verified.stdout
        signer.run("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", keys / "3072a.pem",
                   "-set_serial", "1", "-out", "server.pem", "-extfile", "/dev/null", *CERTIFICATES[kind])
        for verifier in (octuple, plain):
            assert "OK" in verifier.text("verify", "-CAfile", "ca.pem", "-auth_level", "0", "server.pem")
            assert f"server {number}" in verifier.text("x509", "-in", "server.pem", "-noout", "-text")


def test_same_certificate(octuple, plain, keys, tmp_path):
    """The algorithm identifiers, and so the whole certificates, are the same bytes."""
    made = []
    for command in (octuple, plain):
        command.run("req", "-x509", "-key", keys / "2048a.pem", "-subj", "/CN=same", "-set_serial", "7", "-sha256",
                    "-days", "3650", "-out", "same.pem")
        made.append(re.sub(r"Not (Before|After *): .*|Signature Value:(\s+[0-9a-f:]+)+", "",
                           command.text("x509", "-in", "same.pem", "-noout", "-text")))
    assert made[0] == made[1]


@pytest.mark.parametrize("padding", ["pkcs1", "pss"])
def test_cms_signed(octuple, plain, keys, tmp_path, padding):
    plain.run("req", "-x509", "-key", keys / "2048a.pem", "-subj", "/CN=signer", "-out", "signer.pem")
    (tmp_path / "message").write_bytes(b"signed\r\n" * 10)
    options = ["-keyopt", f"rsa_padding_mode:{padding}"]
    for signer, verifier in ((octuple, plain), (plain, octuple)):
        signer.run("cms", "-sign", "-binary", "-nodetach", "-in", "message", "-signer", "signer.pem", "-inkey",
                   keys / "2048a.pem", "-out", "signed", *options)
        done = verifier.run("cms", "-verify", "-binary", "-in", "signed", "-CAfile", "signer.pem", "-purpose", "any")
        assert done.stdout == b"signed\r\n" * 10


@pytest.mark.parametrize("padding", ["pkcs1", "oaep"])
def test_cms_encrypted(octuple, plain, keys, tmp_path, padding):
    plain.run("req", "-x509", "-key", keys / "2048a.pem", "-subj", "/CN=reader", "-out", "reader.pem")
    (tmp_path / "message").write_bytes(b"for one reader\r\n" * 10)
    options = ["-recip", "reader.pem", "-keyopt", f"rsa_padding_mode:{padding}"]
    for encryptor, decryptor in ((octuple, plain), (plain, octuple)):
        encryptor.run("cms", "-encrypt", "-binary", "-aes256", "-in", "message", "-out", "encrypted", *options)
        done = decryptor.run("cms", "-decrypt", "-binary", "-in", "encrypted", "-recip", "reader.pem", "-inkey",
                             keys / "2048a.pem")
        assert done.stdout == b"for one reader\r\n" * 10


def speed(command, *arguments):
    """Operations by name, after some signatures and verifications."""
    text, operations = command.counted("speed", "-seconds", "1", "-mr", *arguments, "rsa2048")
    assert min(map(float, re.search(r"\+F2:\d+:\d+:([\d.]+):([\d.]+)", text).groups())) > 0
    return operations


def test_speed(octuple, is_slow):
    """Asked for by configuration and command line, with 64 fibres: it runs in lanes, where these pay."""
    operations = speed(octuple, "-provider", "octuple", "-propquery", "?octuple.serves=yes", "-async_jobs", "64")
    assert is_slow or min(operations[f"rsa2048-{kind}"].flushes[7] for kind in ("private", "public")) > 0


def test_speed_without_fibres(octuple):
    operations = speed(octuple)
    assert operations["rsa2048-private"].all > 0


def test_switch(octuple, make_command, keys, tmp_path):
    kinds = ("key-managers", "signature-algorithms", "asymcipher-algorithms")
    assert all(re.search("RSA.* @ octuple", octuple.text("list", f"-{kind}")) for kind in kinds)
    command = make_command("rsa = off")
    assert not any(re.search("RSA.* @ octuple", command.text("list", f"-{kind}")) for kind in kinds)
    (tmp_path / "message").write_bytes(b"x" * 20)
    command.run("dgst", "-sha256", "-sign", keys / "2048a.pem", "-out", "signature", "message")
    command.run("dgst", "-sha256", "-verify", keys / "2048a.pub.pem", "-signature", "signature", "message")
