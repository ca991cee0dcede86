# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Does the proof see anything? Changes kernels in one place, by rule, and proves again: something has to fail.

Rules: a number one more or less; an operation for its opposite; plus for minus; a comparison that includes its end; a
mask that is not negated; a statement that is left out. Changes whose record is the same are no changes, and those that
are no program are drawn again. What is drawn depends on the family's name and --seed alone.

A proof that takes more memory or time than it may is none. The kernel as it is has to do with half of either. Steps
that again.py knows are shown to it too. It has no bounds, and so may miss what the prover finds; what it finds and the
prover does not is a fault of one of them, and fails.

usage: mutants.py [--count N] [--seed N] [FAMILY...]     survivors.txt says of those that are known why they live
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import again
from families import FAMILIES
from prove import HERE, ROOT, build, prove_limited, records

OPPOSITES = [("v8_add(", "v8_sub("), ("v8_sub(", "v8_add("), ("madd52lo(", "madd52hi("), ("madd52hi(", "madd52lo("),
             ("madd52lo_pow2(", "madd52hi_pow2("), ("madd52hi_pow2(", "madd52lo_pow2("), ("num_add(", "num_sub("),
             ("num_sub(", "num_add("), ("v8_sra(", "v8_sll("), ("v8_sll(", "v8_sra("), ("m8_and(", "m8_or("),
             ("m8_or(", "m8_and("), ("quads_sll(", "quads_srl("), ("quads_add(", "quads_or("),
             ("i16x32_add(", "i16x32_sub("), ("i16x32_sub(", "i16x32_add("), ("i32x16_add(", "i32x16_sub("),
             ("i32x16_sub(", "i32x16_add("), ("w8_add(", "w8_xor("), ("w8_ror(", "w8_srl("), ("w8_xor(", "w8_add("),
             ("w8_choose(", "w8_majority("), ("w8_majority(", "w8_choose("), ("u32x16_add(", "u32x16_xor("),
             ("u32x16_xor(", "u32x16_add("), ("u32x16_choose(", "u32x16_majority("), ("words_add(", "words_xor("),
             ("words_xor(", "words_add("), ("fe_add(", "fe_sub("), ("fe_sub(", "fe_add("),
             ("fe_carried_sum(", "fe_carried_difference("), ("fe_carried_difference(", "fe_carried_sum("),
             ("bv_xor(", "bv_mul_low("), ("bv_mul_low(", "bv_mul_high("), ("bv_mul_high(", "bv_mul_low("),
             (" + ", " - "), (" - ", " + "), (" < ", " <= "), (" >= ", " > "), ("m8_not(", "("), ("++)", "+= 2)")]
STATEMENT = re.compile(r"\s+(?!return|const|for|if|else|VEC_|v8 |fe |m8 |quads |struct |while|break|continue|\(void\))"
                       r"[a-z*].*[^{]\)?;$")


LIMITS = "memory or time"


def changes(line):
    """Other lines in place of this one."""
    code = line.split("/*")[0]
    for match in re.finditer(r"(?<![\w.])(0x[0-9a-f]+|\d+)(?![\w.])", code):
        x = int(match[0], 0)
        for other in {x + 1, x - 1} if not match[0].startswith("0x") else {x ^ 1}:
            if other >= 0:
                yield line[:match.start()] + (hex(other) if "x" in match[0] else str(other)) + line[match.end():]
    for old, new in OPPOSITES:
        at = code.find(old)
        while at >= 0:
            yield line[:at] + new + line[at + len(old):]
            at = code.find(old, at + 1)
    if STATEMENT.match(code):
        yield re.match(r"\s*", line)[0] + ";"


def places(family):
    """(file, number of line) of what a family's driver comes by: functions that it enters, constants, macros."""
    with tempfile.TemporaryDirectory() as folder:
        entered = set().union(*records(build(family, family.forms[-1], folder))[1].values())
        entered |= set().union(*records(build(family, family.forms[0], folder))[1].values())
    defines = [f"-D{d}" for d in family.defines]
    made = subprocess.run(["gcc", "-MM", "-DOCT_BACKEND_PROOF", *defines, f"-I{ROOT}/src", f"-I{ROOT}/include",
                           f"-I{HERE}/drivers", f"{HERE}/drivers/{family.driver}"], check=True, capture_output=True,
                          text=True).stdout
    found = []
    for path in sorted(set(re.findall(r"\S*src/kernels/\S+\.[ch]", made))):
        path = Path(path).resolve().relative_to(ROOT)
        inside, constant = False, False
        for number, line in enumerate(Path(ROOT, path).read_text().splitlines()):
            if not line.startswith((" ", "}", "{", "#", "/", "*")) and "(" in line:
                names = re.findall(r"\b(?:MOD|EC_ENTRY)?\(?(\w+)\)?\(", line)
                inside = any(n in entered or f"fp_{n}" in entered or f"fn_{n}" in entered for n in names)
            constant = constant or line.startswith("static const")
            macro = line.startswith("#define") and line.endswith(tuple("0123456789abcdef)"))
            if (inside and line.startswith(" ")) or constant or macro:
                found.append((path, number))
            constant = constant and not line.endswith(";")
    return found


def outcome(key, path, number, new, known, count):
    """(found, same, none, lives; and what was said)"""
    family = FAMILIES[key]
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(ROOT, path).read_text().splitlines()
        lines[number] = new
        Path(folder, path).parent.mkdir(parents=True)
        Path(folder, path).write_text("\n".join(lines) + "\n")
        different = False
        for form in family.forms:
            try:
                program = build(family, form, folder)
            except subprocess.CalledProcessError:
                return "none", ""
            try:
                parts, _ = records(program)
            except (subprocess.SubprocessError, UnicodeDecodeError, ValueError, IndexError, KeyError) as e:
                return "found", f"the driver: {type(e).__name__}"
            for name, text in parts.items():
                if known[form].get(name) == text:
                    continue
                different = True
                good, said = prove_limited(family, name, text) or (False, LIMITS)
                agrees = again.agrees(key, name, text, random.Random(1))
                count["again"] += agrees is not None
                count["again found"] += agrees is False
                if good and agrees is False:
                    return "contradicts", f"{name} is proved, and again.py finds it wrong"
                if not good:
                    return "found", f"{name}: {said}"
    return ("lives" if different else "same"), ""


def said_of(what, count):
    return (f"{what}: {count['found'] + count['lives']} planted, {count['found']} found ({count['bounds']} by bounds "
            f"or a driver that ends, {count['limits']} by limits), {count['lives']} live, "
            f"{count['explained']} explained; {count['same']} no change"
            + (f"; again.py found {count['again found']} of {count['again']} steps" if count["again"] else ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("families", nargs="*")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    text = re.sub(r"\n {2,}", " ", Path(HERE, "survivors.txt").read_text())
    known_survivors = dict(line.split(" : ") for line in text.splitlines()
                           if " : " in line and not line.startswith("#"))
    total, bad, used = Counter(), 0, set()
    for key in wanted.families or FAMILIES:
        family, count, known = FAMILIES[key], Counter(), {}
        for form in family.forms:
            with tempfile.TemporaryDirectory() as folder:
                known[form] = records(build(family, form, folder))[0]
            for name, lines in known[form].items():
                if not (prove_limited(family, name, lines, share=.5) or (False,))[0]:
                    sys.exit(f"FAILED: {key}, {name}: not proved, or not by half of what a proof may take")
        text = {path: Path(ROOT, path).read_text().splitlines() for path, _ in places(family)}
        drawn = [(path, number, new) for path, number in places(family) for new in changes(text[path][number])]
        random.Random(f"{key} {wanted.seed}").shuffle(drawn)
        for path, number, new in drawn:
            if count["found"] + count["lives"] >= wanted.count:
                break
            what, said = outcome(key, path, number, new, known, count)
            count[what] += 1
            if what == "contradicts":
                bad += 1
                print(f"FAILED: {key} {path}:{number + 1}: {new.strip()}: {said}", flush=True)
            if what == "found":
                count["limits"] += said.endswith(LIMITS)
                count["bounds"] += bool(re.search(r"leaves 64|multiplicand|srl of|limb of|no number|is wanted|driver",
                                                  said))
            if what == "lives":
                told = f"{key} {new.strip()}"
                told = f"{key} without {text[path][number].strip()}" if told == f"{key} ;" else told
                why = known_survivors.get(told)
                used.add(told)
                count["explained"] += why is not None
                bad += why is None
                print(f"{'lives' if why else 'FAILED, lives'}: {key} {path}:{number + 1}: {new.strip()}"
                      f" ({why or text[path][number].strip()})", flush=True)
        total += count
        print(said_of(key, count), flush=True)
    print(said_of("all", total))
    if len(sys.argv) == 1:
        for line in known_survivors.keys() - used:
            bad += 1
            print(f"FAILED: survivors.txt names what was not drawn, or is found: {line}")
    print(f"{total['found'] + total['explained']} passed, {bad} failed")
    return 1 if bad or not total["found"] else 0


if __name__ == "__main__":
    sys.exit(main())
