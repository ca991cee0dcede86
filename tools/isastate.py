# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What isaflow.py knows at one place of a function: which registers and stack slots hold something public."""
from dataclasses import dataclass

from isacode import REGISTERS


class State:
    """What is known before an instruction: which registers hold data, which stack slots hold something public."""

    def __init__(self):
        self.data = {name: True for name in REGISTERS}
        self.low = set()        # registers whose lowest byte is public, whatever the rest is (setcc, flags in a byte)
        self.frame = {}         # register -> (region, offset) where it points into the stack, or to the arguments
        self.flags = True       # the flags were set by data
        self.carry = True       # the same of the carry flag, which inc and dec leave alone
        self.slots = {}         # (region, offset) that holds something public -> (size, as in `frame` or None)
        self.exposed = {}       # region -> lowest offset whose address was taken
        self.parked = {}        # vector register -> what a general one held that was parked there, as in `frame`

    def copy(self):
        other = State.__new__(State)
        other.data, other.low, other.frame = dict(self.data), set(self.low), dict(self.frame)
        other.flags, other.carry = self.flags, self.carry
        other.slots, other.exposed, other.parked = dict(self.slots), dict(self.exposed), dict(self.parked)
        return other

    def join(self, other):
        """Takes in another way to the same place; True if that changed anything."""
        before = self.copy()
        self.low = {n for n in self.low_public() & other.low_public() if self.data[n] or other.data[n]}
        for name in REGISTERS:
            self.data[name] = self.data[name] or other.data[name]
        self.frame = {r: f for r, f in self.frame.items() if other.frame.get(r) == f}
        self.flags = self.flags or other.flags
        self.carry = self.carry or other.carry
        self.slots = {s: (v if other.slots[s] == v else (min(v[0], other.slots[s][0]), None))
                      for s, v in self.slots.items() if s in other.slots}
        self.parked = {v: (f if other.parked[v] == f else None) for v, f in self.parked.items() if v in other.parked}
        for region, low in other.exposed.items():
            self.exposed[region] = min(low, self.exposed.get(region, low))
        return vars(before) != vars(self)

    def low_public(self):
        return self.low | {name for name, data in self.data.items() if not data}

    def set_register(self, name, data):
        """All of a register, or some of it but the lowest byte, is written."""
        self.data[name] = data
        self.low.discard(name)

    def set_low(self, name, data):
        """The lowest byte alone is written."""
        if data:
            self.low.discard(name)
        elif self.data[name]:
            self.low.add(name)
        self.data[name] = self.data[name] or data

    def set_flags(self, data):
        self.flags = self.carry = data


# The struct of public pointers and counts; offsets in it are of no interest.
PUBLIC_STRUCT = ("arguments", 0)
CANARY = ("canary", 0)


@dataclass(frozen=True)
class Entry:
    """What a function may count on: arguments that may hold data, and those that point to the public struct."""
    data: frozenset = frozenset()
    struct: frozenset = frozenset()

    def join(self, other):
        return Entry(self.data | other.data, self.struct & other.struct)

    def state(self):
        state = State()
        for name in REGISTERS:
            state.data[name] = name in self.data or name in ("rax", "r10", "r11")
        state.frame = {name: PUBLIC_STRUCT for name in self.struct}
        state.frame["rsp"] = ("entry", 0)
        return state
