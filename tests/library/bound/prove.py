# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Runs the bound proof, prints the kernel functions that it visited, and fails if it missed one.

usage: run PROOF OBJECT...   (the proof's executable, and the kernel objects that it was linked from)
"""
import collections
import re
import subprocess
import sys


def symbols(path):
    """Functions of an object or executable: address -> name."""
    out = subprocess.run(["nm", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    found = {}
    for address, kind, name in re.findall(r"^([0-9a-f]+) ([tT]) (\S+)$", out, re.M):
        found.setdefault(int(address, 16), name)
    return found


def main():
    proof, objects = sys.argv[1], sys.argv[2:]
    done = subprocess.run([proof], capture_output=True, text=True)
    print("\n".join(l for l in done.stdout.splitlines() if not l.startswith("entered")))
    if done.returncode:
        print(f"the proof failed ({done.returncode}) {done.stderr}")
        return 1
    names = symbols(proof)
    # The executable is linked without PIE, so run-time addresses are those of its symbol table.
    visited = collections.Counter(names[int(a, 16)] for a in re.findall(r"^entered 0x([0-9a-f]+)$", done.stdout, re.M))
    # A step that several sizes share by name is another function, with other bounds, in each object.
    kernel = collections.Counter(name for o in objects for name in symbols(o).values())
    for name in sorted(kernel):
        print(f"proved {name}: {min(visited[name], kernel[name])} of {kernel[name]} sizes")
    missed = sum((kernel - visited).values())
    print(f"{sum(kernel.values()) - missed} passed, {missed} failed")
    return 1 if missed or not kernel else 0


if __name__ == "__main__":
    sys.exit(main())
