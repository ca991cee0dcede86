# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LOCK go COST 60
"""Caddy with the Go binding: its own tests, and a whole server under load, with every kind of key and connections that
are given up."""
import json
import os
import socket
import struct
import subprocess

import pytest
from lab import counters, depth, golang, load
from lab.programs import Build, clean_environment
from lab.servers import caddy
from lab.servers.nginx import KEYS, make_keys

# Caddy has no group P-384 by default.
HANDSHAKES = {handshake.key: handshake for handshake in load.HANDSHAKES + load.MORE_HANDSHAKES
              if handshake.group == "X25519"}


@pytest.fixture(scope="module", autouse=True)
def module(build):
    reason = golang.why_not(build, caddy.MODULE)
    if not depth.EXHAUSTIVE:
        reason = f"Caddy takes minutes to build: {depth.EXHAUSTIVE_ONLY}"
    if reason:
        pytest.skip(reason)
    return caddy.MODULE


def has_lanes(build) -> bool:
    said = subprocess.run([Build(build).octuple, "info", "--json"], capture_output=True, text=True, check=True,
                          env=clean_environment()).stdout
    return json.loads(said)["table"]["name"] != "none"


@pytest.mark.parametrize("table", ("auto", "off"))
def test_module(build, module, table):
    done = golang.run(build, "test", "-count=1", ".", module=module, OCTUPLE_TABLE=table,
                      OCTUPLE_TEST_LANES="yes" if table == "auto" and has_lanes(build) else "no")
    assert done.returncode == 0, done.stdout + done.stderr


def abort(port: int) -> None:
    """Resets a connection in the middle of a hello."""
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(b"\x16\x03\x01\x02\x00\x01")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize("octuple", (False, True))
def test_server(build, tmp_path, octuple):
    make_keys(tmp_path / "keys", list(KEYS))
    program = caddy.build(build)
    with caddy.Caddy(program, tmp_path / "server", tmp_path / "keys", list(KEYS), os.sched_getaffinity(0), Build(build),
                     octuple) as server:
        for kind, port in server.ports.items():
            for _ in range(20):
                abort(port)
            report = load.run(Build(build).load, port, min(os.sched_getaffinity(0)), HANDSHAKES[kind],
                              connections=16, seconds=0.5)
            assert report["completed"] and not report["failed_total"], (kind, report["first_failure"], server.said())
            used = server.counters().get(HANDSHAKES[kind].operation, counters.Operation())
            if octuple and has_lanes(build):
                assert used.done >= report["completed"] and not used.failed, kind
            else:
                assert not used.done, kind
