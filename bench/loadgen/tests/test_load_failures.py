# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""octuple-load against servers that fail, lie, or are changed on the way: counted by kind, and never as completed."""

from __future__ import annotations

import random
import socket
import struct
import threading
import time

import pytest

from lab.servers import nginx as server


class Listener:
    """Accepts connections on a loopback port, and gives each to a function in a thread of its own."""

    def __init__(self, serve):
        self.serve = serve
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:  # closed: the test is over
                return
            threading.Thread(target=self.guarded, args=(peer,), daemon=True).start()

    def guarded(self, peer: socket.socket) -> None:
        with peer:
            try:
                self.serve(peer)
            except OSError:  # the client has gone
                pass

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_exception) -> None:
        self.socket.close()


def reset(peer: socket.socket) -> None:
    """Closes by RST."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def only(report: dict, kind: str, count: int) -> None:
    assert report["completed"] == 0
    assert report["failed"] == {name: count if name == kind else 0 for name in report["failed"]}, report
    assert report["first_failure"]


@pytest.mark.parametrize("tls", ("1.2", "1.3"))
class TestKinds:
    def test_nobody_listens(self, load, tls):
        only(load(server.free_ports(1)[0], "--tls", tls, "--handshakes", 20), "connect", 20)

    def test_alert(self, s_server, load, tls):
        port = s_server("rsa2048", "-tls1_3" if tls == "1.2" else "-tls1_2")
        report = load(port, "--tls", tls, "--handshakes", 10, "--connections", 2)
        only(report, "alert", 10)
        assert report["alerts"] == {"70": 10}  # protocol_version

    def test_eof_at_once(self, load, tls):
        with Listener(lambda peer: peer.recv(1000)) as listener:
            only(load(listener.port, "--tls", tls, "--handshakes", 20), "eof", 20)

    def test_reset(self, load, tls):
        def serve(peer):
            peer.recv(1000)
            reset(peer)

        with Listener(serve) as listener:
            only(load(listener.port, "--tls", tls, "--handshakes", 20), "reset", 20)

    def test_garbage(self, load, tls):
        def serve(peer):
            peer.recv(1000)
            peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        with Listener(serve) as listener:
            only(load(listener.port, "--tls", tls, "--handshakes", 20), "protocol", 20)

    def test_silence(self, load, tls):
        with Listener(lambda peer: time.sleep(3)) as listener:
            report = load(listener.port, "--tls", tls, "--handshakes", 5, "--timeout", 0.3)
            only(report, "timeout", 5)
            assert report["seconds"] < 2

    def test_endless_messages(self, load, tls):
        def serve(peer):
            peer.recv(1000)
            while True:
                peer.sendall(b"\x16\x03\x03\x00\x04\x00\x00\x00\x00")

        with Listener(serve) as listener:
            only(load(listener.port, "--tls", tls, "--handshakes", 3, "--timeout", 0.5), "protocol", 3)


def test_no_such_suite(nginx, load):
    report = load(nginx.ports["ecdsa-p256"], "--tls", "1.2", "--kx", "rsa", "--handshakes", 10)
    only(report, "alert", 10)
    assert report["alerts"] == {"40": 10}  # handshake_failure


def records(data: bytearray) -> list[tuple[int, int]]:
    """Where the complete records of a stream begin and end."""
    found, at = [], 0
    while len(data) - at >= 5:
        end = at + 5 + int.from_bytes(data[at + 3:at + 5], "big")
        if end > len(data):
            break
        found.append((at, end))
        at = end
    return found


class Meddler:
    """Stands between client and server; `change(direction, number, record)` gives the bytes to pass on for a record."""

    def __init__(self, target: int, change):
        self.target, self.change = target, change

    def pump(self, source: socket.socket, sink: socket.socket, direction: str, random_source) -> None:
        buffer, number = bytearray(), 0
        try:
            while chunk := source.recv(65536):
                buffer += chunk
                for begin, end in records(buffer):
                    sink.sendall(self.change(direction, number, bytes(buffer[begin:end]), random_source))
                    number += 1
                done = records(buffer)
                del buffer[:done[-1][1] if done else 0]
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def __call__(self, peer: socket.socket) -> None:
        random_source = random.Random(peer.getpeername()[1])
        with socket.create_connection(("127.0.0.1", self.target)) as upstream:
            back = threading.Thread(target=self.pump, args=(upstream, peer, "from server", random_source), daemon=True)
            back.start()
            self.pump(peer, upstream, "from client", random_source)
            back.join(2)


ALL = (("--tls", "1.3"), ("--tls", "1.2"), ("--tls", "1.2", "--kx", "rsa"))


@pytest.mark.parametrize("options", ALL)
def test_meddler_that_changes_nothing(nginx, load, options):
    """Or the tests below would show nothing."""
    with Listener(Meddler(nginx.ports["rsa2048"], lambda _way, _number, record, _random: record)) as listener:
        report = load(listener.port, *options, "--handshakes", 20, "--connections", 4)
        assert report["completed"] == 20


@pytest.mark.parametrize("options", ALL)
def test_flipped_bits(nginx, load, options):
    """One bit of one of the server's records: no such handshake may be completed."""
    def change(way, number, record, random_source):
        if way == "from client" or number != 0:
            return record
        bit = random_source.randrange(9 * 8, 8 * len(record))  # inside the first message
        flipped = bytearray(record)
        flipped[bit // 8] ^= 1 << bit % 8
        return bytes(flipped)

    with Listener(Meddler(nginx.ports["rsa2048"], change)) as listener:
        report = load(listener.port, *options, "--handshakes", 60, "--connections", 8, "--timeout", 2)
        assert report["completed"] == 0, "the Finished messages cover all of it"


@pytest.mark.parametrize("options", ALL)
def test_mangled_records(nginx, load, options):
    """Records cut, doubled, dropped, lengthened, filled with noise: any verdict but a crash, and most are failures."""
    def change(way, _number, record, random_source):
        if way == "from client":
            return record
        kind = random_source.randrange(7)
        noise = random_source.randbytes(random_source.randrange(1, 40))
        return (record, record, record[:random_source.randrange(len(record))], record + record, b"",
                record[:5] + noise + record[5 + len(noise):], noise)[kind]

    with Listener(Meddler(nginx.ports["rsa2048"], change)) as listener:
        report = load(listener.port, *options, "--handshakes", 150, "--connections", 16, "--timeout", 0.5)
        assert report["failed_total"] > 30, report


@pytest.mark.parametrize("options", ALL)
@pytest.mark.parametrize("what", ("dropped", "changed"))
def test_the_clients_finished_does_not_arrive(nginx, load, options, what):
    """It has been sent, but the server has not accepted it: not completed."""
    def change(way, number, record, _random):
        if way == "from server" or number == 0:
            return record
        return b"" if what == "dropped" else record[:-1] + bytes([record[-1] ^ 1])

    with Listener(Meddler(nginx.ports["rsa2048"], change)) as listener:
        report = load(listener.port, *options, "--handshakes", 10, "--connections", 10, "--timeout", 1)
        if what == "dropped":
            only(report, "timeout", 10)
        else:
            assert report["completed"] == 0 and report["failed"]["alert"] == 10, report


def test_another_group_than_offered(s_server, load):
    """A server that insists on a group that was not offered first is refused, not misread."""
    port = s_server("ecdsa-p256", "-tls1_2", "-serverpref", "-groups", "P-384")
    report = load(port, "--tls", "1.2", "--group", "p256", "--handshakes", 5, "--connections", 1)
    assert report["completed"] == 0 and report["failed_total"] == 5


class TestPatience:
    def test_who_waits_too_long_leaves_by_fin(self, load):
        """The server reads the end of the stream, and no reset."""
        ends = []

        def serve(peer):
            peer.recv(1000)
            ends.append(peer.recv(1000))

        with Listener(serve) as listener:
            report = load(listener.port, "--handshakes", 20, "--patience", "100-200")
        assert report["left"] == 20 and report["completed"] == report["came_again"] == report["failed_total"] == 0
        deadline = time.monotonic() + 10
        while len(ends) < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert ends == [b""] * 20

    def test_they_come_again_until_the_seconds_are_over(self, load):
        with Listener(lambda peer: peer.recv(1000) and peer.recv(1000)) as listener:
            report = load(listener.port, "--handshakes", 5, "--seconds", 1, "--patience", 50, "--retry", "10-20")
        assert report["left"] == report["begun"] == 5 + report["came_again"] and report["came_again"] >= 5

    def test_who_was_turned_away_comes_again(self, load):
        with Listener(lambda peer: peer.recv(1000)) as listener:
            report = load(listener.port, "--handshakes", 3, "--seconds", 0.5, "--patience", 5000, "--retry", 10)
        assert report["failed"]["eof"] == report["begun"] == 3 + report["came_again"] and report["came_again"] >= 3

    def test_all_are_served_in_the_end(self, nginx, load):
        """A server that leaves the first five alone: their clients leave, come again and are served, once each."""
        relay, came = Meddler(nginx.ports["ecdsa-p256"], lambda _way, _number, record, _random: record), []

        def serve(peer):
            came.append(peer)
            if len(came) > 5:
                relay(peer)
            while peer.recv(1000):
                pass

        with Listener(serve) as listener:
            report = load(listener.port, "--handshakes", 8, "--seconds", 60, "--patience", 2000, "--retry", "10-300")
        assert report["completed"] == 8 and report["failed_total"] == 0
        assert report["left"] == report["came_again"] >= 5 and report["latency_us"]["max"] > 2e6

    def test_the_warm_up_is_not_counted(self, nginx, load):
        for _ in range(5):  # a busy machine may bring half of them in the last hundredth
            report = load(nginx.ports["ecdsa-p256"], "--rate", 200, "--seconds", 1, "--warm-up", 0.99,
                          "--patience", 9000)
            assert report["completed"] == report["begun"] and report["left"] == 0
            if few := report["goodput_per_s"] * 0.01 < report["completed"] / 4:
                break
        assert few, report
        report = load(nginx.ports["ecdsa-p256"], "--seconds", 0.2, "--warm-up", 50)
        assert report["completed"] > 0 and report["goodput_per_s"] == report["latency_us"]["max"] == 0
