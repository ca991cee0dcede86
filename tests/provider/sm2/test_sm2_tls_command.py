# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""TLS 1.3 by RFC 8998 with the openssl command, from OpenSSL 4.0 on: groups, signatures and ciphers of SM2 and SM4."""
import pytest

GROUPS = ["curveSM2", "curveSM2MLKEM768"]
SUITES = ["TLS_SM4_GCM_SM3", "TLS_SM4_CCM_SM3"]


@pytest.fixture(params=["both", "server", "client"])
def pair(request, octuple, plain):
    """(server, client): which of them is served by Octuple."""
    if "curveSM2" not in plain.text("list", "-tls-groups", check=False):
        pytest.skip("this OpenSSL has no RFC 8998")
    return (plain if request.param == "client" else octuple, plain if request.param == "server" else octuple)


@pytest.fixture
def serve(s_server, plain):
    """serve(COMMAND, OPTIONS...) starts a server with an SM2 certificate that asks for the client's; its port."""
    plain.run("genpkey", "-algorithm", "SM2", "-out", "k.pem")
    plain.run("req", "-x509", "-new", "-key", "k.pem", "-sm3", "-subj", "/CN=localhost", "-out", "c.pem")
    return lambda command, *options: s_server(command, "-cert", "c.pem", "-key", "k.pem", "-CAfile", "c.pem",
                                              "-Verify", "1", "-verify_return_error", "-www", *options)


def get_page(command, port, *options):
    done = command.run("s_client", "-connect", f"127.0.0.1:{port}", "-ign_eof", "-CAfile", "c.pem", "-cert", "c.pem",
                       "-key", "k.pem", "-verify_return_error", *options, check=False, input=b"GET / HTTP/1.0\r\n\r\n")
    return done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def test_who_serves(pair, octuple):
    """What comes from another provider would not be tested here."""
    keys = octuple.text("list", "-key-managers")
    for name in (*GROUPS, "1.2.156.10197.1.301, SM2 }"):
        assert f"{name} @ octuple" in keys


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("asynchronous", [[], ["-async"]])
def test_rfc8998(pair, serve, group, suite, asynchronous):
    """Both sides sign with SM2, as the identifier of TLS 1.3, and both ask for nothing but RFC 8998."""
    server, client = pair
    only = ["-tls1_3", "-groups", group, "-ciphersuites", suite, "-sigalgs", "sm2sig_sm3"]
    port = serve(server, *only, *asynchronous)
    text = get_page(client, port, *only)
    assert f"Cipher is {suite}" in text and "HTTP/1.0 200" in text, text
    assert "Peer signature type: sm2sig_sm3" in text and "Verification: OK" in text, text
    assert group in text, text


def test_defaults(pair, serve):
    """Without a word about groups and ciphers, SM2 certificates serve the usual ones."""
    server, client = pair
    text = get_page(client, serve(server))
    assert "HTTP/1.0 200" in text and "Peer signature type: sm2sig_sm3" in text, text


def test_wrong_groups(pair, serve):
    """A client with another group is refused, and the server goes on."""
    server, client = pair
    port = serve(server, "-groups", "curveSM2")
    assert "HTTP/1.0 200" not in get_page(client, port, "-groups", "P-384")
    assert "HTTP/1.0 200" in get_page(client, port, "-groups", "X25519:curveSM2")
