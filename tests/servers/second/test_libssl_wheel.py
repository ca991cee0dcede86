# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Python with its own ssl module and psycopg2-binary, a wheel that brings a private copy of OpenSSL, in one process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.servers.common import rig
from tests.servers.second.postgres_server import echo, postgres, serving

SOURCES = Path(__file__).parent
WAYS = {"on": {}, "off": {"OCTUPLE_TABLE": "off"}}


@pytest.fixture(scope="module")
def psycopg2(build):
    """Where it is: pip puts it into the build folder, at the first time only."""
    where = build.folder / "python-psycopg2-2.9.13"
    if not where.exists():
        fresh = tempfile.mkdtemp(prefix="python-", dir=build.folder)
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps",
                               "--only-binary=:all:", "--disable-pip-version-check", "--target", fresh, "-r",
                               str(SOURCES / "requirements.txt")], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"psycopg2-binary could not be had: {done.stderr.strip().splitlines()[-1:]}")
        os.rename(fresh, where)
    assert list(where.glob("psycopg2_binary.libs/libssl-*.so*")), "it has no libssl of its own any more"
    return where


def run(command: list[str], env: dict[str, str]) -> tuple[int, str, str]:
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("order", ["ssl-first", "psycopg2-first"])
def test_wheel_beside_the_systems_library(build, keys, place, psycopg2, order, way):
    with serving(echo, keys) as tls_port, serving(postgres, keys) as postgres_port:
        command = ["/usr/bin/python3", "-B", str(SOURCES / "postgres_client.py"), order, str(psycopg2), str(tls_port),
                   str(postgres_port)]
        stock = run(command, rig.clean_environment())
        pair = ["ssl: hello TLSv1.3", "psycopg2: True TLSv1.3"]
        assert stock == (0, "\n".join(15 * (pair if order == "ssl-first" else pair[::-1])) + "\n", "")
        assert run(command, rig.shim_environment(place, build, **WAYS[way])) == stock
        if way == "on" and rig.has_lanes():
            assert run([str(build.octuple), "run", "--", *command], rig.clean_environment()) == stock
