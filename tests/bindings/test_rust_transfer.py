# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LOCK cargo COST 100
"""A quinn server on Octuple and a stock client, with a network between them that loses and delays datagrams."""
import subprocess

import pytest
from bench.measure import quic
from lab import cargo

BYTES = 20_000_000


@pytest.mark.parametrize("suite", quic.SUITES)
def test_bad_network(build, program, suite):
    told = quic.run(program, build, "octuple", quic.Transfer(suite, BYTES, loss=0.01, reorder=0.01), seed=7)
    assert told["server"]["bytes"] == told["client"]["bytes"] == BYTES, "whose digest the client has checked"
    assert told["client"]["lost"] > 50 and told["client"]["reordered"] > 50, "it was a bad network"
    assert told["server"]["cpu_s"] > 0 and told["client"]["goodput_mb_s"] > 0


@pytest.mark.parametrize("variant", quic.VARIANTS)
@pytest.mark.parametrize("size", (1, 100_000, 3 * BYTES))
def test_good_network(build, program, variant, size):
    told = quic.run(program, build, variant, quic.Transfer("aes128", size))
    assert told["client"]["bytes"] == size and told["client"]["datagrams"] == 0, "without the relay"
    assert variant == "octuple" or told["tier"] == "none"


@pytest.mark.parametrize("arguments, complaint", (
    ([], "three commands"), (["serve"], "--stack"), (["serve", "--stack", "x"], "neither stock nor octuple"),
    (["fetch", "--port", "1", "--certificate", "x", "--bytes", "0"], "no number above 0"),
    (["handshakes", "--port", "1", "--connections", "0", "--seconds", "1"], "no number above 0"),
    (["handshakes", "--port", "1", "--connections", "1", "--seconds", "-1"], "not between 0 and 3600"),
    (["fetch", "--port", "1", "--certificate", "x", "--bytes", "1", "--loss", "2"], "not between 0 and 0.5"),
    (["fetch", "--port", "1", "--certificate", "x", "--bytes", "1", "--what"], "unknown argument --what")))
def test_bad_arguments(build, program, arguments, complaint):
    done = subprocess.run([program, *arguments], env=cargo.environment(build),
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and complaint in done.stderr and "usage:" in done.stderr


def test_a_server_that_cannot_start_is_noticed(build, program, tmp_path):
    with pytest.raises(quic.TransferError, match="did not start"):
        quic.run(program, build, "neither", quic.Transfer("aes128", 1))
    done = subprocess.run([program, "serve", "--stack", "stock", "--certificate", tmp_path / "no/where"],
                          env=cargo.environment(build), capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "transfer: " in done.stderr
