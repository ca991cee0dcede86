# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Proves each primitive of each vector backend against the contract (src/vec/vec.h), for all inputs, with Z3.

The backend's own source runs on words that are named (words.h). What intrinsics do is in meaning.py and fma.py, what
the contract says in contract.py.

usage: primitives.py [BACKEND...]
"""
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import z3
except ImportError:
    print("SKIP: python3-z3 is not installed")
    sys.exit(77)

import contract
import fma
from meaning import MEANING, constants, number

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
BACKENDS = {
    "avx512": "-DOCT_BACKEND_AVX512 -D__AVX512VL__",
    "avx512f": "-DOCT_BACKEND_AVX512F -D__AVX512VL__",
    "ifma256": "-DOCT_BACKEND_IFMA256",
    "avx2": "-DOCT_BACKEND_AVX2",
}
TAG = 0xabcde << 44


class Unproved(Exception):
    pass


# --- the backend's source as a program that writes its record

def assembler(text):
    """Inline assembler as the intrinsics that it stands for; fences and what clears registers are nothing."""
    def one(match):
        template, rest = match[2], match[3]
        if match[1] or template.strip() == '""':
            return ";"
        operands = dict(re.findall(r'\[(\w+)\] (?:"[^"]*" ?)+\((.*?)\)(?=,|\s*:|\s*$)', rest))
        width = 512 if '"v"' in rest else 256

        def call(name, *given):
            puts = ", ".join(f"words_put{width}({x})" for x in given)
            return f'(words_begin("_mm{width}_{name}"), {puts}, words_end{width}())'

        code = []
        for instruction in "".join(re.findall(r'"([^"]*)"', template)).split("\\n\\t"):
            name, given = instruction.split()[0], [operands[o] for o in re.findall(r"%\[(\w+)\]", instruction)]
            *given, to = given  # the result comes last
            code.append({"vmovapd": lambda c: f"{to} = {c};",
                         "vfmadd231pd": lambda a, b: f"{to} = {call('fmadd_pd', a, b, to)};",
                         "vsubpd": lambda h, k: f"{to} = {call('sub_pd', k, h)};",
                         "vpaddq": lambda c, a: f"{to} = {call('add_epi64', a, c)};"}[name](*given))
        return " ".join(code)
    return re.sub(r'__asm__\s*(volatile\s*)?\(((?:\s*"(?:[^"\\]|\\.)*")+)\s*(:[^;]*)\)\s*;', one, text)


def intrinsics(text):
    """A macro for each intrinsic that a backend uses, and what writes its arguments, 16 at the most."""
    kinds = ", ".join(f"{kind}: words_put{name}" for kind, name in (
        ("__m512i", "512"), ("__m256i", "256"), ("__m128i", "128"), ("short", "_mask"), ("default", "_number")))
    r = [f"#define WORDS_PUT(x) _Generic((x), {kinds})(x)", "#define WORDS_PUT1(a) WORDS_PUT(a)"]
    r += [f"#define WORDS_PUT{n}(a, ...) WORDS_PUT(a), WORDS_PUT{n - 1}(__VA_ARGS__)" for n in range(2, 17)]
    r.append(f"#define WORDS_NTH({', '.join(f'a{n}' for n in range(16))}, n, ...) n")
    r.append(f"#define WORDS_EACH(...) WORDS_NTH(__VA_ARGS__, "
             f"{', '.join(f'WORDS_PUT{n}' for n in range(16, 0, -1))})(__VA_ARGS__)")
    both = {f"_mm{bits}_{name}" for name in re.findall(r"\bMM\((\w+)\)", text) for bits in (256, 512)}  # of x86.h
    for name in sorted(both.union(re.findall(r"\b_(?:mm\d*|k)[a-z0-9]*_\w+", text))):
        if re.search(r"_(load|loadu|store|storeu)_|csr$|set1_pd$", name):
            continue
        if re.search(r"_mm\d*_cast", name):
            r.append(f"#define {name}(x) (x)")
            continue
        width = re.match(r"_mm(\d*)", name)
        end = "words_end_mask" if name.endswith("_mask") or name.startswith("_k") or "movemask" in name else \
            f"words_end{width[1] or 128}"
        if "setzero" in name:
            r.append(f'#define {name}() (words_begin("{name}"), {end}())')
        else:
            r.append(f'#define {name}(...) WORDS_OPERATION("{name}", {end}, __VA_ARGS__)')
    return "\n".join(r) + "\n"


def record(backend, constant, grouped):
    """The text of the record of a backend's primitives."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        sources = "".join(p.read_text() for p in (ROOT / "src/vec").glob("*.h"))
        (folder / "intrinsics.h").write_text(intrinsics(sources))
        (folder / "immintrin.h").write_text('#include "words.h"\n')
        flags = [*BACKENDS[backend].split(), f"-D__builtin_constant_p(x)={constant}", f"-I{folder}", f"-I{HERE}",
                 f"-I{ROOT}/src", f"-I{ROOT}/include", "-std=gnu17", "-w"]
        if grouped:
            flags.append("-DOCT_VEC_GROUPED")
        text = subprocess.run(["gcc", "-E", *flags, HERE / "primitives.c"], check=True, capture_output=True,
                              text=True).stdout
        (folder / "p.i").write_text(assembler(text))
        subprocess.run(["gcc", "-O0", "-std=gnu17", "-w", folder / "p.i", ROOT / "src/base/base.c",
                        f"-I{ROOT}/src", f"-I{ROOT}/include", "-o", folder / "p"], check=True)
        return subprocess.run([folder / "p"], check=True, capture_output=True, text=True).stdout


# --- reading it

class Primitive:
    """One primitive's record as terms. What fma.py proves of doubles is used here: a word that is a double of an
    integer is told by that, and halves of products are terms of their own, the same for the contract."""

    def __init__(self, backend, name, constant):
        self.backend, self.name, self.constant = backend, name, constant
        self.lines, self.inputs, self.outputs, self.given = [], {}, [], []
        self.integer, self.high, self.rest = {}, {}, {}  # of words of doubles, by their term
        self.halves = {}

    def word(self, text):
        x = int(text, 16)
        return self.lines[x >> 4 & 0xfffffff][x & 15] if x >> 44 == 0xabcde else number(x)

    def half(self, a, b, bits, which):
        """The low or high half of a product of 52-bit numbers, of numbers' where one is one."""
        a, b = (z3.simplify(z3.Extract(51, 0, x)) for x in (a, b))
        if z3.is_bv_value(a) or z3.is_bv_value(b):
            p = z3.ZeroExt(52, a) * z3.ZeroExt(52, b)
            h = z3.ZeroExt(12, z3.Extract(51, 0, z3.LShR(p, bits)))
            return h if which == "high" else z3.ZeroExt(12, z3.Extract(51, 0, p)) & (1 << bits) - 1
        key = *sorted((a.sexpr(), b.sexpr())), bits, which
        if key not in self.halves:
            self.halves[key] = z3.BitVec(f"{which}{len(self.halves)}", 64)
            self.given.append(z3.ULT(self.halves[key], 1 << (bits if which == "low" else 52)))
        return self.halves[key]

    def product32(self, a, b):
        """Of the lower halves of two words: a term of its own, whatever it is."""
        key = *sorted(z3.simplify(z3.Extract(31, 0, x)).sexpr() for x in (a, b)), "whole"
        if key not in self.halves:
            self.halves[key] = z3.BitVec(f"product{len(self.halves)}", 64)
        return self.halves[key]

    def limb(self, x):
        """Whether a word is below 2^52, by what is given of inputs."""
        s = z3.Solver()
        s.add(*self.preconditions(), z3.UGE(x, 1 << 52))
        return s.check() == z3.unsat

    def preconditions(self):
        return contract.given(self.name, self.constant, self.inputs) + self.given

    def fmadd(self, a, b, c, toward_zero):
        if a not in self.integer or b not in self.integer:
            raise Unproved("factors of an FMA that are no integers")
        x, y = self.integer[a], self.integer[b]
        if c in self.rest:
            p, bits = self.rest[c]
            if {id(x), id(y)} != {id(i) for i in p}:
                raise Unproved("a low half with the high half of another product")
            return number(fma.LOW) + self.half(x, y, bits, "low")
        bits = {fma.high_bias(52): 52, fma.high_bias(51): 51}.get(z3.simplify(c).as_long())
        if bits is None or not toward_zero:
            raise Unproved("an FMA with another constant or rounding")
        r = number(fma.high_bias(bits)) + self.half(x, y, bits, "high")
        self.high[r] = (x, y), bits
        return r

    def sub_pd(self, a, b):
        if z3.is_bv_value(z3.simplify(b)) and z3.simplify(b).as_long() == fma.LOW:
            if a.decl().kind() != z3.Z3_OP_BOR or not self.limb(a.arg(0)):
                raise Unproved("a double of no 52-bit number")
            r = z3.BitVec(f"double{len(self.integer)}", 64)
            for known, x in self.integer.items():
                if x.eq(a.arg(0)):
                    return known
            self.integer[r] = a.arg(0)
            return r
        p, bits = self.high[b]
        if z3.simplify(a).as_long() != fma.high_bias(bits) + (1 if bits == 52 else 2):
            raise Unproved("a difference from another constant")
        r = z3.BitVec(f"rest{len(self.rest)}", 64)
        self.rest[r] = p, bits
        return r

    def line(self, text):
        name, *arguments = text.split()
        if name.startswith("input:"):
            i = len(self.lines)
            lanes = [z3.BitVec(f"{name[6:]}{i}_{j}", 64) for j in range(8)]
            self.inputs.setdefault(name[6:], []).append(lanes)
            self.lines.append(lanes)
            return
        if name == "output":
            self.outputs.append([self.word(w) for w in arguments])
            return
        values = []
        for a in arguments:
            kind, _, value = a.partition(":")
            if kind == "v":
                values.append([self.word(w) for w in value.split(",")])
            else:
                values.append(self.lines[int(value)] if kind == "m" else int(value))
        width = int(re.match(r"_mm(\d*)", name)[1] or 128) // 64 if name.startswith("_mm") else 8
        short = re.sub(r"^_(mm\d*_)?", "", name)
        short = re.sub(r"_si(128|256|512)$", "_si", re.sub(r"^(permute2x128)_si256$", r"\1_si", short))
        if short.startswith("set"):
            r = constants(short, width, values)
        elif short == "cvtsi32_si":
            r = [number(values[0] & 0xffffffff), number(0)]
        elif re.match(r"madd52(lo|hi)", short):
            which = "low" if "lo" in short else "high"
            r = [s + self.half(x, y, 52, which) for s, x, y in zip(*values)]
        elif short in ("fmadd_pd", "fmadd_round_pd"):
            zero = self.backend == "avx2" if short == "fmadd_pd" else values.pop() == 11
            r = [self.fmadd(a, b, c, zero) for a, b, c in zip(*values)]
        elif short == "mul_epu32":
            r = [self.product32(a, b) for a, b in zip(*values)]
        elif short == "sub_pd":
            r = [self.sub_pd(a, b) for a, b in zip(*values)]
        else:
            r = MEANING[short](*values)
        self.lines.append(r)

    def prove(self):
        wanted = contract.wanted(self)
        lanes = len(self.outputs[0])
        for got, want in zip(self.outputs, wanted, strict=True):
            for i in range(lanes):
                # Where the contract is written in two ways that are the same, one is enough.
                ways = want[i] if isinstance(want[i], tuple) else (want[i],)
                if any(z3.simplify(got[i] - w, som=True).eq(number(0)) for w in ways):
                    continue
                s = z3.SolverFor("QF_BV")
                s.set("timeout", 20000)
                s.add(*self.preconditions(), got[i] != ways[0])
                found = s.check()
                if found != z3.unsat:
                    raise Unproved(f"lane {i}: {found}" + (f", {s.model()}" if found == z3.sat else ""))


def begun_primitive(backend, line, constant):
    """Whole products have constants only that are known. Those of 20 limbs take as long as all others together."""
    _, name, value = line.split()
    if ":20:" in name and os.environ.get("OCT_TEST_DEPTH") != "exhaustive":
        return None
    return Primitive(backend, name, int(value)) if constant or not re.match("v8_(product|square)", name) else None


def check(backend, constant, grouped):
    failed, proved, begun = 0, {}, time.process_time()
    p = None
    for line in [*record(backend, constant, grouped).splitlines(), "begin end 0"]:
        try:
            if line.startswith("begin "):
                if p is not None:
                    p.prove()
                    proved[p.name.split(":")[0]] = proved.get(p.name.split(":")[0], 0) + 1
                p = begun_primitive(backend, line, constant)
            elif p is not None:
                p.line(line)
        except (Unproved, KeyError, AttributeError, ValueError) as e:
            failed += 1
            print(f"FAILED {backend} {p.name} {p.constant}: {type(e).__name__} {str(e)[:300]}", flush=True)
            p = begun_primitive(backend, line, constant) if line.startswith("begin ") else None
    how = f"{'constants known' if constant else 'constants not known'}{', four lanes' if grouped else ''}"
    print(f"{backend}, {how}: " + ", ".join(f"{n}{f' ({c})' if c > 1 else ''}" for n, c in proved.items()))
    print(f"{backend}, {how}: {time.process_time() - begun:.1f} s", flush=True)
    return sum(proved.values()), failed


def main():
    passed = failed = 0
    for what, claim, given in fma.statements():
        s, start = z3.Solver(), time.process_time()
        s.add(*given, z3.Not(claim))
        found = s.check()
        passed, failed = passed + (found == z3.unsat), failed + (found != z3.unsat)
        print(f"{'proved' if found == z3.unsat else 'FAILED'}: {what}; {time.process_time() - start:.2f} s", flush=True)
    for backend in sys.argv[1:] or BACKENDS:
        for constant in 1, 0:
            for grouped in (0, 1) if backend in ("avx2", "ifma256") else (0,):
                good, bad = check(backend, constant, grouped)
                passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
