# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH any
"""The client behind a network device: that its packets come from there, where namespaces are allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A process of its own, since it leaves the network for good.
TALK = """
import socket, subprocess, sys
from lab import veth
veth.own_network()
with veth.Peer(0, 0) as peer, socket.create_server((veth.SERVER, 0)) as server:
    server.settimeout(20)
    asks = "import socket; socket.create_connection(('%s', %d)).sendall(b'hello')" % server.getsockname()
    client = subprocess.Popen([*peer.prefix, sys.executable, "-c", asks])
    connection, (address, _) = server.accept()
    print(address == veth.CLIENT, connection.recv(5), client.wait(20))
"""


def why_not() -> str:
    missing = [name for name in ("ip", "setpriv", "nsenter") if not shutil.which(
        name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing:
        return f"{', '.join(missing)} not installed"
    allowed = subprocess.run(["unshare", "--net", "--mount", "true"], capture_output=True, check=False)
    return "" if os.geteuid() == 0 and allowed.returncode == 0 else "no network namespaces here"


@pytest.mark.skipif(bool(why_not()), reason=why_not() or "it can run")
def test_a_client_comes_from_its_own_network():
    done = subprocess.run([sys.executable, "-c", TALK], cwd=ROOT, capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.stdout.split("\n")[0] == "True b'hello' 0", done.stderr
