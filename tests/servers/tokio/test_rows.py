# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What `tests/servers/run tokio --json` keeps: sums of all runs of a server, as docs/schemas says."""

import json

from lab import schemas
from tests.servers.tokio import __main__ as tokio


def test_runs_are_added_up():
    stock = tokio.Figures(handshakes=9, cpu=[30.0])
    runs = [tokio.row("tokio", 2, {"stock": stock, "octuple": tokio.Figures(handshakes=count, cpu=[10.0])})
            for count in (4, 5)]
    rows = tokio.joined(tokio.joined([], runs[:1]), runs[1:])
    schemas.check("tokio", json.loads(json.dumps(rows)))
    assert [(row["handshakes"], row["cpu_us"]) for row in rows] == [(9, [[30.0, 10.0], [30.0, 10.0]])]
