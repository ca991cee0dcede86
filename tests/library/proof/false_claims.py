# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Are claims that are not true refused? Takes each record, and says of it what is wrong by a little.

One at a time: the lowest limb of an output is one more; two limbs have changed places.

usage: false_claims.py [FAMILY...]
"""
import sys
import tempfile

from families import FAMILIES
from prove import build, prove, records


def wrong(lines):
    """Records that differ from this one in what comes out."""
    outputs = [i for i, line in enumerate(lines) if line.startswith("output:")]
    name = lambda i: lines[i].split(":")[1]
    value = lambda i: lines[i].split()[1]
    many = sum(not line.startswith(("output:", "number:", "montgomery")) for line in lines)
    kinds = [line.split()[0].split("_")[0] for line in lines if line.startswith(("word", "block"))]
    first = {}
    for i in outputs:
        first.setdefault(name(i), i)
    if not kinds or kinds[0] != "block":
        prefix = f"{kinds[0]}_" if kinds else ""
        for n, i in first.items():
            changed = [f"{prefix}constant 0 0 0 1", f"{prefix}add {value(i)} {many} 0 0"]
            at = f"{lines[i].split()[0]} {many + 1} 0 0 0"
            # What a claim asks of masks and signs it asks of the record: only what comes out is another number.
            yield f"{n} is one more", lines[:outputs[0]] + changed + lines[outputs[0]:i] + [at] + lines[i + 1:]
    for i, j in zip(outputs, outputs[1:]):
        if name(i) == name(j) and value(i) != value(j):
            swapped = list(lines)
            swapped[i], swapped[j] = (f"{lines[a].split()[0]} {value(b)} 0 0 0" for a, b in ((i, j), (j, i)))
            yield f"limbs of {name(i)} exchanged", swapped
            break


def main():
    passed = failed = 0
    for key in sys.argv[1:] or FAMILIES:
        with tempfile.TemporaryDirectory() as folder:
            parts, _ = records(build(FAMILIES[key], FAMILIES[key].forms[0], folder))
        for name, lines in parts.items():
            for what, changed in wrong(lines):
                good, said = prove(FAMILIES[key], name, changed)
                passed, failed = passed + (not good), failed + good
                if good:
                    print(f"FAILED: {key}, {name}, {what}: {said}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
