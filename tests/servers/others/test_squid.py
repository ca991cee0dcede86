# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Squid as a reverse proxy that ends TLS, stock and with Octuple: one thread around epoll."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from lab import process
from lab.servers import web
from tests.servers.common import daemons, rig


def test_all_sorts(build, keys, place):
    seen = daemons.compare(daemons.find("squid"), keys, build, place)
    assert daemons.served(seen, "1.2 in a crowd") and daemons.served(seen, "1.3 again") and seen.verdict.status == 0
    assert seen.last["rsa2048-private"].waited(daemons.HERD)


def kid(pid: int) -> int:
    return process.children(pid)[0]


def by_master():
    """As Debian starts it: a master makes the process that serves."""
    alone = daemons.find("squid")
    return replace(alone, options=lambda conf: ["--foreground", *alone.options(conf)[1:]])


def test_master_and_kid(build, keys, place):
    kind = replace(by_master(), account=web.unprivileged())
    seen = daemons.compare(kind, keys, build, place, worker=kid)
    assert daemons.served(seen, "1.2 in a crowd") and daemons.served(seen, "1.3 in a crowd")
    assert seen.last["rsa2048-private"].waited(daemons.HERD)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_kid_of_root(build, keys, place):
    """The kid starts with root's real and another effective user, so ld.so ignores LD_PRELOAD: all is as without."""
    seen = daemons.compare(by_master(), keys, build, place, worker=None)
    assert daemons.served(seen, "1.2 in a crowd") and daemons.served(seen, "1.3 in a crowd")
    assert not any(count.all for count in seen.counts.values())


def test_client_certificates(build, keys, place):
    kind = daemons.find("squid")
    kind = replace(kind, conf=kind.conf.replace(" accel ", f" accel clientca={keys}/ca.crt ", 1))
    good = rig.client_context("1.3", "ALL", keys / "client-rsa2048.crt", keys / "client-rsa2048.key")
    seen = daemons.compare(kind, keys, build, place, daemons.with_certificates(keys), last=good)
    for version in ("1.2", "1.3"):
        assert daemons.served(seen, f"{version}, client, rsa2048")
        assert not daemons.served(seen, f"{version}, expired, rsa2048") and not daemons.served(seen, f"{version}, none")
    assert seen.last["rsa2048-private"].done > 0
