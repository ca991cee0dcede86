# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: SERIAL
"""octuple-load against real servers: each suite completes, and only what was completed is counted."""

from __future__ import annotations

import os
import subprocess

import pytest

from lab import depth
from lab.servers import nginx as server

KEYS = ("rsa2048", "rsa3072", "rsa4096", "ecdsa-p256", "ecdsa-p384", "ed25519")
SUITES = ("aes128", "aes256")
PART = 1 if depth.EXHAUSTIVE else 4  # of the handshakes


def completes(report: dict, count: int) -> None:
    assert report["completed"] == count, report
    assert report["failed_total"] == report["aborted"] == 0


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("group", ("x25519", "p256", "p384", "p521"))
@pytest.mark.parametrize("shares", ("generator", "8"))
def test_groups(nginx, load, suite, group, shares):
    for tls in ("1.2", "1.3"):
        completes(load(nginx.ports["rsa2048"], "--tls", tls, "--group", group, "--suite", suite, "--shares", shares,
                       "--handshakes", 60 // PART, "--connections", 8), 60 // PART)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("tls", ("1.2", "1.3"))
def test_keys(nginx, load, key, suite, tls):
    completes(load(nginx.ports[key], "--tls", tls, "--suite", suite, "--handshakes", 40 // PART, "--connections", 8),
              40 // PART)


@pytest.mark.parametrize("key", ("rsa2048", "rsa3072", "rsa4096"))
@pytest.mark.parametrize("suite", SUITES)
def test_rsa_key_exchange(nginx, load, key, suite):
    completes(load(nginx.ports[key], "--tls", "1.2", "--kx", "rsa", "--suite", suite, "--handshakes", 100 // PART),
              100 // PART)


@pytest.mark.parametrize("kx", ("rsa", "ecdhe"))
def test_tls12_tickets(nginx, load, kx):
    completes(load(nginx.ports["rsa2048"], "--tls", "1.2", "--kx", kx, "--tickets", "--handshakes", 100), 100)


@pytest.mark.parametrize("proof", ("ticket", "close", "get"))
def test_proofs(nginx, load, proof):
    completes(load(nginx.ports["rsa2048"], "--proof", proof, "--handshakes", 200), 200)


@pytest.mark.parametrize("options", (("--tls", "1.3"), ("--tls", "1.2"), ("--tls", "1.2", "--kx", "rsa")))
def test_openssl_server(s_server, load, options):
    completes(load(s_server("rsa2048"), *options, "--handshakes", 20, "--connections", 4), 20)


def test_server_without_extended_master_secret(s_server, load):
    port = s_server("rsa2048", "-no_tls1_3", "-legacy_renegotiation")
    completes(load(port, "--tls", "1.2", "--handshakes", 10, "--connections", 2), 10)


def test_server_without_the_group(s_server, load):
    """It refuses, and the classical half of a mix is completed all the same."""
    port = s_server("rsa2048", "-groups", "X25519")
    report = load(port, "--group", "x25519mlkem768", "--handshakes", 4, "--connections", 1)
    assert report["alerts"] == {"40": 4} and report["failed"]["alert"] == 4
    report = load(port, "--group", "x25519,x25519mlkem768,p256,x25519", "--handshakes", 8, "--connections", 1)
    assert report["completed"] == report["failed"]["alert"] == 4


def test_server_without_tickets(s_server, load):
    """It shows nothing by itself: no ticket, no proof, no completed handshake."""
    port = s_server("rsa2048", "-num_tickets", "0")
    report = load(port, "--handshakes", 1, "--connections", 1, "--timeout", 1)
    assert report["completed"] == 0 and report["failed"]["timeout"] == 1
    completes(load(port, "--handshakes", 10, "--connections", 1, "--proof", "close"), 10)
    completes(load(port, "--handshakes", 10, "--connections", 1, "--proof", "get"), 10)


def test_the_server_has_seen_each_of_them(keys, load, tmp_path_factory):
    """What the client counts as completed is what nginx has answered, one by one."""
    class Logging(server.Nginx):
        def write_config(self):
            super().write_config()
            path = self.folder / "nginx.conf"
            path.write_text(path.read_text().replace("access_log off;", f"access_log {self.folder}/access.log;"))

    folder = keys.parent / "logging"
    with Logging("logging", folder, keys, ["rsa2048"], min(os.sched_getaffinity(0))) as running:
        report = load(running.ports["rsa2048"], "--proof", "get", "--handshakes", 400, "--abort", 30, "--seed", 5)
    answered = (folder / "access.log").read_text().count('"GET / HTTP/1.1" 200')
    assert report["aborted"] > 60 and report["completed"] + report["aborted"] == 400
    # A client that aborts after its Finished may have been answered too.
    assert report["completed"] <= answered <= 400


@pytest.mark.parametrize("options", (("--tls", "1.3"), ("--tls", "1.2"), ("--tls", "1.2", "--kx", "rsa")))
def test_aborts_are_no_failures(nginx, load, options):
    report = load(nginx.ports["rsa2048"], *options, "--handshakes", 600, "--abort", 100, "--seed", 3)
    assert report["aborted"] == 600
    report = load(nginx.ports["rsa2048"], *options, "--handshakes", 1000, "--abort", 20)
    assert report["failed_total"] == 0 and 120 < report["aborted"] < 280
    completes(load(nginx.ports["rsa2048"], *options, "--handshakes", 50), 50)


def test_open_loop(nginx, load):
    """So many a second as asked, whatever the number of places; and the same moments for the same seed."""
    reports = [load(nginx.ports["ecdsa-p256"], "--rate", 400, "--seconds", 1, "--seed", 9) for _ in range(2)]
    for report in reports:
        completes(report, report["begun"])
        assert 300 < report["begun"] < 500
    assert abs(reports[0]["begun"] - reports[1]["begun"]) <= 1


def test_open_loop_tells_when_the_server_falls_behind(nginx, load):
    report = load(nginx.ports["rsa4096"], "--rate", 5000, "--seconds", 1, "--connections", 8)
    assert report["overdue"] > 1000 and report["latency_us"]["p99"] > 300_000


def test_seconds_end_the_run(nginx, load):
    report = load(nginx.ports["ecdsa-p256"], "--seconds", 0.5, "--connections", 4)
    assert 0.4 < report["seconds"] < 3 and report["completed"] > 20
    quantiles = [report["latency_us"][name] for name in ("p50", "p90", "p99", "max")]
    assert quantiles == sorted(quantiles) and quantiles[0] > 0
    assert report["handshakes_per_s"] == pytest.approx(report["completed"] / report["seconds"], rel=0.01)


def test_sources_and_cpu(nginx, load):
    completes(load(nginx.ports["ecdsa-p256"], "--sources", 20, "--cpu",
                   min(os.sched_getaffinity(0)), "--handshakes", 100), 100)


@pytest.mark.parametrize("options", (
    (), ("127.0.0.1",), ("127.0.0.1", "0"), ("127.0.0.1", "70000"), ("localhost", "443"), ("127.0.0.1", "443", "x"),
    ("127.0.0.1", "443", "--tls", "1.1"), ("127.0.0.1", "443", "--kx", "rsa"),
    ("127.0.0.1", "443", "--group", "x25519,"), ("127.0.0.1", "443", "--group", "x25519mlkem"),
    ("127.0.0.1", "443", "--group", "x25519mlkem768", "--tls", "1.2"),
    ("127.0.0.1", "443", "--group", ",".join(["p256"] * 9)), ("127.0.0.1", "443", "--connections", "0"),
    ("127.0.0.1", "443", "--connections", "-1"), ("127.0.0.1", "443", "--seconds", "x"),
    ("127.0.0.1", "443", "--abort", "101"), ("127.0.0.1", "443", "--patience", "0"),
    ("127.0.0.1", "443", "--patience", "2000-1000"), ("127.0.0.1", "443", "--retry", "5-"),
    ("127.0.0.1", "443", "--warm-up", "-1"),
    ("127.0.0.1", "443", "--rate", "nan"), ("127.0.0.1", "443", "--no-such-option"), ("127.0.0.1", "443", "--seed"),
))
def test_a_wrong_command_line_is_told(load_program, options):
    done = subprocess.run([load_program, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stdout == "" and "octuple-load:" in done.stderr


def test_help_and_text(load_program, nginx):
    done = subprocess.run([load_program, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Examples:" in done.stdout
    done = subprocess.run([load_program, "127.0.0.1", str(nginx.ports["rsa2048"]), "--handshakes", "5"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("completed   5 of 5")
