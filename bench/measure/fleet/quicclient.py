# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Clients by QUIC, of aioquic: many connections, each with an HTTP/3 request, some of which last.

Every other connection offers a ticket, of whichever server it was. One in `--hold-every` stays open for `--hold`
seconds with a request each second. A connection fails if its handshake does, if an answer does not come, or if an
answer is another server's than its first. Each line on stdout says how many are over; the last is the result.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import ssl
import sys
from collections import Counter, deque

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived
from aioquic.quic.configuration import QuicConfiguration

ANSWER_WITHIN = 15
REPORT_EVERY = 100


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic)
        self.answers: dict[int, asyncio.Future] = {}

    def quic_event_received(self, event) -> None:
        for part in self.http.handle_event(event):
            if isinstance(part, DataReceived) and part.data:
                self.answers.pop(part.stream_id).set_result(part.data.decode().strip())

    async def get(self) -> str:
        stream = self._quic.get_next_available_stream_id()
        self.answers[stream] = asyncio.get_running_loop().create_future()
        answer = self.answers[stream]
        self.http.send_headers(stream, [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", b"localhost"),
                                        (b":path", b"/")], end_stream=True)
        self.transmit()
        return await asyncio.wait_for(answer, ANSWER_WITHIN)

    def resumed(self) -> bool:
        return self._quic.tls.session_resumed


class Load:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.tickets: deque = deque(maxlen=256)
        self.result: Counter[str] = Counter()
        self.servers: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.begun = self.over = 0

    async def one(self, number: int) -> None:
        configuration = QuicConfiguration(alpn_protocols=["h3"], is_client=True, server_name="localhost",
                                          verify_mode=ssl.CERT_NONE)
        issuer = ""
        if number % 2 and self.tickets:
            issuer, configuration.session_ticket = self.tickets.popleft()
        fresh: list = []
        async with connect(self.options.host, self.options.port, configuration=configuration, create_protocol=Client,
                           session_ticket_handler=fresh.append) as client:
            name = await client.get()
            if self.options.hold_every and number % self.options.hold_every == 0:
                await self.hold(client, name)
            if client.resumed():
                self.result["resumed"] += 1
                self.result["resumed_elsewhere"] += issuer != name
        self.tickets.extend((name, ticket) for ticket in fresh[:1])
        self.servers[name] += 1

    async def hold(self, client: Client, name: str) -> None:
        self.result["held"] += 1
        end = asyncio.get_running_loop().time() + self.options.hold
        while asyncio.get_running_loop().time() < end:
            await asyncio.sleep(1)
            if await client.get() != name:
                raise ConnectionError("another server answered")
            self.result["held_requests"] += 1

    async def place(self) -> None:
        while self.begun < self.options.connections:
            self.begun += 1
            try:
                await asyncio.wait_for(self.one(self.begun), self.options.hold + 2 * ANSWER_WITHIN)
                self.result["completed"] += 1
            except (OSError, asyncio.TimeoutError) as error:
                self.result["failed"] += 1
                self.errors[f"{type(error).__name__} {error}".strip()] += 1
            self.over += 1
            if self.over % REPORT_EVERY == 0:
                print(self.over, flush=True)

    async def run(self) -> dict:
        await asyncio.gather(*(self.place() for _ in range(self.options.places)))
        names = ("completed", "failed", "resumed", "resumed_elsewhere", "held", "held_requests")
        return {name: self.result[name] for name in names} | {"by_server": self.servers, "errors": self.errors}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--places", type=int, default=32, help="connections under way at the same time")
    parser.add_argument("--hold-every", type=int, default=200)
    parser.add_argument("--hold", type=float, default=20)
    result = asyncio.run(Load(parser.parse_args()).run())
    print(json.dumps(result))
    return 1 if result["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
