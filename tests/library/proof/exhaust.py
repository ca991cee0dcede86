# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Functions of one small number, or of two: all inputs through the record of a lane, in plain integers.

All lanes of a record have to be the same operations on inputs of their own; then one of them is run.
"""
import numpy

from algebra import Unproved
from validate import PLAIN


def parse(lines):
    """(operations by number of line, outputs: name -> numbers of lines)"""
    operations, outputs, places = [], {}, {}
    for line in lines:
        what, *rest = line.split()
        if what.startswith("output:"):
            outputs.setdefault(what.split(":")[1], []).append(int(rest[0]))
        elif what.startswith("input:"):
            name = what.split(":")[1]
            operations.append(("input", name, places.get(name, 0), 0, int(rest[3])))
            places[name] = places.get(name, 0) + 1
        else:
            operations.append((what, *(int(i) for i in rest)))
    return operations, outputs


def lane(operations, end, places):
    """The operations that line `end` depends on, as numbers within; inputs by name, without their lane."""
    used, r = {}, []

    def visit(i):
        if i in used:
            return used[i]
        what, a, b, c, k = operations[i]
        if what == "input":
            places.setdefault(a, set()).add(b)
            r.append(("input", a, 0, 0, k))
        elif what == "constant":
            r.append((what, 0, 0, 0, k))
        else:
            many = {"fits": 1, "within": 1, "proved_within": 1, "plus": 1, "above": 1, "times": 1, "low_wrap": 1,
                    "sra": 1, "signed_and": 1}.get(what, 2)
            given = [visit(j) for j in (a, b)[:many]] + [0] * (2 - many)
            r.append((what, *given, c, k))
        used[i] = len(r) - 1
        return used[i]
    visit(end)
    return tuple(r)


def signed(k):
    return k - ((k >> 63) << 64)


def run(steps, inputs):
    """The last step's value; what a step claims of its number has to be so of all."""
    values = []
    for what, a, b, c, k in steps:
        if what == "input":
            v = inputs[a]
            if v.min() < 0 or v.max() > k:
                raise Unproved("an input")
        elif what == "constant":
            v = numpy.int64(signed(k))
        else:
            x = values[a]
            if what in ("within", "proved_within") and (x.min() < c or x.max() > signed(k)):
                raise Unproved(f"{what}: {x.min()} .. {x.max()}")
            if what == "fits" and (x.min() < -1 << k - 1 or x.max() >= 1 << k - 1):
                raise Unproved(f"{what}: {x.min()} .. {x.max()}")
            v = {"min": lambda: numpy.minimum(x, values[b]), "max": lambda: numpy.maximum(x, values[b]),
                 "above": lambda: (x > signed(k)).astype(numpy.int64)}.get(
                     what, lambda: PLAIN[what](k, x, values[b], 0))()
        values.append(v)
    return values[-1]


def in_parts(steps, inputs):
    size, part = len(next(iter(inputs.values()))), 1 << 18
    return numpy.concatenate([run(steps, {n: v[i:i + part] for n, v in inputs.items()}) for i in range(0, size, part)])


def outputs(lines):
    """name -> the function of inputs (as they are recorded, from 0 on) that every lane of this output is."""
    operations, ends = parse(lines)
    functions = {}
    for name, of in ends.items():
        places = [{} for _ in of]
        steps = {lane(operations, end, place) for end, place in zip(of, places)}
        if len(steps) != 1 or any(v != {i} for i, place in enumerate(places) for v in place.values()):
            raise Unproved("lanes are not alike")
        functions[name] = lambda inputs, s=steps.pop(): in_parts(s, inputs)
    return functions
