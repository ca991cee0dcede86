# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""TLS with `openssl s_server -async`: every way in which RSA takes part in a handshake."""
import re
import socket
import struct

import pytest


@pytest.fixture
def serve(s_server, octuple, plain, keys):
    """serve(OPTIONS...) starts a server with a certificate and returns its port."""
    def start(*options, name="2048a", command=octuple):
        plain.run("req", "-x509", "-key", keys / f"{name}.pem", "-subj", "/CN=localhost", "-out", f"{name}.crt")
        return s_server(command, "-cert", f"{name}.crt", "-key", keys / f"{name}.pem", *options)
    return start


def connect(command, port, *options):
    """One handshake, with nothing sent after it; returns what s_client says."""
    done = command.run("s_client", "-connect", f"127.0.0.1:{port}", *options, check=False, input=b"", timeout=60)
    return done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def get_page(command, port, *options):
    """One handshake and one page, from a server with -www: the server's last word is heard too."""
    done = command.run("s_client", "-connect", f"127.0.0.1:{port}", "-ign_eof", *options, check=False,
                       input=b"GET / HTTP/1.0\r\n\r\n", timeout=60)
    return done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def is_connected(text):
    return re.search(r"Cipher is (?!\(NONE\))", text) and "handshake failure" not in text


WAYS = {
    "tls13": ["-tls1_3"],
    "tls13-pss-sha512": ["-tls1_3", "-sigalgs", "rsa_pss_rsae_sha512"],
    "tls12-ecdhe": ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"],
    "tls12-ecdhe-pkcs1": ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256", "-sigalgs", "RSA+SHA256"],
    "tls12-rsa": ["-tls1_2", "-cipher", "AES128-GCM-SHA256"],
    "tls11": ["-tls1_1", "-cipher", "ECDHE-RSA-AES128-SHA:@SECLEVEL=0"],
    "tls11-rsa": ["-tls1_1", "-cipher", "AES128-SHA:@SECLEVEL=0"],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["2048a", "3072a", "4096a", "1024"])
def test_handshake(serve, plain, octuple, name, way):
    if name == "1024" and way == "tls13-pss-sha512":
        return  # 1024 bits have no room for this digest and a salt of its length
    port = serve("-async", "-cipher", "ALL:@SECLEVEL=0", name=name)
    options = WAYS[way] + ([] if "-cipher" in WAYS[way] else ["-cipher", "DEFAULT:@SECLEVEL=0"])
    for client in (plain, octuple, plain):
        text = connect(client, port, *options)
        assert is_connected(text), text


def test_client_certificate(serve, octuple, plain, keys):
    """The server verifies, the client signs."""
    plain.run("req", "-x509", "-key", keys / "2048b.pem", "-subj", "/CN=client", "-out", "client.crt")
    port = serve("-async", "-www", "-Verify", "1", "-verify_return_error", "-CAfile", "client.crt")
    for client in (plain, octuple):
        for version in ("-tls1_3", "-tls1_2"):
            text = get_page(client, port, version, "-cert", "client.crt", "-key", keys / "2048b.pem")
            assert "HTTP/1.0 200 ok" in text, text


def test_async_client(serve, octuple):
    port = serve("-async")
    text = connect(octuple, port, "-async")
    assert is_connected(text), text


def test_without_async(serve, plain):
    port = serve()
    assert is_connected(connect(plain, port))


def submitted(folder):
    """Jobs given to queues, from the counters files: eight words, then 17 for each operation (octuple/counters.h)."""
    words = [struct.unpack(f"{path.stat().st_size // 8}Q", path.read_bytes()) for path in folder.glob("*.octuple")]
    return sum(w[8 + 17 * op] for w in words for op in range(w[2]))


def test_many(serve, plain, octuple, tmp_path):
    """Resumption off, 20 connections in a row, on one server; its private operations do go through the queue, until the
    server has been alone for too long."""
    octuple.environment["OCTUPLE_COUNTERS"] = str(tmp_path)
    port = serve("-async", "-no_ticket", "-no_cache")
    for _ in range(20):
        assert is_connected(connect(plain, port, "-tls1_2", "-cipher", "AES128-GCM-SHA256"))
    assert submitted(tmp_path) >= 16


def test_client_goes_away(serve, plain):
    """Half a handshake, again and again, harms nobody."""
    port = serve("-async")
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.sendall(b"\x16\x03\x01\x00\x10")
    assert is_connected(connect(plain, port))
