# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""octuple-load's hybrid groups against `openssl s_server` with Octuple's provider."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from octbench import apache, counters
from octbench.programs import Build

GROUPS = ("X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024")


@pytest.fixture
def accelerated(s_server, tmp_path):
    """A server with the provider and these groups, and where its counters are."""
    build = Build(Path(os.environ["OCTUPLE_BUILD"]).resolve())
    conf = tmp_path / "openssl.cnf"
    conf.write_text(apache.OPENSSL_CONF.format(provider=build.provider))

    def start(*groups: str) -> int:
        return s_server("ecdsa-p256", "-groups", ":".join(groups), OPENSSL_CONF=str(conf), OCTUPLE_COUNTERS=str(tmp_path))

    return start


def completes(report: dict, count: int) -> None:
    assert report["completed"] == count and report["failed_total"] == 0, report


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("options", (("--suite", "aes128"), ("--suite", "aes256"), ("--shares", 3), ("--connections", 1)))
def test_groups(accelerated, load, group, options):
    completes(load(accelerated(group), "--group", group.lower(), "--handshakes", 30, *options), 30)


def test_aborts(accelerated, load):
    report = load(accelerated("X25519MLKEM768"), "--group", "x25519mlkem768", "--handshakes", 200, "--abort", 30)
    assert report["failed_total"] == 0 and report["aborted"] > 20


def test_connections_take_groups_in_turn(accelerated, load, tmp_path):
    port = accelerated("X25519MLKEM768", "X25519")
    completes(load(port, "--group", "x25519mlkem768,x25519", "--handshakes", 40), 40)
    counted = counters.total(counters.read(path) for path in tmp_path.glob("*.octuple"))
    assert counted["p256-sign"].all == 40
    assert counted["x25519mlkem768-server"].all == counted["x25519-derive"].all == 20
