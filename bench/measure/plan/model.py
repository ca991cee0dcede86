# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""One core with some workers under random arrivals, event by event.

A worker does as nginx does under the shim (docs/internals/scheduling.md). It takes all events that are there, accepts
one connection in a round, and runs what it has of a handshake until that pauses. A bin of eight runs at once, the
others when there is no event, or when its oldest job has waited for long. A handshake that is alone does not pause.
What a batch has finished are the events of the next round.

The core runs a round of one worker at a time, of the ready one that ran least. Connections begin at random (a Poisson
process) and come to a worker by chance (`reuseport`), or wait in one queue from which the first sleeping worker takes
them (`shared`).
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections import deque
from dataclasses import dataclass, field

from .costs import Costs, LANES

BUSY_WAIT = 5000.0  # OCT_POLICY_BUSY_WAIT
TURN = 16  # nginx lets the next worker be first after so many connections that it accepted
# How the rest of a handshake's CPU is spread over its events.
ACCEPT, HELLO, FLIGHT, FINISH, CLOSE = 0.17, 0.33, 0.2, 0.25, 0.05
EXCHANGE, SIGN = 0, 1


@dataclass
class Outcome:
    """Of one run: times in microseconds. `fill[op][n-1]` batches held n operations; `fallback` ran outside of lanes."""

    handshakes: int = 0
    cpu: float = 0.0
    seconds: float = 0.0
    wakes: int = 0
    fill: list[list[int]] = field(default_factory=lambda: [[0] * LANES for _ in range(2)])
    fallback: list[int] = field(default_factory=lambda: [0, 0])
    latencies: list[float] = field(default_factory=list)

    @property
    def cpu_us(self) -> float:
        return self.cpu / self.handshakes

    def mean_fill(self, operation: int = SIGN) -> float:
        return mean_fill(self.fill[operation], self.fallback[operation])

    def quantile(self, q: float) -> float:
        return sorted(self.latencies)[min(len(self.latencies) - 1, int(q * len(self.latencies)))]


def mean_fill(fill: list[int], fallback: int) -> float:
    """Operations for each run of an operation: a batch is one, and so is each that ran outside of lanes."""
    runs = sum(fill) + fallback
    return (sum(n * count for n, count in enumerate(fill, 1)) + fallback) / runs if runs else 0.0


class Worker:
    def __init__(self, core: Core):
        self.core = core
        self.heap: list[tuple[float, int, str, float]] = []  # when, order, what, when its connection was due
        self.done: list[tuple[int, float]] = []
        self.bins: tuple[list[float], list[float]] = ([], [])
        self.oldest = [0.0, 0.0]
        self.queue: deque[float] = deque()  # when connections to accept begin, those to come included
        self.in_flight = 0
        self.ran = 0.0
        self.asleep = True
        self.accepted = 0

    def post(self, when: float, what: str, due: float) -> None:
        heapq.heappush(self.heap, (when, next(self.core.order), what, due))

    def listening(self) -> deque[float]:
        return self.core.queue if self.core.shared else self.queue

    def has_events(self) -> bool:
        return bool(self.heap and self.heap[0][0] <= self.core.now) or self.may_accept()

    def may_accept(self) -> bool:
        """A sleeping worker is woken for the common queue by turns; one that is awake looks itself."""
        queue = self.listening()
        if not queue or queue[0] > self.core.now:
            return False
        return not self.core.shared or not self.asleep or self.core.first_asleep() is self

    def ready(self) -> bool:
        return bool(self.done) or any(self.bins) or self.has_events()

    def spend(self, cost: float) -> None:
        self.core.now += cost
        self.core.out.cpu += cost
        self.ran += cost

    def round(self) -> None:
        """What happens between two calls of epoll_wait, and the jobs that run in the second."""
        if self.asleep:
            self.asleep = False
            self.core.out.wakes += 1
            self.spend(self.core.costs.wake)
        events = []
        while self.heap and self.heap[0][0] <= self.core.now:
            events.append(heapq.heappop(self.heap)[2:])
        accepts = self.may_accept()
        several = len(events) + len(self.done) + accepts > 1
        done, self.done = self.done, []
        if accepts:
            self.accept()
        for stage, due in done:
            self.resume(stage, due, several)
            self.core.preempt(self)
        for what, due in events:
            self.handle(what, due, several)
            self.core.preempt(self)
        self.flush()
        if not self.done and not any(self.bins) and not self.has_events():
            self.asleep = True

    def accept(self) -> None:
        costs, queue = self.core.costs, self.listening()
        first = True
        while queue and queue[0] <= self.core.now and (first or self.core.multi_accept):
            due, first = queue.popleft(), False
            self.spend(ACCEPT * costs.rest)
            self.post(max(self.core.now, due + costs.client), "hello", due)
            self.accepted += 1
            if self.core.shared and self.accepted % TURN == 0:
                self.core.last(self)

    def handle(self, what: str, due: float, several: bool) -> None:
        costs, out = self.core.costs, self.core.out
        if what == "hello":
            self.in_flight += 1
            self.spend(HELLO * costs.rest)
            self.submit(EXCHANGE, due, several)
        elif what == "finish":
            self.spend(FINISH * costs.rest)
            self.in_flight -= 1
            out.handshakes += 1
            out.latencies.append(self.core.now - due)
            self.post(self.core.now + costs.client, "close", due)
        else:
            self.spend(CLOSE * costs.rest)

    def submit(self, stage: int, due: float, several: bool) -> None:
        operation = self.core.operations[stage]
        if self.in_flight < 2 and not several:
            self.core.out.fallback[stage] += 1
            self.spend(operation.fallback)
            self.resume(stage, due, several)
            return
        if not self.bins[stage]:
            self.oldest[stage] = self.core.now
        self.bins[stage].append(due)
        if len(self.bins[stage]) == LANES:
            self.run(stage)

    def resume(self, stage: int, due: float, several: bool) -> None:
        costs = self.core.costs
        if stage == EXCHANGE:
            self.submit(SIGN, due, several)
            return
        self.spend(FLIGHT * costs.rest)
        self.post(self.core.now + costs.client, "finish", due)

    def run(self, stage: int) -> None:
        jobs, out = self.bins[stage][:], self.core.out
        self.bins[stage].clear()
        before = self.core.now
        lanes, cost = self.core.operations[stage].batch(len(jobs))
        if lanes:
            out.fill[stage][lanes - 1] += 1
        out.fallback[stage] += len(jobs) - lanes
        self.spend(cost)
        # The clock of patience stands still while a batch runs.
        self.oldest = [since + self.core.now - before for since in self.oldest]
        self.done += [(stage, due) for due in jobs]

    def flush(self) -> None:
        """As epoll_wait is called: all jobs if nothing else is there, else those that have waited for long."""
        idle = not self.done and not self.has_events()
        for stage in (EXCHANGE, SIGN):
            if self.bins[stage] and (idle or self.core.now - self.oldest[stage] > BUSY_WAIT):
                self.run(stage)


class Core:
    def __init__(self, costs: Costs, workers: int, shared: bool = False, multi_accept: bool = False):
        self.costs, self.shared, self.multi_accept = costs, shared, multi_accept
        self.operations = (costs.exchange, costs.sign)
        self.now = 0.0
        self.order = itertools.count()
        self.queue: deque[float] = deque()
        self.out = Outcome()
        self.workers = [Worker(self) for _ in range(workers)]
        self.turns = list(self.workers)

    def first_asleep(self) -> Worker | None:
        return next((worker for worker in self.turns if worker.asleep), None)

    def last(self, worker: Worker) -> None:
        self.turns.remove(worker)
        self.turns.append(worker)

    def preempt(self, running: Worker) -> None:
        """Between two events: a worker that wakes up, and has run less, runs first."""
        for worker in self.workers:
            if worker.asleep and worker.ran < running.ran and worker.has_events():
                worker.round()

    def arrivals(self, rate: float, count: int, chance: random.Random) -> None:
        due = 0.0
        for _ in range(count):
            due += chance.expovariate(rate / 1e6)
            (self.queue if self.shared else chance.choice(self.workers).queue).append(due)

    def next_event(self) -> float:
        """When the next thing happens, if no worker has anything to do."""
        heads = [worker.heap[0][0] for worker in self.workers if worker.heap]
        return min(heads + [queue[0] for queue in (self.queue, *(worker.queue for worker in self.workers)) if queue])

    def simulate(self, rate: float, handshakes: int, seed: int = 1) -> Outcome:
        """`rate` a second at this core; its queues grow without bound if that is more than it can do."""
        self.arrivals(rate, handshakes, random.Random(seed))
        while self.out.handshakes < handshakes:
            ready = [worker for worker in self.workers if worker.ready()]
            if ready:
                min(ready, key=lambda worker: worker.ran).round()
            else:
                self.now = max(self.now, self.next_event())
        self.out.seconds = self.now / 1e6
        return self.out


def simulate(costs: Costs, rate: float, workers: int = 1, handshakes: int = 6000, shared: bool = False,
             multi_accept: bool = False) -> Outcome:
    return Core(costs, workers, shared, multi_accept).simulate(rate, handshakes)
