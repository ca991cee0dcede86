# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Squid as a reverse proxy that ends TLS, stock and with Octuple: one thread around epoll."""

from __future__ import annotations

from dataclasses import replace

import daemons
import lab


def test_all_sorts(build, keys, place):
    seen = daemons.compare(daemons.find("squid"), keys, build, place)
    assert daemons.served(seen, "1.2 in a crowd") and daemons.served(seen, "1.3 again") and seen.verdict.status == 0
    assert seen.last["rsa2048-private"].done > daemons.HERD


def test_client_certificates(build, keys, place):
    kind = daemons.find("squid")
    kind = replace(kind, conf=kind.conf.replace(" accel ", f" accel clientca={keys}/ca.crt ", 1))
    good = lab.client_context("1.3", "ALL", keys / "client-rsa2048.crt", keys / "client-rsa2048.key")
    seen = daemons.compare(kind, keys, build, place, daemons.with_certificates(keys), last=good)
    for version in ("1.2", "1.3"):
        assert daemons.served(seen, f"{version}, client, rsa2048")
        assert not daemons.served(seen, f"{version}, expired, rsa2048") and not daemons.served(seen, f"{version}, none")
    assert seen.last["rsa2048-private"].done > 0
