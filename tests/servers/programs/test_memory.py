# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers that read their sockets themselves and feed libssl through memory. Their handshakes pause too: they wait for
one another's operations, and are led on by a record that the program reads and libssl drops."""

from __future__ import annotations

import json
import random
import subprocess
from contextlib import ExitStack

import pytest

from tests.servers.common import crowd, rig
from tests.servers.programs import memory

each = pytest.mark.parametrize
KINDS = ("asyncio", "uvloop", "twisted", "node")
SIZE = 48
ROUNDS = crowd.amount(4, 2)


@pytest.fixture(params=KINDS)
def kind(request):
    if reason := memory.missing(request.param):
        pytest.skip(reason)
    return request.param


def both(kind, keys, build, place, act):
    """The verdicts with Octuple and without, of what `act` sends to a server and its two ports; and how many operations
    waited for others. How many of these ran in lanes is what the queue has measured, on a machine that may be busy."""
    found = []
    for chosen in (None, build):
        second = rig.free_ports(1)[0]
        with crowd.Program(memory.command(kind, second), keys, chosen, place) as server:
            rig.wait_port(second, server.process)
            act(server, second)
            found.append(server.verdict())
            counts = rig.read_counters(place / "counters") if chosen else {}
    return found[0], found[1], {name: count.submitted for name, count in counts.items()}


def test_all_kinds_of_clients(kind, build, keys, place):
    """Whole and halved hellos, what a server drops behind them, both versions, and the Finished together with data."""
    made = memory.contexts(keys)

    def act(server, _second):
        for number in range(ROUNDS):
            guests = [crowd.Guest("plain", made["1.3"]) for _ in range(SIZE)]
            guests += [crowd.Guest("older", made["1.2"]) for _ in range(SIZE // 4)]
            guests += [crowd.Guest("P-384", made["p384"]) for _ in range(SIZE // 4)]
            for sort in (memory.Halves, memory.Quarter, memory.Specs, memory.HalfSpec):
                guests += [sort(sort.__name__, made["1.3"]) for _ in range(6)]
            random.Random(number).shuffle(guests)
            server.receive(guests, together=number % 2 == 0)

    stock, under, waited = both(kind, keys, build, place, act)
    assert all(set(ends) == {"good"} for ends in stock.guests.values()), stock
    assert stock.said["wrong"] == 0 and stock.status == 0, stock
    crowd.compare(under, stock)
    assert waited["rsa2048-private"] > SIZE, "nothing has paused"


def test_second_hellos_and_certificates(kind, build, keys, place):
    """A server that asks for another key share, and for the client's certificate."""
    made = memory.contexts(keys)

    def act(server, second):
        server.port, first = second, server.port
        for number in range(ROUNDS):
            guests = [crowd.Guest("certificate", made["certificate"]) for _ in range(SIZE // 2)]
            guests += [crowd.Guest("none", made["1.3"]) for _ in range(4)]
            server.receive(guests, together=number % 2 == 0)
        server.port = first

    stock, under, waited = both(kind, keys, build, place, act)
    assert stock.guests["certificate"] == {"good": ROUNDS * (SIZE // 2)}, stock
    crowd.compare(under, stock)
    assert waited["p384-sign"] > SIZE // 2, "nothing has paused"


def test_clients_that_leave(kind, build, keys, place):
    """They end their connections anywhere, also while their operation waits; those beside them are served."""
    made = memory.contexts(keys)

    def act(server, _second):
        chance = random.Random(7)
        for _ in range(2 * ROUNDS):
            guests = [memory.Leaves("leaves", made["1.3"], chance) for _ in range(SIZE // 2)]
            guests += [crowd.Guest("stays", made["1.3"]) for _ in range(SIZE // 2)]
            chance.shuffle(guests)
            server.receive(guests)

    stock, under, waited = both(kind, keys, build, place, act)
    assert stock.guests["stays"] == under.guests["stays"] == {"good": SIZE * ROUNDS}, (stock, under)
    assert under.said["wrong"] == stock.said["wrong"] == 0 and under.status == stock.status == 0, (stock, under)
    assert waited["rsa2048-private"] > SIZE, "nothing has paused"


def until(client, text):
    """What s_client has said, up to this."""
    said = b""
    while text not in said:
        more = client.stdout.read1(4096)
        assert more, said
        said += more


@pytest.mark.skipif(rig.openssl_version() >= (3, 2), reason="later s_clients take commands otherwise")
def test_key_updates_at_once(kind, build, keys, place):
    """The first that a client sends behind its Finished is a new key, while others are in mid-handshake."""
    made = memory.contexts(keys)
    with crowd.Program(memory.command(kind), keys, build, place) as server:
        command = ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}", "-tls1_3"]
        with ExitStack() as stack:
            updating = [stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                             stderr=subprocess.STDOUT)) for _ in range(6)]
            for client in updating:
                client.stdin.write(b"K\n")
                client.stdin.flush()
            server.receive([crowd.Guest("plain", made["1.3"]) for _ in range(SIZE)])
            for client in updating:
                until(client, b"KEYUPDATE")
                for line in (b"first line\n", b"K\n", b"second line\n"):
                    client.stdin.write(line)
                    client.stdin.flush()
                    until(client, b"KEYUPDATE" if line == b"K\n" else line)
                client.stdin.close()
        verdict = server.verdict()
        assert verdict.guests["plain"] == {"good": SIZE} and verdict.said["wrong"] == 0, verdict


def said_by_doctor(build, server):
    done = subprocess.run([str(build.octuple), "doctor", "--json", "--no-handshake", str(server.process.pid)],
                          capture_output=True, text=True, check=False, env=server.env)
    assert done.stdout, done.stderr
    return next((one for one in json.loads(done.stdout)["findings"] if one["name"] == "memory"), None)


def test_doctor(build, keys, place):
    """It says how many handshakes pause, and why others do not."""
    made = memory.contexts(keys)
    with crowd.Program(memory.command("asyncio"), keys, build, place) as server:
        assert said_by_doctor(build, server) is None
        server.receive([crowd.Guest("plain", made["1.3"]) for _ in range(SIZE)])
        found = said_by_doctor(build, server)
        assert found["level"] == "ok" and not found["text"].startswith("0 pauses") and "1.2" not in found["text"], found
        server.receive([crowd.Guest("older", made["1.2"]) for _ in range(SIZE)])
        assert "they are of TLS 1.2" in said_by_doctor(build, server)["text"]
        server.verdict()


def test_switched_off(build, keys, place):
    """OCTUPLE_LOOPS=auto,memory=off leaves such handshakes as they were."""
    made = memory.contexts(keys)
    with crowd.Program(memory.command("asyncio"), keys, build, place, OCTUPLE_LOOPS="auto,memory=off") as server:
        server.receive([crowd.Guest("plain", made["1.3"]) for _ in range(SIZE)])
        assert server.in_lanes() == 0
        assert said_by_doctor(build, server)["level"] == "note"
        assert server.verdict().guests["plain"] == {"good": SIZE}
