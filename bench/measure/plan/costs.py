# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What handshakes cost a worker, in microseconds, and where a batch of operations runs for that.

`lanes()` decides as src/batch/cost.c does once it has learnt the costs; a test compares the two.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

LANES, GRANULE = 8, 4


@dataclass(frozen=True)
class Operation:
    """`fallback` is one operation of OpenSSL's own code. A vector of up to four jobs costs `small`, one of more
    `large`; with `whole` eight jobs are one vector, and all cost `small`."""

    name: str
    fallback: float
    small: float
    large: float
    whole: bool

    def vector(self, jobs: int) -> float:
        return self.small if self.whole or jobs <= GRANULE else self.large

    def lanes(self, jobs: int) -> int:
        """How many of the jobs run in lanes, so that the whole is cheapest; the others run one by one."""
        best, least = jobs, self.vector(jobs)
        if not self.whole and jobs > GRANULE:
            split = self.small + (jobs - GRANULE) * self.fallback
            if split < least:
                best, least = GRANULE, split
        return 0 if jobs * self.fallback <= least else best

    def batch(self, jobs: int) -> tuple[int, float]:
        """Lanes used, and what all these jobs cost."""
        lanes = self.lanes(jobs)
        return lanes, (self.vector(lanes) if lanes else 0.0) + (jobs - lanes) * self.fallback


@dataclass(frozen=True)
class Costs:
    """Of one kind of handshake on one machine. `rest` is all CPU of a handshake but its operations. `wake` is what it
    costs besides to sleep and to wake up, cold caches included.
    A client answers after `client`: with its hello when it is connected, with its Finished when it has the server's.
    """

    handshake: str
    rest: float
    wake: float
    exchange: Operation
    sign: Operation
    client: float = 50.0

    def as_dict(self) -> dict:
        return asdict(self)

    @classmethod
    def of(cls, values: dict) -> Costs:
        return cls(**values | {name: Operation(**values[name]) for name in ("exchange", "sign")})

    def saturated(self) -> float:
        """CPU of a handshake with all batches full: no worker can do more."""
        return self.rest + sum(one.batch(LANES)[1] / LANES for one in (self.exchange, self.sign))

    def lone(self) -> float:
        """CPU of a handshake that meets no other, without the cost of waking up."""
        return self.rest + self.exchange.fallback + self.sign.fallback
