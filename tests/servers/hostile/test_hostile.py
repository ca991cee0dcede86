# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Hostile clients are told by an accelerated server what they are told by a stock one (verdicts.tsv)."""

from __future__ import annotations

import pytest

from lab import depth, schemas
from . import library

COPIES = 5 if depth.EXHAUSTIVE else 1
# What a crowd makes a server do in lanes; HAProxy, whose handshakes do not wait for others, has X25519 alone there.
LANES = {"nginx": ["rsa2048-private", "x25519-derive", "p256-derive", "p384-derive"],
         "haproxy": ["x25519-derive"]}


@pytest.fixture(scope="module")
def compare(build):
    try:
        library.use(build.folder)
    except library.LibraryError as error:
        pytest.skip(str(error))
    from . import compare as module  # needs the library

    return module


def test_table(compare):
    """A kind is known by its name."""
    assert compare.kinds.repeated() == []
    assert len(compare.kinds.HOSTILE) > 700


def test_each_kind_has_its_verdicts(compare):
    """verdicts.tsv is of today's kinds; `tests/servers/run hostile --table FILE` writes it."""
    from . import report

    assert report.names() == {(kind.tls, kind.name) for kind in (*compare.kinds.GOOD, *compare.kinds.HOSTILE)}


@pytest.mark.parametrize("server", ["nginx", "haproxy"])
def test_verdicts_are_the_same(build, keys, compare, server):
    from . import report

    found = compare.compare(server, keys, build, copies=COPIES)
    schemas.check("hostile", report.as_json([found]))
    assert found.unserved() == []
    assert found.talkative() == []
    assert found.differences() == []
    for name in LANES[server]:
        count = found.counters[name]
        assert count.done > 0 and count.recomputed == 0, f"{name}: {count}"
