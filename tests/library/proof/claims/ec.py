# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Claims of the NIST curves, of SM2, and of the order of Ed25519."""
from algebra import add, constant, times, twos, value
from claims.common import Field, coordinates, need
from record import Record


# --- Prime fields and orders in Montgomery form

CURVES = {
    "p256": (5, 2**256 - 2**224 + 2**192 + 2**96 - 1,
             0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551),
    "p384": (8, 2**384 - 2**128 - 2**96 + 2**32 - 1,
             0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973),
    "sm2": (5, 2**256 - 2**224 - 2**96 + 2**64 - 1,
            0xfffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123),
    "order25519": (5, None, 2**252 + 27742317777372353535851937790883648493),
}


def times_p(x, modulus):
    """x in moduli, rounded up."""
    return f"{-(-x * 10**6 // modulus) / 10**6:.6f}"


def reductions(r, modulus, out="r"):
    """Each number that num_reduce_once() leaves is V, or V - m where that is not negative, for a V of 0 .. 2m-1: so it
    is V mod m. The last one comes out. Returns its V, and the bound of that."""
    x, v, high, number = r.x, None, 0, None
    for limbs in r.numbers:
        if not any(limbs[-1] is i for i in r.stated):
            continue
        top, number = 52 * (len(limbs) - 1), {}
        for i, limb in enumerate(limbs):
            number = add(number, limb.a, 1 << 52 * i)
        masks = [s for n in r.negatives for m in n.a for s in m if any(s in i for i in limbs[-1].a)]
        need(masks, "a comparison")
        s = max(masks)
        v = add(number, times(add(constant(1), {(s,): -1}), modulus))
        # The comparison looks at the sign of a top limb. It is that of V - m, which is 2^top times this limb and what
        # is below that, not negative.
        low, high = x.bounds(add(add(v, constant(-modulus)), x.definition[s][1], -1 << top), signs=True)
        need(low >= 0 and high < 1 << top, "the sign is that of the whole difference")
        low, high = r.bounds_known(v)
        need(low >= 0 and high < 2 * modulus,
             f"what is reduced once is {times_p(low, modulus)} .. {times_p(high, modulus)} m")
        need(limbs[-1].high >= modulus - 1 >> top, "the bound of the top limb")
        r.show(limbs[-1])
        r.known.append((number, 0, modulus - 1))
    need(v is not None and number == r.number(out, 52), "what comes out is reduced")
    return v, high


def numbers(which):
    limbs, p, n = CURVES[which]
    R = 2**(52 * limbs)

    def prove(name, lines):
        r = Record(name, lines)
        x, v = r.x, {}
        for i in list(r.inputs) + list(r.outputs):
            v[i] = r.number(i, 52)
        what = name.split("_", 1)[1]
        modulus = p if name.startswith("fp") else n
        if what in ("mul", "mul_carry"):
            expected, factor = x.multiply(v["a"], v["b"]), R
        elif what in ("sqr", "sqr_carry"):
            expected, factor = x.multiply(v["a"], v["a"]), R
        elif what == "to_mont":
            expected, factor = times(v["a"], R), 1
        elif what == "from_mont":
            expected, factor = v["a"], R
        elif what == "load_wide":
            expected, factor = v["a"], 1
        elif what == "reduce_once":
            need(x.is_zero(add(reductions(r, modulus)[0], v["a"], -1)), "is not the number")
            return "a mod m for a below 2m"
        elif what == "settle":
            bias = [2**58] * (limbs - 1) + [2**(58 if limbs == 5 else 26)]
            a = add(v["a"], constant(sum(b << 52 * i for i, b in enumerate(bias))), -1)
            need(x.is_zero(add(v["r"], a, -1), p), "is not congruent")
            low, high = x.bounds(v["r"])
            return f"congruent; value {times_p(low, p)} p .. {times_p(high, p)} p"
        else:
            bias = lambda bits: constant(sum(2**bits << 52 * i for i in range(limbs)))
            if what == "add":
                expected = add(add(v["a"], v["b"]), bias(61), -1)
            elif what == "sub":
                expected = add(v["a"], v["b"], -1)
            elif what == "sll3":
                expected = times(add(v["a"], bias(59), -1), 8)
            elif what == "carry":
                expected = add(v["a"], bias(60), -1)
            elif what == "negate_if":
                m = x.mask(r.inputs["m"][0])
                expected = x.multiply(add(v["a"], bias(60), -1), add(constant(1), m, -2))
            need(x.is_zero(add(v["r"], expected, -1)), "is not the same")
            return "exact"
        need(x.is_zero(add(times(v["r"], factor), expected, -1), modulus), "is not congruent")
        said = "congruent"
        if what in ("from_mont", "load_wide"):
            _, high = reductions(r, modulus)
            return said + f", below m; before {times_p(high, modulus)} m"
        low, high = x.bounds(v["r"])
        need(low >= 0, f"value from {times_p(low, modulus)}")
        return said + f", value 0 .. {times_p(high, modulus)} m"
    return prove


def points(which):
    limbs, p, _ = CURVES[which]
    f = Field(p)
    S, P, X = f.sum, f.product, f.symbol

    def law(out, values, top, bottom, y1, x1, xs):
        """Z3, X3 and Y3 are those of the sum: with the slope l = top/bottom, x3 = l^2 - xs, y3 = l*(x1 - x3) - y1."""
        o = {i: f.substitute(a, values) for i, a in out.items()}
        zz = P(o["z"], o["z"])
        bb = P(bottom, bottom)
        need(S((P(o["x"], bb), 1), (P(zz, S((P(top, top), 1), (P(xs, bb), -1))), -1)) == {}, "x is not the sum's")
        # y3 b^3 = t (x1 b^2 - x3 b^2) - y1 b^3, with x3 = X3/Z3^2, y3 = Y3/Z3^3
        left = P(o["y"], bb, bottom)
        right = S((P(top, bb, S((P(x1, zz), 1), (o["x"], -1)), o["z"]), 1), (P(y1, bb, bottom, zz, o["z"]), -1))
        need(S((left, 1), (right, -1)) == {}, "y is not the sum's")
        return o["z"]

    def prove(name, lines):
        r = Record(name, lines, modulus=p)
        out = coordinates(r, "xyz", 52, f, 2**(52 * limbs))
        # What goes out is within the bounds of what comes in: so they hold however many formulas follow each other.
        for i in "xyz":
            high = sum(r.x.high[max(a)[0]] << 52 * j for j, a in enumerate(r.inputs[i.upper() + "1"]))
            low, most = r.x.bounds(r.number(i, 52), signs=True)
            need(low >= 0 and most <= high, f"{i} up to {most / high:.3f} of what comes in")
        x1, y1, x2, y2 = map(X, ("x1", "y1", "x2", "y2"))
        jacobian = {"X1": P(x1, X("Z1"), X("Z1")), "Y1": P(y1, X("Z1"), X("Z1"), X("Z1"))}
        said = "the group law; "
        if name == "point_double":
            z = law(out, jacobian, S((P(x1, x1), 3), (f.constant(3), -1)), S((y1, 2)), y1, x1, S((x1, 2)))
            need(z == S((P(y1, f.power(X("Z1"), 4)), 2)), "Z3 = 2 Y1 Z1")
            return said + "Z3 = 2 Y1 Z1: 0 just for infinity, as no point has y = 0"
        for negative in 0, 1:
            values = dict(jacobian, m=f.constant(negative))
            y = S((y2, 1 - 2 * negative))
            zs = X("Z1")
            if name == "point_add":
                values |= {"X2": P(x2, X("Z2"), X("Z2")), "Y2": P(y2, X("Z2"), X("Z2"), X("Z2"))}
                h = P(f.power(X("Z1"), 3), f.power(X("Z2"), 3))
            else:
                values |= {"X2": x2, "Y2": y2}
                h = f.power(X("Z1"), 3)
            z = law(out, values, S((y, 1), (y1, -1)), S((x2, 1), (x1, -1)), y1, x1, S((x1, 1), (x2, 1)))
            need(z == P(h, S((x2, 1), (x1, -1))), "Z3 = H Z1 Z2")
            # So Z3 = 0 for p = q and p = -q; X3 tells them apart: it is (y - y1)^2 (Z1 Z2)^6 there.
            alike = f.substitute(f.substitute(out["x"], values), {"x2": x1})
            need(alike == P(h, h, S((y, 1), (y1, -1)), S((y, 1), (y1, -1))), "X3 where x1 = x2")
        return said + "Z3 = (x2 - x1) (Z1 Z2)^3: 0 for p = q, where X3 = 0, for p = -q, and for infinity, alone"
    return prove




# --- Inversion: what a batch does with its matrix. That f and g get to 1 and 0 is Bernstein's and Yang's theorem.

STEPS = 50


def batches(bits):
    return -(-((45907 * bits + 26313) // 19929) // STEPS)


def gcd(which):
    limbs, p, n = CURVES[which]
    top = 52 * (limbs - 1)
    number_of = batches(p.bit_length())
    room = 3 if p.bit_length() == 256 else 4

    def prove(name, lines):
        modulus = p if name.startswith("fp") else n
        r = Record(name, lines)
        x = r.x
        bias = constant(1 << 51 + top)
        v = {i: add(r.number(i, 52), bias, -1) for i in ("f", "g", "d", "e")}
        w = {i: add(r.inputs[i][0], constant(1 << STEPS), -1) for i in "uvqr"}
        # |u| + |v| and |q| + |r| are at most 2^50 (gcd_step). So |f|, |g| <= m stay so, as f' and g' are divided by
        # that, and |d|, |e|, which begin at 0 and 1, grow by k*m/2^50 with |k| <= 2^49: by m/2 in each batch.
        largest = -(-(number_of + 1) * modulus // 2)
        if name.endswith("finish"):
            ((s,),) = r.negatives[0].a
            want = add(x.multiply(v["d"], add(constant(1), {(s,): -2})), constant(modulus << room))
            number = r.number("x", 52)
            need(x.is_zero(add(number, want, -1)), "2^room m + d, or 2^room m - d where f < 0")
            need(largest < modulus << room and largest + (modulus << room) < 1 << top + 52, "it fits, and is positive")
            said = f"{1 << room} m + d, or {1 << room} m - d where f < 0, and |d| is at most {(number_of + 1) / 2} m"
        else:
            a, b = ("f", "g") if name.endswith("fg") else ("d", "e")
            for out, (i, j) in ("x", "uv"), ("y", "qr"):
                want = add(x.multiply(w[i], v[a]), x.multiply(w[j], v[b]))
                d = add(times(add(r.number(out, 52), bias, -1), 1 << STEPS), want, -1)
                if a == "d":
                    # 2^50 d' = u d + v e + k m, and k fits: d' is within m/2 of what the matrix makes of d and e.
                    need(x.is_zero(d, modulus), "2^50 d' = u d + v e modulo m")
                    left, scale = x.normal(d, False)
                    need(all(c % modulus == 0 for c in left.values()), "a multiple of m")
                    low, high = x.interval({i: c // modulus for i, c in left.items()})
                    need(-1 << STEPS - 1 + scale <= low and high <= 1 << STEPS - 1 + scale, "k is below 2^49")
                else:
                    # What is cut off is a remainder modulo 2^50: rounded down.
                    low, high = x.bounds(times(d, -1))
                    need(low >= 0 and high < 1 << STEPS, "f' = floor((u f + v g) / 2^50)")
            need(largest < 1 << 51 + top, "what is stored fits")
            said = "2^50 d' = u d + v e + k m, |k| <= 2^49" if a == "d" else "f' = floor((u f + v g) / 2^50)"
            said += f"; at most {(number_of + 1) / 2} m, of 2^51 2^{top}"
        # A stored number is below 2^52 2^top, and not negative, and its lower limbs are remainders: so its top limb is
        # what is stated.
        need(all(0 <= i.low and i.high <= 2**52 - 1 for o in r.outputs.values() for i in o[:-1]), "limbs")
        for i in r.stated:
            need(i.high == 2**52 - 1 and any(i is o[-1] for o in r.outputs.values()), "a top limb")
            r.show(i)
        return said
    return prove


def gcd_divide(name, lines):
    """All steps of a batch are one step, which is proved for any state. The record has to show that they are."""
    numbered = [line.split() for line in lines if not line.startswith("output:")]
    outputs = {line.split()[0].split(":")[1]: int(line.split()[1]) for line in lines if line.startswith("output:")}
    starts = [i for i, line in enumerate(numbered) if line[0] == "low" and line[4] == "1"]
    length = starts[1] - starts[0]
    need(len(starts) == STEPS and all(starts[i] == starts[0] + i * length for i in range(STEPS)), "fifty steps")
    operands = {"constant": 0, "low": 1, "sra": 1, "bit": 1, "negative": 1, "select": 3}

    def slots(i):
        """The operands of step i: inside of it, or before it."""
        for at in range(length):
            what, *rest = numbered[starts[i] + at]
            for slot in range(operands.get(what, 2)):
                yield at, slot, int(rest[slot])

    # What step 1 takes from before it is the state; each later step has to take the same from the one before.
    state = sorted({j - starts[0] for _, _, j in slots(1) if j < starts[1]})
    need(all(0 <= j for j in state) and len(state) == 7, "seven numbers are the state")
    first = {}
    for i in range(STEPS):
        for (at, slot, j), (_, _, k) in zip(slots(i), slots(1), strict=True):
            need(numbered[starts[i] + at][0] == numbered[starts[1] + at][0], "the same operation")
            if k >= starts[1]:
                need(j - starts[i] == k - starts[1], "the same operand")
            elif i:
                need(j - starts[i - 1] == k - starts[0], "the same of the state")
            else:
                need(first.setdefault(k - starts[0], j) == j, "the state at the start")
        for at in range(length):
            need(numbered[starts[i] + at][4] == numbered[starts[1] + at][4], "the same constants")
    # Who is who: results are the last step's, with the bias of entries.
    last = starts[-1]
    role = {}
    for n in "uvqr":
        what, a, b, *_ = numbered[outputs[n]]
        need(what == "add" and numbered[int(b)][0] == "constant" and int(numbered[int(b)][4]) == 1 << STEPS, "the bias")
        role[n] = int(a) - last
    role["zeta"] = outputs["zeta"] - last
    role["g"] = int(numbered[starts[1]][1]) - starts[0]
    role["f"], = set(state) - set(role.values())
    need(sorted(role.values()) == state, "roles")
    start = {n: numbered[first[p]] for n, p in role.items()}
    need(start["f"][0] == "input:f:0" and start["g"][0] == "input:g:0", "f and g at the start")
    need(all(start[n][0] == "constant" and start[n][4] == str(int(n in "ur")) for n in "uvqr"), "the matrix")

    # The step, of any state.
    names = list(role)
    step = []
    for n in names:
        top = {"zeta": 4000, "f": 1 << 61, "g": 1 << 61}.get(n, 1 << STEPS)
        step += [f"input:{n}:0 0 0 0 {2 * top}", f"plus {len(step)} 0 0 {(1 << 64) - top}"]
    base = len(step)
    for at in range(length):
        what, *rest = numbered[starts[1] + at]
        for slot in range(operands.get(what, 2)):
            j = int(rest[slot])
            rest[slot] = str(j - starts[1] + base if j >= starts[1] else
                             2 * names.index(next(n for n, p in role.items() if p == j - starts[0])) + 1)
        step.append(" ".join([what, *rest]))
    r = Record(name, step)
    x = r.x
    old = {n: r.n[2 * i + 1].a for i, n in enumerate(names)}
    new = {n: r.n[base + p].a for n, p in role.items()}
    at = {what: next(i for i in range(length) if step[base + i].startswith(what + " ")) for what in ("bit", "negative")}
    odd, negative = r.n[base + at["bit"]].a, r.n[base + at["negative"]].a
    need(step[base + at["negative"]].split()[1] == str(2 * names.index("zeta") + 1), "the sign of zeta")
    need(x.is_zero(add(x.definition[max(odd)[0]][1], r.n[base].a, -1)), "the lowest bit of g")
    swap = x.multiply(odd, negative)
    sign = x.multiply(odd, add(constant(1), negative, -2))
    for a, b in ("u", "q"), ("v", "r"):
        need(x.is_zero(add(new[a], times(add(old[a], x.multiply(swap, add(old[b], old[a], -1))), 2), -1)), a)
        need(x.is_zero(add(new[b], add(old[b], x.multiply(sign, old[a])), -1)), b)
    need(x.is_zero(add(new["f"], add(old["f"], x.multiply(swap, add(old["g"], old["f"], -1))), -1)), "f")
    low, high = x.bounds(add(add(old["g"], x.multiply(sign, old["f"])), new["g"], -2))
    need(low >= 0 and high <= 1, "g")
    turned = add(constant(-1), old["zeta"], -2)
    need(x.is_zero(add(new["zeta"], add(add(old["zeta"], x.multiply(swap, turned)), constant(-1)), -1)), "zeta")
    # (u, v) becomes twice itself or twice (q, r), and (q, r) has at most (u, v) added or taken away: so |u| + |v| and
    # |q| + |r| at most double.
    return "each of 50 steps is a division step, and |u| + |v|, |q| + |r| <= 2^50"


# --- The last equation of signatures

def scheme(which):
    limbs, _, n = CURVES[which]
    f = Field(n)

    def prove(name, lines):
        if name in ("scheme_add", "scheme_sub"):
            r = Record(name, lines)
            r.known += [(r.number(i, 52), 0, n - 1) for i in "RK"]
            sign = 1 if name == "scheme_add" else -1
            want = add(r.number("R", 52), r.number("K", 52), sign)
            need(r.x.is_zero(add(reductions(r, n, "s")[0], add(want, constant(n if sign < 0 else 0)), -1)), "the sum")
            return f"a {'+' if sign > 0 else '-'} b mod n, below n, of numbers below n"
        r = Record(name, lines, modulus=n)
        R = 2**(52 * limbs)
        out = {}
        for m, c in r.x.modular(r.number("s", 52), n).items():
            out[tuple(sorted(r.x.label[x] for x in m))] = c
        out = {m: c for m, c in out.items() if c % n}
        I, Rr, E, D, K = map(f.symbol, "IREDK")
        i = f.product(I, f.constant(pow(R, -1, n)))
        if which == "sm2":
            want = f.sum((f.product(i, f.sum((K, 1), (Rr, 1))), 1), (Rr, -1))
        else:
            want = f.product(i, f.sum((E, 1), (f.product(Rr, D), 1)))
        need(out == want, "s")
        plain = Record(name, lines)
        plain.known += [(plain.number(i, 52), 0, n - 1) for i in "RK"]
        reductions(plain, n, "s")
        for i in plain.stated:
            r.show(r.stated[plain.stated.index(i)])
        return f"s = {'(k + r)/(1 + d) - r' if which == 'sm2' else '(e + r d)/k'} modulo n, below n"
    return prove


# --- Windows and combs: what multiple of the base comes out

def unmasked(x, a):
    """a with masks told by what they are defined by, the last one first."""
    while True:
        masks = {s for m in a for s in m if x.label[s] == "mask"}
        if not masks:
            return a
        last, r = max(masks), {}
        for m, c in a.items():
            if last in m:
                i = m.index(last)
                r = add(r, x.multiply({m[:i] + m[i + 1:]: c}, x.definition[last][1]))
            else:
                r = add(r, {m: c})
        a = r


def odd_multiple(x, a):
    """(j, low, high): a is 2^j times an odd number whatever its atoms are, and is of low .. high."""
    j = twos(value(a))
    need(value(a) and all(twos(c) > j for m, c in a.items() if m), "an odd multiple")
    half = {m: c >> j + 1 for m, c in a.items() if c >> j + 1}
    low, high = x.bounds(half)
    return j, 2 * low + 1 << j, 2 * high + 1 << j


def scalar(which):
    order = CURVES[which][2]

    def prove(name, lines):
        r = Record(name, lines, merge=True)
        x = r.x
        if name == "table":
            need([n.a for n in r.outputs["table"]] == [constant(2 * i + 1) for i in range(16)], "odd multiples")
            return "odd multiples 1 .. 31"
        if name.startswith("pick"):
            index = r.inputs["index"][0]
            for j, n in enumerate(n for limbs in r.outputs.values() for n in limbs):
                want = times(add(times(index, 2), constant(1 + 64 * j)), 64 if name == "pick" else 1)
                need(add(unmasked(x, n.a), want, -1) == {}, f"limb {j}")
            return "the entry of a secret index, all limbs"
        k = r.number("k", 52)
        odd = add(times(x.cut(k, 1), 2), constant(1))
        need(add(unmasked(x, r.outputs["sum"][0].a), odd, -1) == {}, "the multiple")
        # The formula is wrong for infinity, and where its points are the same but for the sign (their sum is right, but
        # it is infinity). Neither is met: of the two multiples, which are not 0, one is larger in size than the other,
        # and together they are below n.
        for a, b in r.additions:
            a, b = unmasked(x, a), unmasked(x, b)
            if a == constant(value(a)) and b == constant(value(b)):
                need(0 < value(a) + value(b) < order and value(a) != value(b), "multiples in the table")
                continue
            _, a_low, a_high = odd_multiple(x, a)
            j, b_low, b_high = odd_multiple(x, b)
            a_most, b_most = max(-a_low, a_high), max(-b_low, b_high)
            need(a_low > b_most or 1 << j > a_most, "points that may be the same")
            need(a_most + b_most < order, "multiples that wrap")
        return f"k times the base for any odd k; no special case in {len(r.additions)} additions before the last"
    return prove


scalar_p256, scalar_p384, scalar_sm2 = (scalar(c) for c in ("p256", "p384", "sm2"))


# --- All of a curve

def curve(which):
    parts = {"point": points, "scheme": scheme, "fp_gcd": gcd, "fn_gcd": gcd, "gcd_divide": lambda which: gcd_divide}

    def prove(name, lines):
        part = next((f for start, f in parts.items() if name.startswith(start)), numbers)
        return part(which)(name, lines)
    return prove


p256, p384, sm2, order25519 = (curve(c) for c in CURVES)
