# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH any
"""octuple-load's hybrid groups against `openssl s_server` with Octuple's provider."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench.measure import demo, versus
from lab import counters, load as loads, openssl_conf
from lab.programs import Build
from lab.servers import nginx

BUILD = Build(Path(os.environ["OCTUPLE_BUILD"]).resolve())


@pytest.fixture
def accelerated(s_server, tmp_path):
    """A server with the provider and these groups, and where its counters are."""
    conf = tmp_path / "openssl.cnf"
    conf.write_text(openssl_conf.served(BUILD.provider))

    def start(*groups: str) -> int:
        return s_server("ecdsa-p256", "-groups", ":".join(groups),
                        OPENSSL_CONF=str(conf), OCTUPLE_COUNTERS=str(tmp_path))

    return start


def completes(report: dict, count: int) -> None:
    assert report["completed"] == count and report["failed_total"] == 0, report


@pytest.mark.parametrize("group", nginx.HYBRIDS)
@pytest.mark.parametrize("options", (("--suite", "aes128"), ("--suite", "aes256"), ("--shares", 3),
                                     ("--connections", 1)))
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


@pytest.mark.parametrize("name", ("tls13-rsa2048-x25519mlkem768", "tls13-ecdsa-p256-half-hybrid"))
def test_nginx_under_octuple_has_the_group(keys, load_program, name):
    """The servers of the experiments: what is measured is what its name says."""
    if demo.octuple_info(BUILD)["table"]["name"] == "none":
        pytest.skip("`octuple run` leaves a server as it is where there is no table")
    cpu, handshake = min(os.sched_getaffinity(0)), loads.named(name)
    with nginx.Nginx("octuple", keys.parent / name, keys, [handshake.key], cpu, BUILD) as running:
        assert running.hybrids == list(nginx.HYBRIDS)
        bench = versus.Bench({"octuple": running}, load_program, cpu)
        sample = bench.run("octuple", handshake, "test", 0.3, connections=16)
    assert sample.group == handshake.group and not versus.failures([sample])
    hybrid, derive = (sample.operations.get(operation, counters.Operation()).all
                      for operation in ("x25519mlkem768-server", "x25519-derive"))
    assert hybrid and hybrid + derive == sample.operations[handshake.operation].all
    assert abs(hybrid - derive) <= 1 if "half" in name else derive == 0
