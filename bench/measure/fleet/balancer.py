# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The balancer: nftables on the ingress hook of its one device. It forwards a packet to a server by rewriting the two
Ethernet addresses, so that the server sees the client's packet, and answers the client itself.

Which server:

1. A flow that is known goes where it went before. `flows_NAME` has the flows of a server; each packet keeps its flow
   there for another `idle` seconds.
2. Any other goes by a hash of the client's address and port to one of 256 buckets, and `buckets` names each one's
   server. A SYN always does: it begins a connection, whatever had this port before.

Draining a server gives its buckets to others, and no other bucket moves. Its flows stay, until the set is empty. The
set of a server is full at `FLOWS` flows; more of them go by their bucket alone.
"""

from __future__ import annotations

import hashlib
import json

from .net import BALANCER, PORT, Segment, VIP, inside, run

BUCKETS = 256
FLOWS = 1 << 18
FLOW = "ip saddr . ip protocol . th sport"

TABLE = """\
table netdev fleet {{
{sets}
    map buckets {{
        type mark : verdict
    }}
{servers}
    chain fresh {{
{forgets}
        meta mark set jhash ip saddr . th sport mod {buckets} seed 0x4f435431
        meta mark vmap @buckets
    }}
    chain ingress {{
        type filter hook ingress device "eth0" priority 0; policy accept;
        meta protocol != ip accept
        ip daddr != {vip} accept
        ip protocol != {{ tcp, udp }} accept
        th dport != {port} accept
        tcp flags & (syn | ack) == syn goto fresh
{known}
        goto fresh
    }}
}}
"""
SET = """\
    set flows_{name} {{
        type ipv4_addr . inet_proto . inet_service
        size {size}
        flags dynamic,timeout
        timeout {idle}s
    }}"""
SERVER = """\
    chain to_{name} {{
{learn}
        ether saddr set {own} ether daddr set {hardware} fwd to "eth0"
    }}"""


def owner(bucket: int, active: tuple[str, ...]) -> str:
    """The server of a bucket: of those that are active, the one with the highest hash. So only the buckets of one that
    leaves move, and they come back with it. Any number of balancers agree without a word."""
    return max(active, key=lambda name: hashlib.sha256(f"{bucket} {name}".encode()).digest())


def ruleset(segment: Segment, idle: int, learns: bool = True) -> str:
    """Without learning, all packets go by their bucket: to see what the sets are good for."""
    names = segment.servers
    learn = "        update @flows_{name} {{ {flow} }}" if learns else "        # learns nothing"
    return TABLE.format(
        vip=VIP, port=PORT, buckets=BUCKETS,
        sets="\n".join(SET.format(name=name, size=FLOWS, idle=idle) for name in names),
        servers="\n".join(SERVER.format(name=name, learn=learn.format(name=name, flow=FLOW),
                                        own=segment.hardware(BALANCER), hardware=segment.hardware(name))
                          for name in names),
        forgets="\n".join(f"        delete @flows_{name} {{ {FLOW} }}" for name in names),
        known="\n".join(f"        {FLOW} @flows_{name} goto to_{name}" for name in names))


class Balancer:
    def __init__(self, segment: Segment, idle: int, learns: bool = True):
        self.segment, self.idle, self.learns = segment, idle, learns
        self.active: tuple[str, ...] = ()

    def start(self) -> None:
        self.nft(ruleset(self.segment, self.idle, self.learns))
        self.activate(self.segment.servers)

    @staticmethod
    def nft(text: str) -> None:
        run(inside(BALANCER, ["nft", "-f", "-"]), text)

    def activate(self, names: tuple[str, ...]) -> int:
        """New flows go to these from now on. One transaction: no packet sees a map that is half changed. Returns how
        many buckets have moved."""
        moved = [i for i in range(BUCKETS) if not self.active or owner(i, names) != owner(i, self.active)]
        lines = [f"delete element netdev fleet buckets {{ {i} }}" for i in moved if self.active]
        lines += [f"add element netdev fleet buckets {{ {i} : goto to_{owner(i, names)} }}" for i in moved]
        self.nft("\n".join(lines) + "\n")
        self.active = names
        return len(moved)

    def drain(self, name: str) -> int:
        return self.activate(tuple(other for other in self.active if other != name))

    def add(self, name: str) -> int:
        return self.activate(tuple(other for other in self.segment.servers if other in (*self.active, name)))

    @staticmethod
    def flows(name: str) -> int:
        """How many the server has, of the last `idle` seconds."""
        listed = run(inside(BALANCER, ["nft", "-j", "list", "set", "netdev", "fleet", f"flows_{name}"]))
        found = next(item["set"] for item in json.loads(listed)["nftables"] if "set" in item)
        return len(found.get("elem", ()))
