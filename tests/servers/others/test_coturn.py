# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""coturn's TLS listener, stock and with Octuple. It looks at the first bytes of a connection before it makes TLS of it,
and libevent's bufferevents handshake in its threads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.servers.common import daemons, rig


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_all_sorts(build, keys, place, threads):
    seen = daemons.compare(replace(daemons.find("coturn"), threads=threads), keys, build, place)
    assert daemons.served(seen, "1.2 in a crowd") and daemons.served(seen, "1.2 again")
    assert seen.last["rsa2048-private"].done > 0


def test_client_certificates(build, keys, place):
    kind = daemons.find("coturn")
    kind = replace(kind, conf=kind.conf + f"CA-file={keys}/ca.crt\n")
    good = rig.client_context("1.2", "ALL", keys / "client-rsa2048.crt", keys / "client-rsa2048.key")
    seen = daemons.compare(kind, keys, build, place, daemons.with_certificates(keys), last=good)
    assert daemons.served(seen, "1.2, client, rsa2048") and not daemons.served(seen, "1.2, stranger, rsa2048")
    assert seen.last["rsa2048-private"].done > 0
