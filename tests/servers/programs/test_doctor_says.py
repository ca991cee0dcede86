# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What `octuple doctor` says of servers that run: that nothing stands in the way only where that was seen."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
OFF = {"OCTUPLE_LOOPS": "auto,dlsym=off"}
UNGUARDED = "most operations ran by themselves: the program has "


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


KINDS = {
    "linked": (["linked", "shared"], {}, at_once, "ok", "nothing stands in the way"),
    "private": (["linked", "private"], {}, at_once, "ok", "nothing stands in the way"),
    "groups": (["linked", "groups"], {}, at_once, "ok", "nothing stands in the way"),
    "dlsym": (["reached", "shared"], {}, at_once, "ok", "nothing stands in the way"),
    "dlsym off": (["reached", "shared"], OFF, at_once, "plain", UNGUARDED + "functions of libssl from dlsym()"),
    "BIO_f_ssl": (["bio", "x"], {}, at_once, "plain", UNGUARDED + "asked for BIO_f_ssl()"),
    "idle": (["linked", "shared"], {}, none, "no-load", "no load seen yet"),
    "alone": (["linked", "shared"], {}, one_by_one, "no-load", "no load seen yet"),
    "resumed": (["linked", "shared"], {}, resumed, "no-load", "no load seen yet"),
}


def examine(server: crowd.Program, build: rig.Build, *asked: str) -> tuple[dict, str]:
    def call(*more: str) -> str:
        command = [build.folder / "bin/octuple", "doctor", *(asked or ("-n",)), *more, str(server.process.pid)]
        return subprocess.run(command, env=rig.clean_environment(), capture_output=True, text=True, check=True,
                              timeout=60).stdout

    return json.loads(call("--json")), call()


@each("kind", KINDS)
def test_verdict(build, keys, place, kind):
    if os.geteuid() != 0:
        pytest.skip("counters of another process are for root")
    [name, *words], env, load, verdict, sentence = KINDS[kind]
    with crowd.Program([crowd.program(name, build, "cc"), *words], keys, build, place, **env) as server:
        load(server)
        data, text = examine(server, build)
    assert data["verdict"] == verdict, text
    assert f"Verdict    {sentence}" in text, text
    if verdict == "ok":
        assert data["handshakes"]["paused"] * 2 > data["handshakes"]["full"], text
    else:
        assert "nothing stands in the way" not in text


@each("group", ["X25519", "P-521"])
def test_key_without_lanes(build, place, group):
    """RSA of 1024 bits: its signatures are most of the work, whatever the exchange does."""
    if os.geteuid() != 0:
        pytest.skip("counters of another process are for root")
    keys, conf = place / "keys", place / "openssl.cnf"
    keys.mkdir()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-subj", "/CN=localhost", "-days", "2",
                    "-keyout", keys / "rsa2048.key", "-out", keys / "rsa2048.crt"], check=True, capture_output=True)
    conf.write_text("openssl_conf = i\n[i]\nssl_conf = s\n[s]\nsystem_default = d\n[d]\n"
                    f"CipherString = DEFAULT@SECLEVEL=0\nGroups = {group}\n")
    context = rig.client_context("1.3", "ALL:@SECLEVEL=0")
    with crowd.Program([crowd.program("linked", build, "cc"), "shared"], keys, build, place,
                       OPENSSL_CONF=str(conf)) as server:
        for _ in range(2):
            server.receive([crowd.Guest("plain", context) for _ in range(crowd.SIZE)])
        data, text = examine(server, build, "--connect", f"127.0.0.1:{server.port}")
        unasked, _ = examine(server, build)
    assert data["verdict"] == "plain", text
    if group == "X25519":
        assert "Verdict    most of the work runs by itself: RSA keys of 1024 bits have no lanes" in text, text
        assert f"the certificate at 127.0.0.1:{server.port} has an RSA key of 1024 bits" in text, text
    else:  # which the doctor does not offer, and so it sees no certificate
        assert "Verdict    most operations ran by themselves: none of their operations could wait" in text, text
        assert unasked["verdict"] == "plain"


def test_load_on_request(build, keys, place):
    """An idle server gets one, and the report says what came of it."""
    if os.geteuid() != 0:
        pytest.skip("counters of another process are for root")
    with crowd.Program([crowd.program("linked", build, "cc"), "shared"], keys, build, place) as server:
        idle, _ = examine(server, build)
        data, text = examine(server, build, "--no-handshake", "--load", str(server.port))
        assert server.runs, "a server that does not ignore SIGPIPE bears these guests"
    assert idle["verdict"] == "no-load" and data["verdict"] == "ok", text
    [load] = [one["text"] for one in data["findings"] if one["name"] == "load"]
    done, lanes = (int(re.search(what, load)[1]) for what in (r"^(\d+) handshakes at", r"(\d+) operations went"))
    assert done >= 24 and lanes * 2 > done and data["handshakes"]["full"] >= done, text
