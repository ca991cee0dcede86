# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""TLS clients whose every step is the test's: the socket, the flights, and where a connection ends.

`Client` keeps TLS in memory and moves bytes itself, so that a whole herd can stand at the same point of its handshake.
"""

from __future__ import annotations

import os
import random
import select
import selectors
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psutil

from lab.servers.dialogue import exactly
from tests.servers.common import rig

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class Client:
    """One connection. Steps: connect, then as often as needed: send what TLS has to say, receive what there is."""

    def __init__(self, port: int, context: ssl.SSLContext, session: ssl.SSLSession | None = None):
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=rig.PATIENCE)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=False, session=session)
        self.done = False

    def turn(self) -> None:
        """As far as TLS gets without the peer."""
        try:
            self.tls.do_handshake()
            self.done = True
        except ssl.SSLWantReadError:
            pass

    def flush(self) -> None:
        data = self.outgoing.read()
        if data:
            self.sock.sendall(data)

    def receive(self) -> bool:
        """False if the peer has closed."""
        data = self.sock.recv(65536)
        if data:
            self.incoming.write(data)
        return bool(data)

    def hello(self) -> None:
        self.turn()
        self.flush()

    def handshake(self) -> None:
        while not self.done:
            self.turn()
            self.flush()
            if not self.done and not self.receive():
                raise ConnectionError("the server closed the connection in mid-handshake")

    def read(self) -> bytes:
        """Until the peer closes."""
        got = b""
        while True:
            try:
                more = self.tls.read(65536)
                if not more:
                    return got
                got += more
            except ssl.SSLWantReadError:
                if not self.receive():
                    return got
            except ssl.SSLZeroReturnError:
                return got

    def ask(self) -> None:
        self.tls.write(REQUEST)
        self.flush()

    def close(self) -> None:
        self.sock.close()

    def reset(self) -> None:
        """Ends the connection by RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


def abort(client: Client, stage: int, by_reset: bool) -> None:
    """Stages: before the hello, inside it, after it, inside what follows, after it at once, after the answer."""
    client.turn()
    hello = client.outgoing.read()
    if stage >= 1:
        client.sock.sendall(hello[:random.randrange(1, len(hello))] if stage == 1 else hello)
    if stage >= 3:
        client.receive()
        client.turn()
        more = client.outgoing.read()
        if more:
            client.sock.sendall(more[:random.randrange(1, len(more))] if stage == 3 else more)
    if stage >= 5 and not client.done:
        client.receive()
    client.reset() if by_reset else client.close()


def wait_asleep(pid: int) -> None:
    """Until the process has nothing to do, or some seconds: it may never rest. On a busy machine it may not yet have
    seen what came last, as the connection by which it was found to listen; and its thread is served once it has slept
    on its epoll instance."""
    end = time.monotonic() + 5
    while psutil.Process(pid).status() == psutil.STATUS_RUNNING and time.monotonic() < end:
        time.sleep(0.005)


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """The process, or the group -pid, stands still meanwhile: what is sent to it arrives all at once."""
    if pid > 0:
        wait_asleep(pid)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def arrived(port: int, count: int) -> None:
    """Until so many connections to the port have bytes that nobody has read."""
    end = time.monotonic() + rig.PATIENCE
    wanted = f":{port:04X}"
    while time.monotonic() < end:
        with open("/proc/net/tcp", encoding="ascii") as table:
            rows = [line.split() for line in table][1:]
        waiting = [row for row in rows if row[1].endswith(wanted) and row[3] == "01" and row[4][-8:] != "00000000"]
        if len(waiting) >= count:
            return
        time.sleep(0.01)
    raise TimeoutError(f"{count} clients did not arrive")


def herd(pid: int, port: int, context: ssl.SSLContext, size: int) -> list[Client]:
    """So many clients whose hellos arrive at the same time."""
    with stopped(pid):
        clients = [Client(port, context) for _ in range(size)]
        for client in clients:
            client.hello()
    return clients


def finish(clients: list[Client]) -> list[bytes]:
    """All handshakes to their end, in whatever order the server answers, and a request on each."""
    for client in clients:
        client.turn()
        client.flush()
    pending = {client.sock.fileno(): client for client in clients if not client.done}
    poller = select.poll()
    for number in pending:
        poller.register(number, select.POLLIN)
    while pending:
        readable = poller.poll(30_000)
        if not readable:
            raise TimeoutError(f"{len(pending)} handshakes hang")
        for number, _ in readable:
            client = pending[number]
            if not client.receive():
                raise ConnectionError("the server closed the connection in mid-handshake")
            client.turn()
            client.flush()
            if client.done:
                poller.unregister(number)
                del pending[number]
    for client in clients:
        client.ask()
    answers = [client.read() for client in clients]
    for client in clients:
        client.close()
    return answers


def in_step(pid: int, clients: list[Client]) -> list[bytes]:
    """As finish(), but each flight of theirs arrives at the same time: at every operation none is alone."""
    pending = list(clients)
    while pending:
        for client in pending:
            if not client.receive():
                raise ConnectionError("the server closed the connection in mid-handshake")
        with stopped(pid):
            for client in pending:
                client.turn()
                client.flush()
        pending = [client for client in pending if not client.done]
    return finish(clients)


class Step:
    """A client that goes on in step with others, whatever comes of it, which is its outcome."""

    def __init__(self, port: int, context: ssl.SSLContext):
        self.client, self.outcome = Client(port, context), ""

    def go_on(self, step: Callable[[], object]) -> None:
        if not self.outcome:
            try:
                step()
            except (ssl.SSLError, ConnectionError) as error:
                self.outcome = f"{type(error).__name__} {getattr(error, 'reason', error)}"

    def receive(self) -> None:
        if not self.client.receive():
            raise ConnectionError("closed")

    def finish(self) -> None:
        self.client.ask()
        self.outcome = f"{self.client.tls.version()} {self.client.tls.cipher()[0]} {self.client.read()[-3:]!r}"


def in_any_case(pid: int, port: int, contexts: list[ssl.SSLContext]) -> list[str]:
    """All at a time, each flight of theirs too; what came of each."""
    with stopped(pid):
        herd = [Step(port, context) for context in contexts]
        for one in herd:
            one.go_on(one.client.hello)
    while pending := [one for one in herd if not one.outcome and not one.client.done]:
        for one in pending:
            one.go_on(one.receive)
        with stopped(pid):
            for one in pending:
                one.go_on(one.client.hello)
    for one in herd:
        one.go_on(one.finish)
        one.client.close()
    return [one.outcome for one in herd]


def s_client(port: int, *more: str, conf: str = "") -> subprocess.Popen[bytes]:
    """OpenSSL's own client, which sends what it is given and prints what it hears. conf: its OPENSSL_CONF."""
    env = rig.clean_environment() | ({"OPENSSL_CONF": conf} if conf else {})
    return subprocess.Popen(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-ign_eof", *more], env=env,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def s_clients(pid: int, port: int, options: list[list[str]], conf: str = "", hellos: int = 1) -> list[str]:
    """So many of them, and a request by each; what they said. Their hellos arrive at the same time, also the second
    ones of clients that are asked for another (hellos: 2)."""
    with Gate(pid, port, len(options), hellos) as gate:
        runs = [s_client(gate.port, *more, conf=conf) for more in options]
        said = [run.communicate(REQUEST, timeout=rig.PATIENCE)[0].decode(errors="replace") for run in runs]
    for text in said:
        if "200 OK" not in text:
            raise ConnectionError(f"no proper answer: {text}")
    return said


class Gate:
    """A port before a server's, for so many connections. It holds the clients' first flights back, so many of them,
    until every client has sent its own, and passes everything else on as it comes."""

    def __init__(self, pid: int, port: int, count: int, flights: int):
        self.pid, self.server_port, self.count, self.flights = pid, port, count, flights
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=count)
        self.listener.settimeout(30)
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.run)
        self.error: Exception | None = None

    def run(self) -> None:
        pairs: list[tuple[socket.socket, socket.socket]] = []  # client, server
        try:
            for _ in range(self.count):
                client = self.listener.accept()[0]
                client.settimeout(30)
                pairs.append((client, socket.create_connection(("127.0.0.1", self.server_port), timeout=rig.PATIENCE)))
            for flight in range(self.flights):
                if flight:
                    for client, server in pairs:
                        client.sendall(server.recv(65536))
                held = [read_hello(client) for client, _ in pairs]
                with stopped(self.pid):
                    for (_, server), hello in zip(pairs, held):
                        server.sendall(hello)
                    arrived(self.server_port, self.count)
            pass_on(pairs)
        except Exception as error:  # raised where the block ends
            self.error = error
        finally:
            for pair in pairs:
                for sock in pair:
                    sock.close()

    def __enter__(self) -> "Gate":
        self.thread.start()
        return self

    def __exit__(self, *unused: object) -> None:
        self.thread.join()
        self.listener.close()
        if self.error:
            raise self.error


def read_hello(sock: socket.socket) -> bytes:
    """What a client sends, up to the end of its first record with a handshake message."""
    got = kind = b""
    while kind != b"\x16":
        head = exactly(sock, 5)
        kind = head[:1]
        got += head + exactly(sock, int.from_bytes(head[3:], "big"))
    return got


def pass_on(pairs: list[tuple[socket.socket, socket.socket]]) -> None:
    """Both ways, until both sides of every pair have closed."""
    with selectors.DefaultSelector() as selector:
        for one, other in pairs:
            selector.register(one, selectors.EVENT_READ, other)
            selector.register(other, selectors.EVENT_READ, one)
        while selector.get_map():
            ready = selector.select(30)
            if not ready:
                raise TimeoutError("connections hang")
            for key, _ in ready:
                data = b""
                with suppress(ConnectionError):
                    data = key.fileobj.recv(65536)
                with suppress(OSError):  # the other side may have gone
                    key.data.sendall(data) if data else key.data.shutdown(socket.SHUT_WR)
                if not data:
                    selector.unregister(key.fileobj)


def many(count: int, threads: int, work: Callable[[], None]) -> list[Exception]:
    """Calls work() so many times from so many threads; what it raised."""
    errors: list[Exception] = []
    left = iter(range(count))
    lock = threading.Lock()

    def run() -> None:
        while True:
            with lock:
                if next(left, None) is None:
                    return
            try:
                work()
            except Exception as error:  # collected for the test to judge
                errors.append(error)

    crowd = [threading.Thread(target=run) for _ in range(threads)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    return errors


def fetch(port: int, context: ssl.SSLContext, request: bytes = REQUEST) -> bytes:
    """One connection, one request, through Python's own sockets."""
    with socket.create_connection(("127.0.0.1", port), timeout=rig.PATIENCE) as raw, context.wrap_socket(raw) as sock:
        sock.sendall(request)
        got = b""
        while more := sock.recv(65536):
            got += more
        return got


@contextmanager
def load(port: int, context: ssl.SSLContext, threads: int = 8, request: bytes = REQUEST) -> Iterator[dict]:
    """Requests from so many threads until the block ends. Yields what becomes of them: good, bad (a list)."""
    result: dict = {"good": 0, "bad": []}
    stop = threading.Event()

    def run() -> None:
        while not stop.is_set():
            try:
                if b"200 OK" not in fetch(port, context, request):
                    raise ConnectionError("no proper answer")
                result["good"] += 1
            except (OSError, ssl.SSLError) as error:
                result["bad"].append(error)
                time.sleep(0.01)

    crowd = [threading.Thread(target=run) for _ in range(threads)]
    for thread in crowd:
        thread.start()
    try:
        yield result
    finally:
        stop.set()
        for thread in crowd:
            thread.join()
