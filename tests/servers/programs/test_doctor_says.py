# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What `octuple doctor` says of servers that run: that nothing stands in the way only where that was seen."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import textwrap
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab import golang
from lab.servers import dialogue, services
from tests.servers.common import crowd, rig
from tests.servers.programs import memory

each = pytest.mark.parametrize


def at_once(server: crowd.Program) -> None:
    for version in ("1.2", "1.3"):
        server.receive([crowd.Guest("plain", rig.client_context(version)) for _ in range(crowd.SIZE)])


def one_by_one(server: crowd.Program) -> None:
    for _ in range(crowd.SIZE):
        server.receive([crowd.Guest("plain", rig.client_context("1.3"))])


def none(server: crowd.Program) -> None:
    del server


def resumed(server: crowd.Program) -> None:
    """One session, and then no full handshake any more: what was counted before is another process's in this test."""
    context = rig.client_context("1.2")
    [first] = server.receive([crowd.Guest("first", context)])
    session = first.tls.session
    server.receive([crowd.Guest("plain", context, session=session) for _ in range(crowd.SIZE)])
    assert all(guest.tls.session_reused for guest in server.guests[1:])


def alike(text: str) -> str:
    """Without what differs from machine to machine and from run to run."""
    text = re.sub(r"(?m)^ok +cpu: .*", "ok         cpu: CPU", text)
    text = re.sub(r"(?m)^(ok +openssl-version: ).*", r"\1VERSION", text)
    text = re.sub(r"127\.0\.0\.1:\d+", "ADDRESS", text)
    text = re.sub(r"(?<![\w/])/[^\s:;,()]+", "PATH", text)
    # The first may meet the connection by which this test has found the port.
    text = re.sub(r"(?ms)^\w+ +handshakes: 1 full handshakes, of which . waited.*?(\d+ resumed).*?(?=^\S|\Z)",
                  r"ok or note handshakes: 1 full handshake, \1\n", text)
    # Then its key pair is from a pool of eight, else from OpenSSL's own code.
    text = re.sub(r"(?ms)^\w+ +lanes: \d operations (came and all fell back|went through lanes, 8\.0).*?(?=^\S|\Z)",
                  "ok or note lanes: few operations\n", text)
    text = text.replace("; besides, and not served: GnuTLS", "")  # what PostgreSQL's own libraries bring along
    text = re.sub(r"(?m)^(Program|\w+ +(lanes|handshakes):|Verdict    no load|ok or).*$",
                  lambda line: re.sub(r"\b\d+(\.\d+)?\b", "N", line[0]), text)
    # Few of those that are served wait for nobody, each for a reason of its own; of others the first counts.
    text = re.sub(r"(?m)^(ok +handshakes: .*? resumed)(; of N, .*)$", r"\1", text)
    text = re.sub(r"(?m)^(note +handshakes: .*?; of N, .*?)(; of N, .*)$", r"\1", text)
    return "".join(textwrap.fill(line, 115, subsequent_indent=" " * 13) + "\n" for line in text.splitlines())


@contextmanager
def crowded(build, keys, place, name, words, load, **env):
    server = crowd.Program([crowd.program(name, build, "cc"), *words], keys, build, place, **env)
    try:
        server.__enter__()
    except rig.LabError as error:
        if server.process.returncode != 77:
            raise
        pytest.skip(f"this kernel gives it nothing: {error}")
    try:
        load(server)
        yield server.process.pid
    finally:
        server.__exit__()


def short_keys(group, asks):
    """RSA of 1024 bits: its signatures are most of the work, whatever the exchange does. The doctor does not offer
    P-521, and so it sees no certificate there."""

    @contextmanager
    def kind(build, _keys, place):
        keys, conf = place / "keys", place / "openssl.cnf"
        keys.mkdir()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-subj", "/CN=localhost", "-days",
                        "2", "-keyout", keys / "rsa2048.key", "-out", keys / "rsa2048.crt"], check=True,
                       capture_output=True)
        conf.write_text("openssl_conf = i\n[i]\nssl_conf = s\n[s]\nsystem_default = d\n[d]\n"
                        f"CipherString = DEFAULT@SECLEVEL=0\nGroups = {group}\n")
        context = rig.client_context("1.3", "ALL:@SECLEVEL=0")
        with crowd.Program([crowd.program("linked", build, "cc"), "shared"], keys, build, place,
                           OPENSSL_CONF=str(conf)) as server:
            for _ in range(2):
                server.receive([crowd.Guest("plain", context) for _ in range(crowd.SIZE)])
            yield (server.process.pid, *(("--connect", f"127.0.0.1:{server.port}") if asks else ()))

    return kind


@contextmanager
def started(command, env):
    """One that says when it is ready."""
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            yield child.pid
        finally:
            child.kill()


def compiled(place, source, *options, name="program"):
    if shutil.which("cc") is None:
        pytest.skip("there is no compiler here")
    (place / f"{name}.c").write_text(source)
    done = subprocess.run(["cc", "-o", place / name, place / f"{name}.c", *options], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        pytest.skip(f"it cannot be compiled here: {done.stderr[-200:]}")
    return [place / name]


WAITS = """\
#include <stdio.h>
#include <unistd.h>
int main(void) { BEFORE; puts("ready"); fflush(stdout); pause(); }
"""
AWS_LC = """\
const char awslc_version[] = "AWS-LC 1.60.0", text[] = "BoringSSL";
int SSL_is_server(const void *ssl) { return ssl != 0; }
int SSL_do_handshake(void *ssl) { return ssl == 0; }
int OPENSSL_init_crypto(void) { return 1; }
"""
GO = """\
package main

import ("crypto/tls"; "fmt"; "os")

func main() {
    pair, err := tls.LoadX509KeyPair(os.Args[1] + "/rsa2048.crt", os.Args[1] + "/rsa2048.key")
    if err == nil {
        listener, _ := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
        fmt.Println("ready")
        listener.Accept()
    }
}
"""


@contextmanager
def static(build, keys, place):
    del keys
    with started(compiled(place, WAITS, "-static", "-DBEFORE="), rig.shim_environment(place, build)) as pid:
        yield pid


@contextmanager
def aws_lc(build, keys, place):
    """A stand-in with its names, under the system's own."""
    del keys
    for name in ("libssl.so.3", "libcrypto.so.3"):
        compiled(place, AWS_LC, "-shared", "-fPIC", f"-Wl,-soname,{name}", name=name)
    command = compiled(place, "int SSL_do_handshake(void *ssl);\n" + WAITS, "-DBEFORE=SSL_do_handshake(0)",
                       place / "libssl.so.3", place / "libcrypto.so.3", f"-Wl,--no-as-needed,-rpath,{place}")
    with started(command, rig.shim_environment(place, build)) as pid:
        yield pid


@contextmanager
def go(build, keys, place):
    (place / "main.go").write_text(GO)
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    done = golang.run(build.folder, "build", "-o", str(place / "program"), "main.go", module=place, CGO_ENABLED="1")
    assert done.returncode == 0, done.stderr
    with started([place / "program", keys], rig.shim_environment(place, build)) as pid:
        yield pid


@contextmanager
def postgresql(build, keys, place):
    [kind] = [kind for kind in services.KINDS if kind.name == "postgresql"]
    if kind.path() is None:
        pytest.skip(f"{kind.package} is not installed")
    with services.MoreServer(kind, place / "it", keys, "rsa2048", 0, build) as server:
        for _ in range(crowd.SIZE):
            dialogue.converse(kind.dialogue, server.port, dialogue.client_context()).close()
        yield server.child.pid


def crowd_of(name, *words, load=at_once, **env):
    return lambda build, keys, place: crowded(build, keys, place, name, words, load, **env)


KINDS = {
    "linked": crowd_of("linked", "shared"),
    "recvmsg": crowd_of("hides", "recvmsg"),
    "private": crowd_of("linked", "private"),
    "groups": crowd_of("linked", "groups"),
    "dlsym": crowd_of("reached", "shared"),
    "dlsym off": crowd_of("reached", "shared", OCTUPLE_LOOPS="auto,dlsym=off"),
    "BIO_f_ssl": crowd_of("bio", "greets"),
    "io_uring": crowd_of("hides", "ring"),
    "idle": crowd_of("linked", "shared", load=none),
    "alone": crowd_of("linked", "shared", load=one_by_one),
    "resumed": crowd_of("linked", "shared", load=resumed),
    "RSA-1024": short_keys("X25519", True),
    "RSA-1024 with P-521": short_keys("P-521", True),
    "RSA-1024 with P-521, unasked": short_keys("P-521", False),
    "AWS-LC": aws_lc,
    "PostgreSQL": postgresql,
    "static": static,
    "Go": go,
}
SAYS = dict(re.findall(r"(?ms)^== (.*?)\n(.*?)(?=^== |\Z)", Path(__file__).with_name("doctor_says.txt").read_text()))


def examine(pid: int, build: rig.Build, *asked: str) -> tuple[dict, str]:
    def call(*more: str) -> str:
        command = [build.folder / "bin/octuple", "doctor", *(asked or ("-n",)), *more, str(pid)]
        done = subprocess.run(command, env=rig.clean_environment(), capture_output=True, text=True, check=False,
                              timeout=60)
        assert done.returncode in (0, 4), done
        return done.stdout

    return json.loads(call("--json")), call()


@each("kind", KINDS)
def test_whole_answer(build, keys, place, kind):
    if os.geteuid() != 0:
        pytest.skip("counters of another process are for root")
    with KINDS[kind](build, keys, place) as target:
        pid, *asked = target if isinstance(target, tuple) else (target,)
        data, text = examine(pid, build, *asked)
    assert alike(text) == SAYS[kind], text
    assert (data["verdict"] == "ok") == ("nothing stands in the way" in text), text
    assert data["verdict"] != "ok" or data["handshakes"]["paused"] * 2 > data["handshakes"]["full"], text


def test_no_other_answers():
    assert SAYS.keys() == KINDS.keys() and len(KINDS) >= 12


def test_handshakes_that_waited_are_served(build, keys, place):
    """Their private keys' operations meet, also where others come one by one, as through memory."""
    if os.geteuid() != 0:
        pytest.skip("counters of another process are for root")
    with crowd.Program(memory.command("asyncio", rig.free_ports(1)[0]), keys, build, place) as server:
        for _ in range(5):  # a busy machine may make lanes look dear, and hellos late
            data, text = examine(server.process.pid, build, "--no-handshake", "--load", str(server.port))
            assert data["handshakes"]["paused"] * 2 > data["handshakes"]["full"], text
            if data["verdict"] == "ok":
                break
    assert data["verdict"] == "ok", text


def test_load_on_request(build, keys, place):
    """An idle server gets one, and the report says what came of it."""
    if os.geteuid() != 0:
        pytest.skip("counters of another process are for root")
    with crowd.Program([crowd.program("linked", build, "cc"), "shared"], keys, build, place) as server:
        idle, _ = examine(server.process.pid, build)
        data, text = examine(server.process.pid, build, "--no-handshake", "--load", str(server.port))
        _, closed = examine(server.process.pid, build, "--no-handshake", "--load", str(rig.free_ports(1)[0]))
        assert server.runs, "a server that does not ignore SIGPIPE bears these guests"
    assert idle["verdict"] == "no-load" and data["verdict"] == "ok", text
    assert "no handshake was completed at 127.0.0.1:" in closed, closed
    [load] = [one["text"] for one in data["findings"] if one["name"] == "load"]
    done, lanes = (int(re.search(what, load)[1]) for what in (r"^(\d+) handshakes at", r"(\d+) operations went"))
    assert done >= 24 and lanes * 2 > done and data["handshakes"]["full"] >= done, text
