# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Takes a crowd of peers through their steps against one server, and says what became of each.

They move in waves: while the server stands still, every peer takes its steps up to its next Wait; then the server runs,
and finds all that at once. So none of its operations is alone, which is what makes it pause them, and what a
connection's bytes meet does not depend on how fast this program is.
"""

from __future__ import annotations

import selectors
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field

from tlslite.constants import AlertDescription

from tests.servers.common import clients
from tests.servers.hostile.peer import Material, Peer
from tests.servers.hostile.servers import LIMIT, Target
from tests.servers.hostile.steps import Step, TURN, Wait


# A server that sleeps and has said nothing for so long has nothing more to say.
QUIET = 0.04
# A server's own time limit counts from the connection: what ends before is an answer to what the client did.
AT_ONCE = LIMIT * 0.9
PATIENCE = LIMIT * 5
CROWD = 60  # so many clients move together
ATTEMPTS = 5
VAIN = 5  # times that a server which sleeps is asked once more for what a client waits for


@dataclass(frozen=True)
class Kind:
    """A kind of client. `oracle`: all kinds with the same text must be told the same."""

    name: str
    tls: str
    steps: tuple
    port: str = "plain"
    oracle: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a server did with a client."""

    alert: str  # the last one, or none
    close: str  # FIN, RST, ours, open
    when: str  # at once, at the time limit, never
    answer: str  # the status of the HTTP answer, or none
    heard: str  # its messages, in order
    reason: str = ""  # what its log says

    def told(self) -> tuple:
        """All of it that the client sees."""
        return (self.alert, self.close, self.when, self.answer, self.heard)

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


def flat(steps: Iterable) -> Iterable[Step | Wait]:
    for step in steps:
        if isinstance(step, tuple):
            yield from flat(step)
        else:
            yield step


@dataclass
class Player:
    """A peer on its way through its steps."""

    kind: Kind
    peer: Peer
    steps: deque
    wait: Wait = TURN
    closed: str = ""
    begun: float = 0.0
    ended: float = 0.0
    unread: bytearray = field(default_factory=bytearray)

    def advance(self) -> None:
        """Up to the next Wait. If what it waited for has not come it takes no more steps."""
        if not self.wait.over(self.peer):
            self.steps.clear()
        try:
            self.take_steps()
        except OSError:  # the server has closed meanwhile; what it said is still to be received
            self.steps.clear()

    def take_steps(self) -> None:
        while self.steps:
            step = self.steps.popleft()
            if isinstance(step, Wait):
                self.wait = step
                break
            step(self.peer)
            if self.peer.sock.fileno() < 0:
                self.closed = "ours"
                return
        self.peer.flush()

    def receive(self) -> bool:
        """False when the connection has ended. What has come is looked at later: others are waiting."""
        try:
            data = self.peer.sock.recv(1 << 16)
        except ConnectionResetError:
            self.closed = "RST"
        else:
            self.closed = "" if data else "FIN"
            self.unread += data
        self.ended = time.monotonic()
        return not self.closed

    def read(self) -> None:
        data = bytes(self.unread)
        self.unread.clear()
        if data:
            self.peer.feed(data)

    def verdict(self, reason: str) -> Verdict:
        self.read()
        peer, when = self.peer, "never"
        if self.closed:
            when = "at once" if self.closed == "ours" or self.ended - self.begun < AT_ONCE else "at the time limit"
        said = [f"{'fatal' if level == 2 else 'warning'} {AlertDescription.toRepr(text) or text}"
                for level, text in peer.alerts]
        status = peer.answer.split(b" ")[1].decode() if peer.answer.startswith(b"HTTP/") else "none"
        return Verdict(" ".join(said[-1:]) or "none", self.closed or "open", when, status, " ".join(peer.heard), reason)


class Run:
    """Kinds of clients against one server."""

    def __init__(self, target: Target, material: Material):
        self.target, self.material = target, material
        self.players: list[Player] = []
        self.entered = 0
        self.selector = selectors.DefaultSelector()

    def go(self, crowds: list[list[Kind]]) -> list[tuple[Kind, Verdict]]:
        """One crowd after the other; who only waits for the server's time limit does so beside the next ones."""
        for crowd in crowds:
            self.in_time(crowd)
        self.pump(lambda: False)
        reasons = self.target.reasons()
        verdicts = [(player.kind, player.verdict(reasons.get(player.peer.source, ""))) for player in self.players]
        self.leave(self.players)
        self.selector.close()
        return verdicts

    def in_time(self, crowd: list[Kind]) -> None:
        """A crowd that ran into the server's time limit because the machine was busy comes again."""
        for attempt in range(ATTEMPTS):
            players = self.play(crowd)
            if time.monotonic() - players[0].begun < AT_ONCE - 1 or attempt == ATTEMPTS - 1:
                self.players += players
                return
            self.leave(players)

    def play(self, crowd: list[Kind]) -> list[Player]:
        with clients.stopped(self.target.pid()):
            players = moving = [self.enter(kind) for kind in crowd]
            self.wave(moving)
        for player in moving:
            player.begun = time.monotonic()
        while moving:
            self.pump(self.at_rest(moving))
            moving = [player for player in moving if player.steps and not player.closed]
            with clients.stopped(self.target.pid()):
                self.wave(moving)
        return players

    def at_rest(self, moving: list[Player]) -> Callable[[], bool]:
        """The server sleeps; if somebody still waits for it, it is asked a few times."""
        asked = iter(range(VAIN))

        def over() -> bool:
            for player in moving:
                player.read()
            waits = any(not player.closed and not player.wait.over(player.peer) for player in moving)
            return self.target.sleeps() and not (waits and next(asked, None) is not None)
        return over

    def leave(self, players: list[Player]) -> None:
        for player in players:
            self.forget(player)
            player.peer.sock.close()

    def forget(self, player: Player) -> None:
        if player.peer.sock.fileno() >= 0 and player.peer.sock in self.selector.get_map():
            self.selector.unregister(player.peer.sock)

    def enter(self, kind: Kind) -> Player:
        self.entered += 1
        source = f"127.7.{self.entered // 250}.{self.entered % 250 + 1}"
        return Player(kind, Peer(self.target.ports[kind.port], source, self.material), deque(flat(kind.steps)))

    def wave(self, moving: list[Player]) -> None:
        for player in moving:
            self.forget(player)
            player.advance()
            if not player.closed:
                self.selector.register(player.peer.sock, selectors.EVENT_READ, player)

    def pump(self, over: Callable[[], bool]) -> None:
        """Until the server has said what it has to say, or has closed everything."""
        last = begin = time.monotonic()
        while self.selector.get_map() and last - begin < PATIENCE:
            events = self.selector.select(QUIET)
            for key, _ in events:
                if not key.data.receive():
                    self.selector.unregister(key.fileobj)
            if events:
                last = time.monotonic()
            elif over() or time.monotonic() - last > PATIENCE:
                break
        for key in list(self.selector.get_map().values()):
            key.data.read()
