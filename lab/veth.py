# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A client behind a network device instead of on loopback, where the sender's CPU does the receiver's work too.

Server and client are in network namespaces of their own, which end with this process, joined by a pair of virtual
Ethernet devices. Each end's packets are received on the CPU that its program runs on, as a network card's would be.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from .servers.nginx import Running, ServerError

CLONE_NEWNET = 0x40000000
SERVER, CLIENT = "10.77.1.1", "10.77.1.2"
DEVICES = {SERVER: "server", CLIENT: "client"}
# /sys shows the devices of the namespace in which it is mounted.
RECEIVE_ON = 'mount -t sysfs none /sys && echo "$1" >"/sys/class/net/$2/queues/rx-0/rps_cpus"'
WITHIN = 60  # seconds for the client's namespace to be there


def own_network() -> None:
    """Takes this process, and all that it starts from now on, to a network of its own."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise ServerError(f"no network namespace of its own ({os.strerror(ctypes.get_errno())}): it needs root")


@contextmanager
def network_with_room(backlog: int) -> Iterator[None]:
    """A network of its own for a while, in which so many connections may wait at a listening socket."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net", "rb") as before:
        own_network()
        try:
            run("ip", "link", "set", "lo", "up")
            for name in ("core/somaxconn", "ipv4/tcp_max_syn_backlog"):
                Path("/proc/sys/net", name).write_text(str(backlog))
            yield
        finally:
            if libc.setns(before.fileno(), CLONE_NEWNET) != 0:
                raise ServerError(f"no way back to the network ({os.strerror(ctypes.get_errno())})")


def network_of(pid: int | str) -> str:
    return os.readlink(f"/proc/{pid}/ns/net")


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServerError(f"{' '.join(command)}: {done.stderr.strip()}")


class Peer(Running):
    """The client's end, for a process that has called own_network()."""

    def __init__(self, server_cpu: int, client_cpu: int):
        self.cpus = {SERVER: server_cpu, CLIENT: client_cpu}
        self.holder: subprocess.Popen | None = None

    @property
    def prefix(self) -> tuple[str, ...]:
        """What stands before the client's command."""
        return "nsenter", "--net", "--target", str(self.holder.pid)

    def start(self) -> None:
        self.holder = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "sleep", "infinity"],
                                       stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + WITHIN
        while network_of(self.holder.pid) == network_of("self"):
            if time.monotonic() > deadline or self.holder.poll() is not None:
                raise ServerError("the client got no network namespace")
            time.sleep(0.01)
        run("ip", "link", "add", DEVICES[SERVER], "type", "veth", "peer", "name", DEVICES[CLIENT], "netns",
            str(self.holder.pid))
        for address, before in ((SERVER, ()), (CLIENT, self.prefix)):
            run(*before, "ip", "link", "set", "lo", "up")
            run(*before, "ip", "address", "add", f"{address}/24", "dev", DEVICES[address])
            run(*before, "ip", "link", "set", DEVICES[address], "up")
            run(*before, "unshare", "--mount", "sh", "-c", RECEIVE_ON, "sh", f"{1 << self.cpus[address]:x}",
                DEVICES[address])

    def stop(self) -> None:
        if self.holder:
            self.holder.kill()
            self.holder.wait()
