# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""X25519 with the openssl command, and every group of TLS next to it:
with Octuple loaded, and against OpenSSL alone."""
import re

import pytest


def test_keys(octuple, plain):
    octuple.run("genpkey", "-algorithm", "X25519", "-out", "key.pem")
    for command in (octuple, plain):
        assert "Key is valid" in command.text("pkey", "-in", "key.pem", "-check", "-noout")
    for arguments in (["-text"], ["-pubout"], ["-outform", "DER"], ["-pubout", "-text"]):
        assert octuple.run("pkey", "-in", "key.pem",
                           *arguments).stdout == plain.run("pkey", "-in", "key.pem", *arguments).stdout
    octuple.run("genpkey", "-algorithm", "x25519", "-aes256", "-pass", "pass:secret", "-out", "locked.pem")
    assert "X25519 Private-Key" in plain.text("pkey", "-in", "locked.pem", "-passin", "pass:secret", "-text", "-noout")


def test_derive(octuple, plain):
    octuple.run("genpkey", "-algorithm", "X25519", "-out", "a.pem")
    plain.run("genpkey", "-algorithm", "X25519", "-out", "b.pem")
    for name in "ab":
        plain.run("pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub")
    secrets = {command.run("pkeyutl", "-derive", "-inkey", f"{own}.pem", "-peerkey", f"{peer}.pub").stdout
               for command in (octuple, plain) for own, peer in ("ab", "ba")}
    assert len(secrets) == 1 and len(secrets.pop()) == 32


def test_derive_small_order(octuple, tmp_path):
    octuple.run("genpkey", "-algorithm", "X25519", "-out", "a.pem")
    (tmp_path / "zero.der").write_bytes(bytes.fromhex("302a300506032b656e032100") + bytes(32))
    done = octuple.run("pkeyutl", "-derive", "-inkey", "a.pem", "-peerkey", "zero.der", "-peerform", "DER", check=False)
    assert done.returncode != 0 and done.stdout == b""


def test_list(octuple, make_command):
    assert "{ 1.3.101.110, X25519 } @ octuple" in octuple.text("list", "-key-exchange-algorithms")
    assert "Octuple X25519 keys" in octuple.text("list", "-key-managers")
    command = make_command("x25519 = off")
    assert "X25519 } @ octuple" not in command.text("list", "-key-exchange-algorithms")
    assert "Octuple X25519 keys" not in command.text("list", "-key-managers")


def test_speed(octuple, is_slow):
    """With 64 fibres they run in lanes, where these pay."""
    text, operations = octuple.counted("speed", "-provider", "octuple", "-propquery", "?octuple.serves=yes",
                                       "-async_jobs", "64", "-seconds", "1", "-mr", "ecdhx25519")
    assert re.search(r"\+F5:\d+:253:[\d.e-]+", text)
    assert is_slow or operations["x25519-derive"].flushes[7] > 0


GROUPS = ["X25519", "P-256", "P-384", "P-521", "X448", "ffdhe2048", "ffdhe3072"]


@pytest.fixture
def serve(s_server, plain, keys):
    """serve(COMMAND, OPTIONS...) starts a server with all groups and returns its port."""
    def start(command, *options):
        plain.run("req", "-x509", "-key", keys / "2048a.pem", "-subj", "/CN=localhost", "-out", "server.crt")
        return s_server(command, "-cert", "server.crt", "-key", keys / "2048a.pem", *options)
    return start


def temp_key(command, port, *options):
    done = command.run("s_client", "-connect", f"127.0.0.1:{port}", *options, check=False, input=b"", timeout=60)
    text = done.stdout.decode(errors="replace")
    found = re.search(r"(?:Server|Peer) Temp Key: (.*)", text)
    return found.group(1) if found and re.search(r"Cipher is (?!\(NONE\))", text) else text + done.stderr.decode()


NAMES = {"X25519": "X25519, 253", "P-256": "ECDH, prime256v1", "P-384": "ECDH, secp384r1", "P-521": "ECDH, secp521r1",
         "X448": "X448, 448", "ffdhe2048": "DH, 2048", "ffdhe3072": "DH, 3072"}


@pytest.mark.parametrize("options", [(), ("-async",)], ids=["plain", "async"])
def test_groups(serve, octuple, plain, options):
    """Each group that servers can name works, by whichever provider, in both versions of TLS,
    with either kind of client."""
    port = serve(octuple, "-groups", ":".join(GROUPS), *options)
    for group in GROUPS:
        for version in ("-tls1_3", "-tls1_2"):
            if version == "-tls1_2" and group.startswith("ffdhe"):
                continue  # there the server's own parameters count
            for client in (plain, octuple):
                text = temp_key(client, port, version, "-groups", group)
                assert text.startswith(NAMES[group]), (group, version, text)


def test_our_client(serve, octuple, plain):
    port = serve(plain, "-groups", ":".join(GROUPS))
    for group in GROUPS:
        for options in ((), ("-async",)):
            text = temp_key(octuple, port, "-groups", group, *options)
            assert text.startswith(NAMES[group]), (group, text)


@pytest.mark.parametrize("settings", ["x25519 = off", "pools = off"])
def test_switched_off(serve, make_command, plain, settings):
    port = serve(make_command(settings), "-async", "-groups", "X25519:P-256")
    for version in ("-tls1_3", "-tls1_2"):
        assert temp_key(plain, port, version, "-groups", "X25519").startswith("X25519, 253")


def test_hello_retry(serve, octuple, plain):
    """The client guesses another group than the server has: its second share is taken."""
    port = serve(octuple, "-async", "-groups", "X25519")
    assert temp_key(plain, port, "-tls1_3", "-groups", "P-256:X25519").startswith("X25519, 253")
