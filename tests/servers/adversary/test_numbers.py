# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A program that sets ex_data of connections under numbers that it never reserved keeps what it has set."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.servers.common import crowd, rig

each = pytest.mark.parametrize
LAST = 8


def verdict(program, count, first, keys, build, place) -> tuple[int, object]:
    env = rig.shim_environment(place, build) if build else rig.clean_environment()
    done = subprocess.run([program, str(count), str(first), str(keys)], env=env, capture_output=True, text=True,
                          check=False, timeout=60)
    return done.returncode, json.loads(done.stdout or "null")


@each("count, first", [(0, 0), *((1, first) for first in range(LAST)), (LAST, 0), (LAST, 2)])
def test_numbers(build, keys, place, count, first):
    program = crowd.program("numbers", build, "libssl-dev")
    stock = verdict(program, count, first, keys, None, place)
    assert stock == (0, {"set": count, "kept": count, "done": True})
    assert verdict(program, count, first, keys, build, place) == stock
