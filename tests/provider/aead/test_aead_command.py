# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""AES-GCM and ChaCha20-Poly1305 with the openssl command: speed, CMS, and TLS with large transfers both ways, each with
Octuple and against OpenSSL alone."""
import hashlib
import os
import random
import re
import subprocess

import pytest

from lab import depth, machine

GCM = ["aes-128-gcm", "aes-192-gcm", "aes-256-gcm"]
SUITES = {
    "TLS_AES_128_GCM_SHA256": ["-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256"],
    "TLS_AES_256_GCM_SHA384": ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"],
    "TLS_CHACHA20_POLY1305_SHA256": ["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"],
    "ECDHE-RSA-AES128-GCM-SHA256": ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"],
    "ECDHE-RSA-AES256-GCM-SHA384": ["-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384"],
    "ECDHE-RSA-CHACHA20-POLY1305": ["-tls1_2", "-cipher", "ECDHE-RSA-CHACHA20-POLY1305"],
}
LARGE = (20 if depth.EXHAUSTIVE else 5) << 20


@pytest.fixture(autouse=True)
def ciphers_on(octuple):
    octuple.environment["OCTUPLE_CIPHERS"] = "on"


@pytest.fixture
def served(octuple):
    """The names of Octuple's ciphers."""
    text = octuple.text("list", "-cipher-algorithms")
    return [line.lower() for line in text.splitlines() if line.endswith("@ octuple")]


@pytest.fixture
def some(is_slow):
    """Data that does not repeat; less of it where that takes minutes."""
    return random.Random(8).randbytes(LARGE >> 5 if is_slow else LARGE)


def is_served(served, name):
    return any(name in line for line in served)


def test_switched_off(octuple):
    octuple.environment["OCTUPLE_CIPHERS"] = "off"
    assert "@ octuple" not in octuple.text("list", "-cipher-algorithms")


def test_list(served, is_slow):
    """ChaCha20-Poly1305 needs vectors of 256 bits at least, where it is not on portable code."""
    for name in GCM:
        assert is_served(served, name)
    wide = "avx2" in machine.cpu()[1] and os.environ.get("OCTUPLE_WIDTH") != "128"
    assert is_served(served, "chacha20-poly1305") == (is_slow or wide)


# Each cipher, and each way to run one: a second each.
@pytest.mark.parametrize("name, options", [*((name, ["-aead"]) for name in [*GCM, "chacha20-poly1305"]),
                                           ("chacha20-poly1305", ["-aead", "-decrypt"]),
                                           ("aes-128-gcm", ["-aead", "-decrypt"]),
                                           ("aes-256-gcm", []), ("aes-256-gcm", ["-multi", "2"])])
def test_speed(octuple, name, options):
    done = octuple.run("speed", "-seconds", "1", "-bytes", "1440", "-evp", name, *options)
    # On a busy machine openssl may count no time at all.
    rate = r"^(AES-...-GCM|ChaCha20-Poly1305|evp) +([1-9][0-9.]*|inf)k"
    assert re.search(rate, done.stdout.decode(), re.M | re.I), done


@pytest.mark.parametrize("name", GCM)
def test_cms(octuple, plain, keys, name, tmp_path, some):
    """Enveloped with authentication (RFC 5083), there and back and across."""
    plain.run("req", "-x509", "-key", keys / "2048a.pem", "-subj", "/CN=reader", "-out", "reader.crt")
    (tmp_path / "text").write_bytes(some[:300001])
    for maker in (octuple, plain):
        maker.run("cms", "-encrypt", f"-{name}", "-binary", "-in", "text", "-outform", "DER", "-out", "m", "reader.crt")
        shown = plain.text("cms", "-cmsout", "-print", "-noout", "-inform", "DER", "-in", "m")
        assert "authEnvelopedData" in shown and f": {name} (2.16.840.1.101.3.4.1." in shown.lower(), shown
        for reader in (octuple, plain):
            reader.run("cms", "-decrypt", "-inform", "DER", "-in", "m", "-inkey", keys / "2048a.pem", "-out", "t")
            assert (tmp_path / "t").read_bytes() == some[:300001]
        broken = bytearray((tmp_path / "m").read_bytes())
        broken[-5] ^= 1  # within the tag
        (tmp_path / "b").write_bytes(broken)
        for reader in (octuple, plain):
            done = reader.run("cms", "-decrypt", "-inform", "DER", "-in",
                              "b", "-inkey", keys / "2048a.pem", "-out", "t",
                              check=False)
            assert done.returncode != 0


@pytest.fixture
def serve(s_server, keys, plain):
    """serve(COMMAND, OPTIONS...) starts a server with an RSA certificate and returns its port."""
    def start(command, *options, **streams):
        plain.run("req", "-x509", "-key", keys / "2048a.pem", "-subj", "/CN=localhost", "-out", "server.crt")
        return s_server(command, "-cert", "server.crt", "-key", keys / "2048a.pem", *options, **streams)
    return start


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("way", ["server", "client", "both"])
def test_transfer(octuple, plain, serve, wait_for, tmp_path, some, suite, way):
    """A large file either way, compared by its hash. `way`: who has Octuple."""
    at_server, at_client = (plain if way == "client" else octuple), (plain if way == "server" else octuple)
    (tmp_path / "data").write_bytes(some)
    wanted = hashlib.sha256(some).hexdigest()

    there = tmp_path / "there"
    with open(there, "wb") as sink, open(tmp_path / "data", "rb") as source:
        port = serve(at_server, "-quiet", *SUITES[suite], stdout=sink)
        client = at_client.popen("s_client", "-quiet", "-nocommands", "-connect", f"127.0.0.1:{port}", *SUITES[suite],
                                 stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: there.stat().st_size >= len(some), client)
    finally:
        client.kill()
        client.wait()
    assert hashlib.sha256(there.read_bytes()).hexdigest() == wanted

    port = serve(at_server, "-WWW", *SUITES[suite])
    done = at_client.run("s_client", "-quiet", "-connect", f"127.0.0.1:{port}", *SUITES[suite], check=False,
                         input=b"GET /data HTTP/1.0\r\n\r\n")
    assert hashlib.sha256(done.stdout.split(b"\r\n\r\n", 1)[1]).hexdigest() == wanted


@pytest.mark.parametrize("suite", SUITES)
def test_suite_is_chosen(octuple, plain, serve, suite):
    """And what the client says of it."""
    port = serve(octuple, "-www", *SUITES[suite])
    for client in (octuple, plain):
        done = client.run("s_client", "-connect", f"127.0.0.1:{port}", "-ign_eof", *SUITES[suite], check=False,
                          input=b"GET / HTTP/1.0\r\n\r\n", timeout=60)
        text = done.stdout.decode(errors="replace")
        assert f"Cipher is {suite}" in text and "HTTP/1.0 200 ok" in text, text
