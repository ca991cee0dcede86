# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The program that measures Octuple beside a peer: its arguments, its output, what it says of failures. OCT_BESIDE is
one with a peer that is none (bench/beside/fake.c). No time is asserted."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from bench.experiments import frame
from bench.experiments.operations import peers
from lab import debian, programs

PROGRAM = os.environ.get("OCT_BESIDE", "")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="OCT_BESIDE does not name the program: run by ctest, or set it")


def beside(*options: str, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, check=False, timeout=60,
                          env=dict(os.environ) | variables)


def test_pairs_of_rates():
    done = beside("--only", "good", "--seconds", "0.02")
    library, operation, in_bytes = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0 and library == {"library": "fake 1.0", "note": None}
    assert operation["name"] == "good-operation" and operation["unit"] == "op/s"
    assert in_bytes["name"] == "good-bytes" and in_bytes["unit"] == "B/s"
    assert len(operation["pairs"]) >= 5
    assert all(len(pair) == 2 and min(pair) > 0 for pair in operation["pairs"] + in_bytes["pairs"])


def test_what_a_peer_gets_wrong_has_a_reason():
    done = beside("--only", "bad", "--seconds", "0.02", FAKE_NOTE="a note")
    library, results, peer = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0 and library["note"] == "a note"
    assert "differ" in results["reason"] and "fails" in peer["reason"] and "pairs" not in results
    found = peers.of_beside(done.stdout)
    assert not found["metrics"] and list(found["notes"]["reasons"]) == ["bad-results", "bad-peer"]


def test_what_octuple_leaves_alone_has_a_reason():
    done = beside("--only", "broken-keys", FAKE_OFF="broken-keys")
    assert done.returncode == 0 and json.loads(done.stdout.splitlines()[1])["reason"] == "not on this CPU"


@pytest.mark.parametrize("row, what", (("broken-octuple", "Octuple failed"), ("broken-keys", "could not be prepared")))
def test_what_octuple_gets_wrong_is_a_failure(row, what):
    done = beside("--only", row, "--seconds", "0.02")
    assert done.returncode == 1 and done.stderr == f"beside: {row}: {what}\n"


def test_a_peer_that_cannot_run_here():
    done = beside(FAKE_REASON="no such instructions")
    assert done.returncode == 77 and done.stderr == "no such instructions\n" and not done.stdout
    assert "good-bytes" in beside("--list", FAKE_REASON="none").stdout.splitlines()


@pytest.mark.parametrize("options", (("--unknown",), ("more",), ("--seconds", "0"), ("--seconds", "1x"),
                                     ("--seconds", "100")))
def test_wrong_usage(options):
    done = beside(*options)
    assert done.returncode == 2 and not done.stdout


@pytest.mark.parametrize("name, row", (("crypto_mb", "x25519-derive"), ("ipsec_mb", "quic-aes128gcm-seal-64")))
def test_real_peers(name, row, tmp_path):
    """Where they are installed: that they build, and come to the same results as Octuple."""
    place = debian.place()
    build = os.environ.get("OCTUPLE_BUILD")
    if place.why_not() or not build:
        pytest.skip(place.why_not() or "OCTUPLE_BUILD does not name a build")
    prefix = place.prefix(programs.Path(build))
    program = programs.Path(build) / f"beside-test-{name}"
    try:
        frame.output_of([*prefix, str(peers.BESIDE / "build"), name, f"{build}/lib", str(program)])
        text = frame.output_of([*prefix, str(program), "--only", row, "--seconds", "0.02"])
    except frame.Unavailable as reason:
        pytest.skip(str(reason))
    finally:
        program.unlink(missing_ok=True)
    found = peers.of_beside(text)
    assert list(found["metrics"]) == [row] and not found["notes"]["reasons"]
