# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH any
"""The fleet: which buckets move, and a small run of all of it in namespaces, where those are allowed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lab import depth, schemas
from bench.measure.fleet.balancer import BUCKETS, owner

ROOT = Path(__file__).parents[2]
FLEET = ROOT / "bench/fleet"
SMALL = ("--handshakes", "2500", "--rate", "250", "--quic", "0", "--idle", "4", "--renew", "1")


def test_only_the_buckets_of_one_that_leaves_move():
    everyone = ("a", "b", "c")
    before = [owner(i, everyone) for i in range(BUCKETS)]
    after = [owner(i, ("a", "c")) for i in range(BUCKETS)]
    assert [i for i in range(BUCKETS) if before[i] != after[i]] == [i for i in range(BUCKETS) if before[i] == "b"]
    assert all(before.count(name) > BUCKETS / 5 for name in everyone)


def why_not() -> str:
    if not os.environ.get("OCTUPLE_BUILD"):
        return "OCTUPLE_BUILD does not name a build"
    missing = [name for name in ("nft", "ip", "nginx", "setpriv") if not shutil.which(
        name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing:
        return f"{', '.join(missing)} not installed"
    allowed = subprocess.run(["unshare", "--net", "--mount", "--pid", "--fork", "nft", "add", "table", "netdev", "t"],
                             capture_output=True, check=False)
    return "" if os.geteuid() == 0 and allowed.returncode == 0 else "no namespaces with nftables here"


def run(*options: str) -> subprocess.CompletedProcess:
    reason = why_not()
    if reason:
        pytest.skip(reason)
    return subprocess.run([FLEET, "--build-dir", os.environ["OCTUPLE_BUILD"], *SMALL, *options], capture_output=True,
                          text=True, timeout=120, check=False)


def test_nothing_is_lost_while_a_server_is_renewed():
    done = run()
    # On a busy machine the load may be over too soon, and that is all that may be wrong.
    complaints = [line for line in done.stderr.splitlines() if line.startswith("fleet: tcp:")]
    assert all("after the load had ended" in line for line in complaints), done.stderr
    assert done.returncode == bool(complaints), done.stderr
    found = json.loads(done.stdout)
    schemas.check("fleet", found)
    step = found["tcp"]["renewed"][0]
    assert found["tcp"]["completed"] == 2500 and step["held"]["lost"] == 0 and step["held"]["by_server"]["s1"] > 0
    # Servers answer clients by themselves: the balancer sees one direction only.
    packets = found["packets"]
    assert packets["balancer"]["sent"] <= packets["balancer"]["received"] < 1.1 * packets["client"]["sent"]
    assert not Path("/run/netns/s1").exists()


@pytest.mark.skipif(not depth.EXHAUSTIVE, reason=f"as long as the run before: {depth.EXHAUSTIVE_ONLY}")
def test_connections_are_lost_without_flows():
    done = run("--stateless")
    assert done.returncode == 1 and "held connections" in done.stderr, done.stderr
