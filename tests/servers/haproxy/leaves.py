# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What an HAProxy with `ssl-mode-async` keeps of clients that leave while their handshake is paused.

The keys are in the test's provider, which pauses each signature for some milliseconds. Every client sends its hello and
resets the connection meanwhile. HAProxy waits for the provider then and frees the connection, but not its job, unless
it has the patch of packaging/haproxy. What is left of a job is its stack and more, some 34 KB of heap each.
"""

from __future__ import annotations

import argparse
import os
import select
import shutil
import socket
import ssl
import struct
import sys
import time
from pathlib import Path

from tests.servers.common import clients, credentials, rig, tardy
from tests.servers.common.haproxy import HAProxy

DEVICE_US = 20000
AT_A_TIME = 200
JOB_KB = 34
RESET = struct.pack("ii", 1, 0)


def hello() -> bytes:
    """Of TLS 1.3: the signature is the server's first work for it."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = rig.client_context("1.3").wrap_bio(incoming, outgoing)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def heap_kb(pid: int) -> int:
    """What the process has allocated and may write to, whether or not it was touched."""
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmData"))
    return int(line.split()[1])


def leave(port: int, pid: int, count: int) -> None:
    """In crowds: all say hello, the provider has all their keys at work, and all are reset."""
    said = hello()
    for start in range(0, count, AT_A_TIME):
        crowd = [socket.create_connection(("127.0.0.1", port)) for _ in range(min(AT_A_TIME, count - start))]
        for client in crowd:
            client.sendall(said)
        until = time.monotonic() + 5
        while rig.descriptors(pid, "timerfd") < len(crowd) // 2 and time.monotonic() < until and \
                not select.select(crowd, [], [], 0)[0]:
            pass
        for client in crowd:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            client.close()


def settle(pid: int) -> None:
    """Until the provider has no key at work any more."""
    rig.wait_until(lambda: not rig.descriptors(pid, "timerfd"), "all operations are over")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/servers/run leaves", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("haproxy", type=Path, help="the program")
    parser.add_argument("--build", default="build/dev", help="the build folder")
    parser.add_argument("--clients", type=int, default=4000, help="who leave; default 4000")
    return parser.parse_args()


def main() -> int:
    args = options()
    build, where = rig.Build(Path(args.build).resolve()), rig.folder("leaves")
    (where / "bin").mkdir()
    (where / "bin/haproxy").symlink_to(args.haproxy.resolve())
    os.environ["PATH"] = f"{where}/bin:{os.environ['PATH']}"
    try:
        keys = credentials.make_keys(where / "keys")
        server = HAProxy(keys, None, main="nbthread 1\n    maxconn 4000\n    ssl-mode-async")
        server.env["OCTUPLE_COUNTERS"] = str(where / "counters")
        tardy.put_into(server.env, build, "pauses", 0, DEVICE_US)
        with server:
            pid = server.process.pid
            leave(server.port, pid, 5 * AT_A_TIME)
            settle(pid)
            heap, fds = heap_kb(pid), rig.descriptors(pid, "")
            leave(server.port, pid, args.clients)
            settle(pid)
            grown, more = heap_kb(pid) - heap, rig.descriptors(pid, "") - fds
            answer = clients.fetch(server.port, rig.client_context())
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print(f"leaves: {args.clients} clients, {grown:+d} KB, so {max(0, grown) // JOB_KB} jobs, {more:+d} descriptors")
    return 0 if b"ok" in answer and grown < args.clients * JOB_KB // 10 and more <= 0 else 1


if __name__ == "__main__":
    sys.exit(main())
