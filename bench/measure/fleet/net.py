# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""One Ethernet segment in network namespaces: a switch, a client, a balancer and servers.

    client ---+
    balancer -+- switch
    server ---+
    server ---+

All hosts are in 10.77.0.0/24. The service has one address more. The balancer answers ARP for it; the servers have it on
their loopback device and stay silent, so that they accept what is sent there, and answer from it. All of it is in
namespaces of the caller's, and ends with these.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable

VIP = "10.77.0.100"
PORT = 443
SWITCH, CLIENT, BALANCER = "switch", "client", "balancer"
# A server never asks or answers for the service's address: it is on another device than the segment's.
SILENT = {"conf/all/arp_ignore": "1", "conf/all/arp_announce": "2"}
# A client alone makes as many connections as otherwise thousands would.
MANY_PORTS = {"ip_local_port_range": "1024 65535"}


class FleetError(Exception):
    """The fleet could not be set up, or lost something; the text says what."""


def run(command: list[str], text: str | None = None) -> str:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise FleetError(f"{command[0]} is not installed") from error
    if done.returncode:
        raise FleetError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def inside(host: str, command: list[str]) -> list[str]:
    """The command in a host's namespace."""
    return ["ip", "netns", "exec", host, *command]


def address(number: int) -> str:
    return f"10.77.0.{number}"


def hardware(number: int) -> str:
    return f"02:00:0a:4d:00:{number:02x}"


class Segment:
    """The namespaces and their links. Server number 0 is `servers[0]`; host numbers are addresses' last bytes."""

    def __init__(self, servers: Iterable[str]):
        self.servers = tuple(servers)
        self.numbers = {CLIENT: 1, BALANCER: 2} | {name: 11 + i for i, name in enumerate(self.servers)}

    def address(self, host: str) -> str:
        return address(self.numbers[host])

    def hardware(self, host: str) -> str:
        return hardware(self.numbers[host])

    def build(self) -> None:
        for host in (SWITCH, *self.numbers):
            run(["ip", "netns", "add", host])
            run(["ip", "-n", host, "link", "set", "lo", "up"])
        run(["ip", "-n", SWITCH, "link", "add", "br0", "type", "bridge"])
        run(["ip", "-n", SWITCH, "link", "set", "br0", "up"])
        for host in self.numbers:
            self.plug(host)
        run(["ip", "-n", BALANCER, "address", "add", f"{VIP}/32", "dev", "eth0"])
        for name in self.servers:
            self.settings(name, SILENT)
            run(["ip", "-n", name, "address", "add", f"{VIP}/32", "dev", "lo"])
        self.settings(CLIENT, MANY_PORTS)

    def plug(self, host: str) -> None:
        number = self.numbers[host]
        run(["ip", "link", "add", f"port{number}", "netns", SWITCH, "type", "veth",
             "peer", "name", "eth0", "netns", host, "address", hardware(number)])
        run(["ip", "-n", SWITCH, "link", "set", f"port{number}", "master", "br0", "up"])
        run(["ip", "-n", host, "link", "set", "eth0", "up"])
        run(["ip", "-n", host, "address", "add", f"{address(number)}/24", "dev", "eth0"])

    @staticmethod
    def settings(host: str, values: dict[str, str]) -> None:
        for name, value in values.items():
            run(inside(host, ["tee", f"/proc/sys/net/ipv4/{name}"]), value)

    @staticmethod
    def packets(host: str) -> dict[str, int]:
        """What the host's port has received and sent."""
        folder = "/sys/class/net/eth0/statistics"
        out = run(inside(host, ["cat", f"{folder}/rx_packets", f"{folder}/tx_packets"])).split()
        return {"received": int(out[0]), "sent": int(out[1])}
