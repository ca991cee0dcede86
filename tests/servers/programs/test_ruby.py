# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A server in Ruby with callbacks of Ruby's: the interpreter takes the address of a frame for how deep it is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
RUBY = shutil.which("ruby")
SERVER = str(Path(__file__).parent / "ruby_server.rb")
ROUNDS = 2


def has_nio4r() -> bool:
    return RUBY is not None and subprocess.run([RUBY, "-e", "require 'nio'; require 'openssl'"], check=False,
                                               capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(not has_nio4r(), reason="ruby and ruby-nio4r are not installed")

# Each callback, with the depth that it goes to: an empty one takes no Ruby frames of its own.
CALLBACKS = [("none", 0), ("empty", 0), ("servername", 0), ("servername", 2000), ("alpn", 100), ("session", 100),
             ("verify", 100), ("collects", 0), ("raises", 0)]


def guests(callback: str, version: str, keys) -> list[crowd.Guest]:
    context = rig.client_context(version)
    context.set_alpn_protocols(["h2", "http/1.1"])
    if callback == "verify":
        context.load_cert_chain(keys / "client-ecdsa-p256.crt", keys / "client-ecdsa-p256.key")
    return [crowd.Guest(kind, context, f"{kind}.test") for kind in ("plain", "other") * (crowd.SIZE // 2)]


def resumed(before: list[crowd.Guest]) -> list[crowd.Guest]:
    return [crowd.Guest("resumed", guest.tls.context, "plain.test", guest.tls.session)
            for guest in before if guest.tls.session is not None]


def verdict(callback: str, depth: int, version: str, keys, build, place) -> crowd.Verdict:
    with crowd.Program([RUBY, SERVER, callback, str(depth)], keys, build, place) as server:
        for _ in range(ROUNDS):
            came = server.receive(guests(callback, version, keys))
        if callback == "session":
            server.receive(resumed(came))
        said = server.verdict()
        assert build is None or callback != "none" or server.in_lanes() > 0
        return said


@each("version", ["1.2", "1.3"])
@each("callback, depth", CALLBACKS)
def test_ruby(build, keys, place, callback, depth, version):
    stock = verdict(callback, depth, version, keys, None, place)
    half = crowd.SIZE // 2 * ROUNDS
    assert stock.guests["plain"] == {"good": half} and stock.status == 0, stock
    assert stock.said["called"] == (callback not in ("none", "empty")), stock
    if callback != "raises":
        assert stock.guests["other"] == {"good": half}, stock
    if callback == "session":
        assert stock.guests["resumed"] == {"good": crowd.SIZE}, stock
    crowd.compare(verdict(callback, depth, version, keys, build, place), stock)
