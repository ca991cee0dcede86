# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""octuple doctor on a server whose clients leave before it comes to them."""

import os
import re
import signal
import socket
import threading
import time

from tests.cli.conftest import build_folder
from tests.cli.test_doctor import as_root, certificate, nginx, pair, port, running  # noqa: F401: fixtures
from tests.cli.test_top import look
from tests.servers.common.rig import client_context, wait_until

import psutil
import ssl


def hello():
    outgoing = ssl.MemoryBIO()
    tls = client_context().wrap_bio(ssl.MemoryBIO(), outgoing)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def leave(number, worker, until):
    """Crowds that come while the worker stands still, and have left when it goes on."""
    said = hello()
    while not until.is_set():
        os.kill(worker, signal.SIGSTOP)
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", number)) as client:
                client.sendall(said)
        time.sleep(0.15)
        os.kill(worker, signal.SIGCONT)
        time.sleep(0.05)


def test_in_a_storm_and_behind_it(served, nginx, port):  # noqa: F811
    with running(served, build_folder() / "bin/octuple", "run", "--", *nginx, port=port) as pid:
        wait_until(lambda: psutil.Process(pid).children(), "its worker starts")
        worker = psutil.Process(pid).children()[0].pid
        end = threading.Event()
        crowd = threading.Thread(target=leave, args=(port, worker, end))
        crowd.start()
        try:
            time.sleep(1)
            text = served.call("doctor", pid, **as_root()).stdout
        finally:
            end.set()
            crowd.join()
        assert "it is in a storm: in a second " in text
        assert re.search(r"set backlog= of listen to \d+, a third of a second's", " ".join(text.split())), text
        assert look(served, pid)[worker]["hellos"]["gone"] >= 8
        assert "clients left before their handshake began, and cost next to nothing" in " ".join(
            served.call("doctor", pid, **as_root()).stdout.split())
