# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LOCK cargo
"""HTTP/3 handshakes in lanes of a stock nginx, as servers are configured: several workers, certificates that are named
late, stapled answers of OCSP, and TLS by TCP on the same port; and of HAProxy. It skips where no such servers are."""
import subprocess

import pytest

from lab import cargo
from lab.servers.nginx import make_keys

from . import forky

# As the tests of the bindings build it.
SETTINGS = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "0"}
KEY = "rsa2048"
SIGNATURE = "rsa2048-private"
CERTIFICATE = "ssl_certificate {keys}/{name}.crt; ssl_certificate_key {keys}/{name}.key;"
NAMES = """\
function name(r) { return 'rsa2048'; }
export default { name };
"""
STAPLERS = 12


@pytest.fixture(scope="module")
def client(build):
    reason = forky.why_not() or cargo.why_not(build.folder)
    if reason:
        pytest.skip(reason)
    cargo.build_all(build.folder, **SETTINGS)
    return build


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    where = tmp_path_factory.mktemp("http3-keys")
    where.chmod(0o755)
    make_keys(where, [KEY])
    return where


def load(client, nginx, connections=32, seconds=2.0, hybrid=False):
    from bench.measure import quic  # it takes python3-rich, which not every place of this test has

    for longer in (1, 10):  # a busy machine may need them
        report = quic.handshakes(client.folder, nginx.port, None, connections, longer * seconds, hybrid=hybrid)
        assert not report["failures"], (report, nginx.said())
        if report["completed"] >= connections:
            break
    assert report["completed"] >= connections, report
    return report


def of(keys, name=KEY):
    return CERTIFICATE.format(keys=keys, name=name)


def test_workers_share_a_port(client, certificates, place):
    with forky.Nginx(client, place, certificates, of(certificates), workers=3) as nginx:
        load(client, nginx, 64)
        load(client, nginx, 64, hybrid=True)
        assert sum(count > 0 for count in nginx.counted(SIGNATURE)) >= 2, "the kernel spreads connections"


@pytest.mark.parametrize("by", ("variable", "njs"))
def test_certificates_named_late(client, certificates, place, by):
    """A callback of libssl's finds the certificate when the hello has come."""
    http = modules = ""
    if by == "njs":
        module = "/usr/lib/nginx/modules/ngx_http_js_module.so"
        if not forky.has(module):
            pytest.skip("libnginx-mod-http-js is not in that Debian")
        (place / "names.js").write_text(NAMES)
        modules = f"load_module {module};"
        http = f"js_path {place}; js_import main from names.js; js_set $named main.name;"
    else:
        http = f"map $ssl_server_name $named {{ localhost {KEY}; default nobody; }}"
    with forky.Nginx(client, place, certificates, of(certificates, "$named"), http=http, modules=modules) as nginx:
        load(client, nginx)
        assert sum(nginx.counted(SIGNATURE)) > 0


def test_haproxy(client, certificates, place):
    """Where a handshake paused it goes on from the socket."""
    with forky.HAProxy(client, place, certificates, KEY) as haproxy:
        load(client, haproxy)
        load(client, haproxy, hybrid=True)
        [done], [fallback] = haproxy.counted(SIGNATURE), haproxy.counted(SIGNATURE, "fallback")
        assert done > fallback


def openssl(folder, *arguments):
    done = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def stapled(folder):
    """A certificate `leaf` of an authority's, and what the authority answers for it. OpenSSL 3.6 staples no answer that
    is for another certificate, or that knows nothing of it."""
    openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=authority", "-keyout", "ca.key",
            "-out", "ca.crt")
    openssl(folder, "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", "leaf.key",
            "-out", "leaf.csr")
    openssl(folder, "x509", "-req", "-in", "leaf.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial", "4097",
            "-out", "leaf.crt")
    (folder / "index").write_text("V\t491231235959Z\t\t1001\tunknown\t/CN=localhost\n")
    openssl(folder, "ocsp", "-index", "index", "-CA", "ca.crt", "-rsigner", "ca.crt", "-rkey", "ca.key", "-issuer",
            "ca.crt", "-cert", "leaf.crt", "-respout", "answer", "-ndays", "2", "-noverify")
    return folder / "answer"


def test_stapling(client, certificates, place):
    settings = f"ssl_stapling on; ssl_stapling_file {stapled(place)}; {of(place, 'leaf')}"
    with forky.Nginx(client, place, certificates, settings) as nginx:
        one = f"timeout 60 openssl s_client -quic -alpn h3 -status -connect 127.0.0.1:{nginx.port} </dev/null 2>&1 &"
        done = nginx.inside("/bin/sh", "-c", one * STAPLERS + " wait")
        assert done.stdout.count("OCSP Response Status: successful") == STAPLERS, done.stdout + done.stderr
        assert sum(nginx.counted(SIGNATURE)) > 0


def test_tcp_beside(client, certificates, place):
    with forky.Nginx(client, place, certificates, of(certificates)) as nginx:
        tcp = subprocess.Popen([client.load, "127.0.0.1", str(nginx.port), "--connections", "32", "--seconds", "2"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        load(client, nginx)
        said = tcp.communicate(timeout=60)[0]
        assert tcp.returncode == 0, said
        assert sum(nginx.counted(SIGNATURE)) > 0
