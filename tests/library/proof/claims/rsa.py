# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Claims of RSA."""
from algebra import add, constant, times
from claims.common import need
from record import Record


# --- RSA: the folding product of primes

def symbolic_reduce_once(r, v, top):
    x = r.x
    ((s,),) = r.negatives[0].a
    value = add(v["r"], x.multiply(v["n"], add(constant(1), {(s,): -1})))
    need(x.is_zero(add(value, v["a"], -1)), "r = a - n, or a where that is negative")
    # The last borrow is the sign of the top limb of a - n, which is 2^top times it and what is below, not negative.
    low, high = x.bounds(add(add(v["a"], v["n"], -1), x.definition[s][1], -1 << top), signs=True)
    need(low >= 0 and high < 1 << top, "the borrow is that of the whole difference")
    return "a, or a - n where that is not negative"


# Blocks, limbs and bits of each; in rows a number is one block.
FOLDS = {"fold1024": (4, 5, 258), "fold1536": (8, 4, 204), "fold2048": (8, 5, 257), "rows1024": (1, 20, 1040)}


def fold(which):
    blocks, block, block_bits = FOLDS[which]
    half = block_bits * blocks // 2  # B^h = 2^half
    largest = 1 << int(which[4:])
    at = [i // block * block_bits + i % block * 52 for i in range(blocks * block)]

    def outside(name, lines):
        """From limbs of 52 bits to blocks and back, and the number that leaves."""
        r = Record(name, lines, merge=name != "crt_sum")
        x = r.x
        if name == "fold_load":
            whole = add(r.number("a", 52), x.cut(r.number("a", 52), 2 * half), -1 << 2 * half)
            need(x.is_zero(add(r.number("r", at), whole, -1)), "is not the number modulo R")
            return f"the number modulo R, 2^{2 * half}"
        if name == "fold_unload":
            limbs = len(r.outputs["r"])
            # What the limbs hold of it: all of a number that fits.
            whole = add(r.number("a", at), x.cut(r.number("a", at), 52 * limbs), -1 << 52 * limbs)
            need(x.is_zero(add(r.number("r", 52), whole, -1)), "is not the number")
            return f"the number modulo 2^{52 * limbs}"
        limbs = len(r.outputs["r"])
        want = add(r.number("m", 52), x.multiply(r.number("q", 52), r.number("h", 52)))
        left = add(want, r.number("r", 52), -1)
        b, scale = x.normal(left)
        need(not scale and all(c >> 52 * limbs << 52 * limbs == c for c in b.values()), "is not m2 + q h")
        need(largest + largest * largest <= 1 << 52 * limbs, "it fits")
        return "m2 + q h, which fits"

    def prove(name, lines):
        if name in ("fold_load", "fold_unload", "crt_sum"):
            return outside(name, lines)
        r = Record(name, lines)
        x = r.x
        v = {i: r.number(i, at) for i in list(r.inputs) + list(r.outputs) if i not in ("k0", "kept", "factors")}
        top = at[-1] + (block_bits - 52 * (block - 1))
        if name == "fold_reduce_once":
            return symbolic_reduce_once(r, v, at[-1])
        carry, = r.stated
        w = add(v["r"], carry.a, 1 << top)
        need(all(0 <= i.low and i.high < 1 << (52 if j % block + 1 < block else block_bits - 52 * (block - 1))
                 for j, i in enumerate(r.outputs["r"])), "limbs of blocks")
        need(carry.high == 0, "the carry is said to be 0")
        r.show(carry)
        if name == "fold_carry":
            need(x.is_zero(add(w, v["a"], -1)), "is not the number")
            return "exact, with what leaves the top: nothing, for columns that are a number below R"
        mn = x.multiply(v["m"], v["n"])
        if name == "fold_constants":
            need(x.is_zero(add(add(times(w, 1 << half), mn, -1), constant(-1))), "B^h Q = 1 + m n")
            need([n.a for n in r.outputs["kept"]] == [n.a for n in r.outputs["factors"]], "Q's factors are kept")
            # m < B^h: so B^h Q <= 1 + (B^h - 1) n, which is at most B^h n.
            need(largest < 1 << 2 * half, "n < R")
            return "B^h Q = 1 + m n, so Q <= n < R and the carry is 0"
        product = x.multiply(v["a"], v["b" if "b" in v else "a"])
        d = add(times(w, 1 << 2 * half), product, -1)
        d = add(d, v["l"])
        d = add(d, x.multiply(v["l"], v["q"]), -1 << half)
        d = add(d, mn, -1 << half)
        need(x.is_zero(d), "R^1 r = a b - L + B^h (L Q + m n)")
        limb_high = lambda i: sum(n.high << at[j] for j, n in enumerate(r.outputs[i]))
        need(limb_high("l") < 1 << half and limb_high("m") < 1 << half, "L, m < B^h")
        # B^h B^h = R, 1 <= Q <= n, and a, b < 8n: so 0 <= r < 64n^2/R + Q + n, which is less than R: the carry is 0.
        # And B^h Q = 1 mod n: R r = a b mod n.
        R = 1 << 2 * half
        need(R == 1 << top and 64 * largest * largest // R + largest // 4 + 2 * largest < R, "r < R")
        need(256 * largest <= R, "r < 2.25 n")
        return "R r = a b - L + B^h (L Q + m n), L, m < B^h; so r < 2.25 n, R r = a b mod n and the carry is 0"
    return prove


fold1024, fold1536, fold2048 = (fold(c) for c in list(FOLDS)[:3])


# --- RSA: Montgomery's product of whole moduli

def mont(name, lines):
    r = Record(name, lines)
    x = r.x
    v = {i: r.number(i, 52) for i in list(r.inputs) + list(r.outputs) if i != "k0"}
    limbs = len(r.inputs["n"])
    if name == "mont_reduce_once":
        return symbolic_reduce_once(r, v, 52 * (limbs - 1))
    carry, = r.stated
    need(carry.high == 0 and len(r.multiples) == limbs, "a multiple for each limb")
    m = {}
    for i, a in enumerate(r.multiples):
        m = add(m, a, 1 << 52 * i)
    w = add(v["r"], carry.a, 1 << 52 * limbs)
    d = add(times(w, 1 << 52 * limbs), x.multiply(v["a"], v["b" if "b" in v else "a"]), -1)
    need(x.is_zero(add(d, x.multiply(m, v["n"]), -1)), "R r = a b + m n")
    # m < R, and n has 51.2 bits for each limb: for a, b < 8n, r < 64n^2/R + n < 2n < R, so the carry is 0.
    largest, R = 1 << limbs * 256 // 5, 1 << 52 * limbs
    need(64 * largest < R and 2 * largest < R, "r < 2n < R")
    r.show(carry)
    return "R r = a b + m n with m < R; so r < 2n for a, b < 8n, and the carry is 0"


# --- RSA: the same for primes, in rows

def rows1024(name, lines):
    return (mont if name.startswith("mont_") else fold("rows1024"))(name, lines)
