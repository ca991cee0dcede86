# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""Ed25519 with the openssl command: keys, certificates, messages and TLS, with Octuple and against OpenSSL alone."""
import re

import pytest


@pytest.fixture(params=["made here", "made there"])
def pair(request, octuple, plain):
    """(who makes, who uses)"""
    return (octuple, plain) if request.param == "made here" else (plain, octuple)


def test_keys(pair):
    maker, user = pair
    maker.run("genpkey", "-algorithm", "ED25519", "-out", "key.pem")
    for command in pair:
        assert "Key is valid" in command.text("pkey", "-in", "key.pem", "-check", "-noout")
    for arguments in (["-text"], ["-pubout"], ["-outform", "DER"], ["-pubout", "-text"]):
        shown = [command.run("pkey", "-in", "key.pem", *arguments).stdout for command in pair]
        assert shown[0] == shown[1] != b""
    maker.run("genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:secret", "-out", "locked.pem")
    assert "ED25519 Private-Key" in user.text("pkey", "-in", "locked.pem", "-passin", "pass:secret", "-text", "-noout")


def test_messages(pair, tmp_path):
    maker, user = pair
    maker.run("genpkey", "-algorithm", "ED25519", "-out", "k.pem")
    maker.run("pkey", "-in", "k.pem", "-pubout", "-out", "k.pub")
    for text in (b"8", b"eight lanes", b"eight lanes" * 1000):
        (tmp_path / "message").write_bytes(text)
        for command, name in zip(pair, "ab"):
            command.run("pkeyutl", "-sign", "-rawin", "-inkey", "k.pem", "-in", "message", "-out", name)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() and (tmp_path / "a").stat().st_size == 64
        check = ["pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "k.pub", "-in", "message", "-sigfile", "a"]
        for command in pair:
            assert "Verified Successfully" in command.text(*check)
        (tmp_path / "message").write_bytes(text + b".")
        assert user.run(*check, check=False).returncode != 0


def test_no_digest(octuple, tmp_path):
    """There is none with these keys: whoever names one is told so."""
    (tmp_path / "message").write_bytes(b"eight lanes")
    octuple.run("genpkey", "-algorithm", "ED25519", "-out", "k.pem")
    for arguments in (["dgst", "-sha256", "-sign", "k.pem", "-out", "s", "message"],
                      ["pkeyutl", "-sign", "-rawin", "-digest", "sha512", "-inkey", "k.pem", "-in", "message"]):
        assert octuple.run(*arguments, check=False).returncode != 0


def make_certificates(maker, signer=None):
    """An authority and a certificate by it, all Ed25519: ca.pem, c.pem, k.pem."""
    signer = signer or maker
    maker.run("req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "30",
              "-subj", "/CN=authority", "-addext", "basicConstraints=critical,CA:TRUE")
    signer.run("req", "-new", "-newkey", "ed25519", "-nodes", "-keyout", "k.pem", "-out", "r.pem",
               "-subj", "/CN=localhost")
    maker.run("x509", "-req", "-in", "r.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30",
              "-out", "c.pem", "-extfile", "/dev/null")  # OpenSSL 4.0 takes the configuration for one


def test_certificates(pair, tmp_path):
    maker, user = pair
    make_certificates(maker, user)
    for command in pair:
        assert "c.pem: OK" in command.text("verify", "-CAfile", "ca.pem", "c.pem")
        verified = command.run("req", "-in", "r.pem", "-verify", "-noout")
        assert b"verify OK" in verified.stdout + verified.stderr
    assert user.text("x509", "-in", "c.pem", "-text") == maker.text("x509", "-in", "c.pem", "-text")
    assert "Signature Algorithm: ED25519" in user.text("x509", "-in", "c.pem", "-text", "-noout")
    der = bytearray(maker.run("x509", "-in", "c.pem", "-outform", "DER").stdout)
    der[-1] ^= 1
    (tmp_path / "broken.der").write_bytes(der)
    user.run("x509", "-inform", "DER", "-in", "broken.der", "-out", "broken.pem")
    for command in pair:
        assert command.run("verify", "-CAfile", "ca.pem", "broken.pem", check=False).returncode != 0


def test_list(octuple, make_command):
    assert "{ 1.3.101.112, ED25519 } @ octuple" in octuple.text("list", "-signature-algorithms")
    assert "Octuple Ed25519 keys" in octuple.text("list", "-key-managers")
    command = make_command("ed25519 = off")
    assert "ED25519 } @ octuple" not in command.text("list", "-signature-algorithms")
    assert "Octuple Ed25519 keys" not in command.text("list", "-key-managers")


@pytest.fixture
def serve(s_server, plain):
    """serve(COMMAND, OPTIONS...) starts a server with an Ed25519 certificate and returns its port."""
    def start(command, *options):
        make_certificates(plain)
        return s_server(command, "-cert", "c.pem", "-key", "k.pem", "-www", *options)
    return start


def fetch(command, port, *options):
    """One handshake by a client that verifies, and one page."""
    done = command.run("s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", "ca.pem", "-verify_return_error",
                       "-ign_eof", *options, check=False, input=b"GET / HTTP/1.0\r\n\r\n", timeout=60)
    return done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


VERSIONS = {"tls13": ["-tls1_3"], "tls12": ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"]}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("options", [(), ("-async",)], ids=["plain", "async"])
def test_handshake(serve, octuple, plain, options, version):
    port = serve(octuple, *options)
    for client in (plain, octuple, plain):
        text = fetch(client, port, *VERSIONS[version])
        assert "HTTP/1.0 200 ok" in text and re.search(r"Peer signature type: (?i:ed25519)", text), text
        assert "Verify return code: 0 (ok)" in text, text


@pytest.mark.parametrize("version", VERSIONS)
def test_our_client(serve, octuple, plain, version):
    port = serve(plain)
    for options in ((), ("-async",)):
        assert "HTTP/1.0 200 ok" in fetch(octuple, port, *VERSIONS[version], *options)


@pytest.mark.parametrize("version", VERSIONS)
def test_client_certificate(serve, octuple, plain, version):
    """The server verifies the chain and the handshake, the client signs."""
    jobs = ["-async"] if version == "tls13" else []  # s_server sleeps a second each time that one has paused
    port = serve(octuple, *jobs, "-Verify", "1", "-verify_return_error", "-CAfile", "ca.pem")
    for client in (plain, octuple):
        text = fetch(client, port, *VERSIONS[version], "-cert", "c.pem", "-key", "k.pem")
        assert "HTTP/1.0 200 ok" in text, text
    assert "HTTP/1.0 200 ok" not in fetch(plain, port, *VERSIONS[version])
    plain.run("req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", "o.key", "-out", "o.pem", "-subj", "/CN=other")
    assert "HTTP/1.0 200 ok" not in fetch(plain, port, *VERSIONS[version], "-cert", "o.pem", "-key", "o.key")


def test_switched_off(serve, make_command, plain):
    port = serve(make_command("ed25519 = off"), "-async")
    for version in VERSIONS.values():
        assert "HTTP/1.0 200 ok" in fetch(plain, port, *version)
