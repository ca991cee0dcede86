# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What nginx does with TLS besides plain handshakes."""

from __future__ import annotations

import socket
import ssl
import subprocess

import pytest

from tests.servers.common import clients, rig


def private(nginx: rig.Nginx) -> rig.Counts:
    return nginx.counters()["rsa2048-private"]


def test_http2(build, keys):
    with rig.Nginx(keys, build, [rig.Server(listen="http2")]) as nginx:
        command = ["curl", "-sk", "--http2", "--max-time", "30", "-o", "/dev/null", "-w",
                   "%{http_version} %{http_code}\n"]
        command += [f"https://127.0.0.1:{nginx.port}/{i}" for i in range(20)]
        with clients.stopped(nginx.worker_pids()[0]):
            runs = [subprocess.Popen(command, env=rig.clean_environment(), stdout=subprocess.PIPE, text=True)
                    for _ in range(12)]
            clients.arrived(nginx.port, 12)
        for run in runs:
            lines = run.communicate(timeout=60)[0].split("\n")
            assert lines[0] == "2 200", lines
        assert private(nginx).done > 0


def test_keepalive(build, keys):
    with rig.Nginx(keys, build, [rig.Server()]) as nginx:
        herd = clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), 10)
        for client in herd:
            client.handshake()
        for _ in range(20):
            for client in herd:
                client.tls.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                client.flush()
            for client in herd:
                got = b""
                while not got.endswith(b"ok\n"):
                    try:
                        got += client.tls.read(65536)
                    except ssl.SSLWantReadError:
                        assert client.receive()
        for client in herd:
            client.close()


EARLY = "ssl_early_data on; ssl_session_cache shared:it:1m;"


def test_early_data(build, keys, place):
    """With it nginx handshakes in SSL_read_early_data(). OpenSSL's own client sends some."""
    with rig.Nginx(keys, build, [rig.Server(text=EARLY)]) as nginx:
        request = place / "request"
        request.write_bytes(clients.REQUEST)
        with clients.stopped(nginx.worker_pids()[0]):
            runs = [clients.s_client(nginx.port, "-tls1_3", "-sess_out", f"{place}/{i}") for i in range(10)]
            clients.arrived(nginx.port, 10)
        for run in runs:
            said = run.communicate(clients.REQUEST, timeout=60)[0]
            assert b"200 OK" in said and b"Early data was not sent" in said, said
        assert private(nginx).done > 0, "full handshakes beside others are paused inside SSL_read_early_data()"
        with clients.stopped(nginx.worker_pids()[0]):
            resuming = [["-sess_in", f"{place}/{i}", "-early_data", str(request)] for i in range(10)]
            runs = [clients.s_client(nginx.port, "-tls1_3", *more) for more in resuming]
            runs += [clients.s_client(nginx.port, "-tls1_3") for _ in range(6)]
            clients.arrived(nginx.port, 16)
        for i, run in enumerate(runs):
            said = run.communicate(b"" if i < 10 else clients.REQUEST, timeout=60)[0]
            assert b"200 OK" in said, said
            assert (b"Early data was accepted" in said) == (i < 10), said


def test_early_data_on_for_clients_without(build, keys):
    with rig.Nginx(keys, build, [rig.Server(text=EARLY)]) as nginx:
        for version in ("1.2", "1.3"):
            herd = clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(version, "ALL"), 20)
            assert all(b"200 OK" in answer for answer in clients.finish(herd))
        assert private(nginx).waited(10)


def test_sni_by_pattern(build, keys):
    """The server name is matched against regular expressions: nginx's own code, in the middle of the handshake."""
    server = rig.Server(text=r"server_name ~^(?<who>.+?)(\.[a-z]+)*\.example$;", location='return 200 "$who\\n";')
    with rig.Nginx(keys, build, [server], main="pcre_jit on;") as nginx:
        context = rig.client_context()

        def one():
            with socket.create_connection(("127.0.0.1", nginx.port), timeout=30) as raw, \
                    context.wrap_socket(raw, server_hostname="some.one.example") as sock:
                sock.sendall(b"GET / HTTP/1.1\r\nHost: some.one.example\r\nConnection: close\r\n\r\n")
                got = b""
                while more := sock.recv(65536):
                    got += more
                assert got.endswith(b"some\n"), got

        assert clients.many(60, 12, one) == []


def test_certificate_from_variable(build, keys):
    """nginx loads certificate and key in mid-handshake, from files."""
    server = rig.Server(text=f"ssl_certificate {keys}/$which.crt; ssl_certificate_key {keys}/$which.key;")
    http = "map $ssl_server_name $which { default rsa3072; small rsa2048; }"
    with rig.Nginx(keys, build, [server], http=http, own_certificate=False) as nginx:
        context = rig.client_context()
        herd = clients.herd(nginx.worker_pids()[0], nginx.port, context, 16)
        assert all(b"200 OK" in answer for answer in clients.finish(herd))
        count = nginx.counters()["rsa3072-private"]
        assert count.done + count.fallback >= 16


def test_stream(build, keys):
    """Not only HTTP: another module of nginx that ends TLS, if this nginx has it."""
    module = "/usr/lib/nginx/modules/ngx_stream_module.so"
    if not rig.Path(module).exists():
        pytest.skip("this nginx has no stream module (libnginx-mod-stream)")
    port = rig.free_ports(1)[0]
    stream = (f"stream {{ server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {keys}/rsa2048.crt; "
              f"ssl_certificate_key {keys}/rsa2048.key; ssl_protocols TLSv1.2 TLSv1.3; return ok; }} }}")
    with rig.Nginx(keys, build, [rig.Server()], main=f"load_module {module}; {stream}") as nginx:
        herd = clients.herd(nginx.worker_pids()[0], port, rig.client_context(), 12)
        for client in herd:
            client.handshake()
        assert [client.read() for client in herd] == [b"ok"] * 12
