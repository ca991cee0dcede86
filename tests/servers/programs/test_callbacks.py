# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Programs with code of their own inside of handshakes: nginx and HAProxy with Lua, and a server in Python.

Each serves the same clients as it is and under `octuple run`, and must give the same answers."""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.common import clients, haproxy, rig

each = pytest.mark.parametrize
MODULES = Path("/usr/lib/nginx/modules")
HERDS, SIZE = 3, 16

# Signs by LuaJIT's foreign functions, from whatever coroutine it is called in.
# `inside` belongs to the worker's one Lua state.
SIGNING = r"""
local ffi = require "ffi"
ffi.cdef[[
typedef struct bio_st BIO; typedef struct evp_pkey_st EVP_PKEY; typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_md_st EVP_MD;
BIO *BIO_new_file(const char *, const char *); int BIO_free(BIO *);
EVP_PKEY *PEM_read_bio_PrivateKey(BIO *, void *, void *, void *);
EVP_MD_CTX *EVP_MD_CTX_new(void); void EVP_MD_CTX_free(EVP_MD_CTX *); const EVP_MD *EVP_sha256(void);
int EVP_DigestSignInit(EVP_MD_CTX *, void *, const EVP_MD *, void *, EVP_PKEY *);
int EVP_DigestSign(EVP_MD_CTX *, unsigned char *, size_t *, const unsigned char *, size_t);
int EVP_DigestVerifyInit(EVP_MD_CTX *, void *, const EVP_MD *, void *, EVP_PKEY *);
int EVP_DigestVerify(EVP_MD_CTX *, const unsigned char *, size_t, const unsigned char *, size_t);
]]
local C = {library}
local M = {{ calls = 0, twice = 0, wrong = 0, inside = 0 }}
local keys
local function read(name)
    local bio = C.BIO_new_file("{keys}/" .. name .. ".key", "r")
    local key = C.PEM_read_bio_PrivateKey(bio, nil, nil, nil)
    C.BIO_free(bio)
    return key
end
local function sign(key)
    local text, signature, length = "a callback's own", ffi.new("unsigned char[512]"), ffi.new("size_t[1]", 512)
    local md = C.EVP_MD_CTX_new()
    local good = C.EVP_DigestSignInit(md, nil, C.EVP_sha256(), nil, key) == 1
        and C.EVP_DigestSign(md, signature, length, text, #text) == 1
    C.EVP_MD_CTX_free(md)
    md = C.EVP_MD_CTX_new()
    good = good and C.EVP_DigestVerifyInit(md, nil, C.EVP_sha256(), nil, key) == 1
        and C.EVP_DigestVerify(md, signature, length[0], text, #text) == 1
    C.EVP_MD_CTX_free(md)
    return good
end
function M.sign()
    keys = keys or {{ read("rsa2048"), read("ecdsa-p256") }}
    M.calls = M.calls + 1
    if M.inside > 0 then M.twice = M.twice + 1 end
    M.inside = M.inside + 1
    for _, key in ipairs(keys) do if not sign(key) then M.wrong = M.wrong + 1 end end
    M.inside = M.inside - 1
end
return M
"""
BLOCKS = {
    "signs": 'require("signing").sign()',
    "sleeps": 'local s = require("signing") s.sign() ngx.sleep(0.01) s.sign()',
    "asks": """local s = require("signing") s.sign() local sock = ngx.socket.tcp()
               assert(sock:connect("127.0.0.1", {plain})) sock:send("GET / HTTP/1.0\\r\\n\\r\\n")
               assert(sock:receive("*a")) sock:close() s.sign()""",
}
TALLY = ('content_by_lua_block { local s = require("signing") '
         'ngx.say(s.calls, " ", s.twice, " ", s.wrong, " ", s.inside) }')


def lua_nginx(keys: Path, build: rig.Build | None, place: Path, block: str, library: str) -> rig.Nginx:
    plain = rig.free_ports(1)[0]
    signing = SIGNING.replace("ffi.cdef[[", "ffi.cdef[==[").replace("\n]]\n", "\n]==]\n")
    (place / "signing.lua").write_text(signing.format(library=library, keys=keys))
    http = (f'lua_package_path "{place}/?.lua;/usr/share/lua/5.1/?.lua;;"; '
            f'server {{ listen 127.0.0.1:{plain}; location / {{ {rig.ANSWER} }} location /tally {{ {TALLY} }} }}')
    main = f"load_module {MODULES}/ndk_http_module.so; load_module {MODULES}/ngx_http_lua_module.so;"
    text = "ssl_certificate_by_lua_block { %s } " % BLOCKS[block].replace("{plain}", str(plain))
    nginx = rig.Nginx(keys, build, [rig.Server(text=text)], main=main, http=http, by_command=build is not None)
    nginx.plain = plain
    return nginx


def plain_get(port: int, path: str) -> str:
    with clients.socket.create_connection(("127.0.0.1", port), timeout=30) as sock:
        sock.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        got = b""
        while more := sock.recv(65536):
            got += more
    return got.partition(b"\r\n\r\n")[2].decode()


def served(nginx: rig.Nginx, version: str) -> tuple[list[bytes], list[int]]:
    """The answers to some herds of clients, and what the Lua code has seen."""
    [worker] = nginx.worker_pids()
    answers = []
    for _ in range(HERDS):
        answers += clients.finish(clients.herd(worker, nginx.port, rig.client_context(version), SIZE))
    assert nginx.worker_pids() == [worker]
    return [answer.split(b"\r\n\r\n")[-1]
            for answer in answers], [int(n) for n in plain_get(nginx.plain, "/tally").split()]


@pytest.mark.skipif(not (MODULES / "ngx_http_lua_module.so").exists(), reason="libnginx-mod-http-lua is not installed")
@each("library", ["ffi.C", 'ffi.load("/usr/lib/x86_64-linux-gnu/libcrypto.so.3")'], ids=["process", "loaded"])
@each("version", ["1.2", "1.3"])
@each("block", BLOCKS)
def test_nginx_lua(build, keys, place, block, version, library):
    with lua_nginx(keys, None, place, block, library) as stock:
        expected = served(stock, version)
    with lua_nginx(keys, build, place, block, library) as nginx:
        assert served(nginx, version) == expected
        assert nginx.uses_shim() and nginx.counters()["rsa2048-private"].all > 0
    calls, twice, wrong, inside = expected[1]
    assert calls >= HERDS * SIZE and twice == wrong == inside == 0


LUA = """
local served = 0
core.register_fetches("served", function(txn) served = served + 1 return tostring(served > 0) end)
core.register_action("note", {"http-req"}, function(txn)
    txn:set_var("txn.name", txn.sf:ssl_fc_sni())
    core.msleep(1)
end)
"""
NAMED = """http-request lua.note
    http-request return status 200 content-type text/plain lf-string "%[var(txn.name)] %[lua.served]\\n"
"""
NAMES = ("rsa2048", "ecdsa-p256", "ecdsa-p384", "rsa3072")


class NamedClient(clients.Client):
    """A client that says which server it wants."""

    def __init__(self, port: int, context: ssl.SSLContext, name: str):
        super().__init__(port, context)
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=False, server_hostname=name)


def named_herd(pid: int, port: int, names: list[str], version: str) -> list[tuple[bytes, bytes | None]]:
    """What each was answered, and the certificate that it got."""
    context = rig.client_context(version)
    with clients.stopped(pid):
        herd = [NamedClient(port, context, f"{name}.test") for name in names]
        for client in herd:
            client.hello()
    answers = clients.finish(herd)
    return [(answer.split(b"\r\n\r\n")[-1], client.tls.getpeercert(True)) for answer, client in zip(answers, herd)]


def certificate(keys: Path, name: str) -> bytes:
    return ssl.PEM_cert_to_DER_cert((keys / f"{name}.crt").read_text())


@each("version", ["1.2", "1.3"])
@each("threads", [1, 2])
def test_haproxy_lua(build, keys, version, threads):
    """A list of certificates, chosen by name, and a script that yields in a request of each."""
    wanted = [NAMES[i % len(NAMES)] for i in range(SIZE)]
    expected = [(f"{name}.test true\n".encode(), certificate(keys, name)) for name in wanted]
    for used in (None, build):
        main = f"nbthread {threads}\n    lua-load {{folder}}/note.lua"
        server = haproxy.HAProxy(keys, used, main=main, bind="crt-list {folder}/list", frontend=NAMED, also=NAMES[1:])
        (server.folder / "note.lua").write_text(LUA)
        (server.folder / "list").write_text("".join(
            f"{server.folder}/{name}.pem [ocsp-update off] {name}.test\n".replace("[ocsp-update off] ", "")
            for name in NAMES))
        with server:
            for _ in range(HERDS):
                assert named_herd(server.worker_pids()[0], server.port, wanted, version) == expected
            assert used is None or server.counters()["rsa2048-private"].all > 0


def python_server(build: rig.Build | None, keys: Path, place: Path, port: int) -> subprocess.Popen[str]:
    command = ["/usr/bin/python3", "-B", str(Path(__file__).with_name("callbacks_server.py")), str(port), str(keys),
               str(place / "keylog")]
    if build is not None:
        counters = place / "counters"
        counters.mkdir(exist_ok=True)
        command = [str(build.octuple), "run", "--counters", str(counters), "--", *command]
    env = rig.clean_environment() | ({} if rig.has_lanes() else {"OCTUPLE_TABLE": "c"})
    return subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True)


@each("version", ["1.2", "1.3"])
@each("certificate_of_client", ["", "client-ecdsa-p256"], ids=["anonymous", "known"])
def test_python(build, keys, place, version, certificate_of_client):
    """The ssl module lets go of the interpreter's lock around a handshake, and takes it again in the callback."""
    wanted = [NAMES[i % 2] for i in range(SIZE)]
    body = f"TLSv{version} {bool(certificate_of_client)}\n".encode()
    for used in (None, build):
        port = rig.free_ports(1)[0]
        process = python_server(used, keys, place, port)
        try:
            rig.wait_port(port, process)
            for _ in range(HERDS):
                context = rig.client_context(version)
                if certificate_of_client:
                    context.load_cert_chain(keys / f"{certificate_of_client}.crt",
                                            keys / f"{certificate_of_client}.key")
                with clients.stopped(process.pid):
                    herd = [NamedClient(port, context, f"{name}.test") for name in wanted]
                    for client in herd:
                        client.hello()
                answers = [answer.split(b"\r\n\r\n")[-1] for answer in clients.finish(herd)]
                assert answers == [body] * SIZE
                assert [client.tls.getpeercert(True) for client in herd] == [certificate(keys, name) for name in wanted]
            said, errors = process.communicate("", timeout=30)
        finally:
            process.kill()
            process.wait()
        assert (process.returncode, errors) == (0, "")
        assert json.loads(said) == {"calls": HERDS * SIZE, "inside": 0, "twice": 0, "wrong": 0}
        assert len((place / "keylog").read_text().splitlines()) >= HERDS * SIZE
        assert used is None or rig.read_counters(place / "counters")["rsa2048-private"].all > 0
