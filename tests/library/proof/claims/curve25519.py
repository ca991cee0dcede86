# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Claims of the field of 2^255 - 19 and of its curves."""
from algebra import add, constant
from claims.common import Field, coordinates, need
from record import Record


# --- 2^255-19

P25519 = 2**255 - 19


def fe25519(name, lines):
    r = Record(name, lines)
    x = r.x
    v = {n: r.number(n, 51) for n in list(r.inputs) + list(r.outputs)}
    if name == "fe_canonical":
        return fe_canonical(r, Record(name, lines, eager=True))
    product = lambda a, b: x.multiply(v[a], v[b])
    expected = {
        "fe_mul": lambda: product("a", "b"), "fe_mul_wide": lambda: product("a", "b"),
        "fe_mul_biased": lambda: product("a", "b"), "fe_sqr": lambda: product("a", "a"),
        "fe_sqr_wide": lambda: product("a", "a"), "fe_sqr_biased": lambda: product("a", "a"),
        "fe_add": lambda: add(v["a"], v["b"]), "fe_carried_sum": lambda: add(v["a"], v["b"]),
        "fe_sub": lambda: add(v["a"], v["b"], -1), "fe_carry": lambda: v["a"], "fe_narrow": lambda: v["a"],
        "fe_biased": lambda: v["a"], "fe_mul_small_add": lambda: add(v["a"], v["b"], 121665),
        "fe_carried_difference": lambda: add(product("a", "b"), product("c", "d"), -1),
        "fe_select": lambda: add(v["b"], x.multiply(x.mask(r.inputs["m"][0]), add(v["a"], v["b"], -1))),
    }[name]()
    need(x.is_zero(add(v["r"], expected, -1), P25519), "is not congruent")
    high = max(n.high for n in r.outputs["r"])
    if not name.endswith(("wide", "biased", "add", "select")) and name != "fe_narrow":
        need(high < 2**51 + 2**16, f"limbs up to {high:#x}")
    return f"congruent modulo p, limbs below 2^{high.bit_length()}"


def fe_canonical(r, e):
    """a is reduced once, then q2 = floor((b + 19) / 2^255), and 19*q2 is added and what leaves 2^255 dropped: q3."""
    x = r.x
    d = add(r.number("r", 51), r.number("a", 51), -1)
    q1, q2, q3 = (r.shifts[i].a for i in (4, 9, 14))
    need(x.is_zero(add(add(add(d, q1, P25519), q2, -19), q3, 2**255)), "r = a - p*q1 + 19*q2 - 2^255*q3")
    # The same numbers with limbs of b as atoms.
    q1, q2, q3 = (e.shifts[i] for i in (4, 9, 14))
    n2, k2 = e.x.flat(q2.a)
    n3, k3 = e.x.flat(q3.a)
    b = add(n2, constant(-19))
    need(k2 == 255 and k3 == 255 and add(n3, add(b, q2.a, 19), -1) == {}, "q2 and q3 cut the same number")
    low, high = e.x.interval(b)
    need(low >= 0 and high + 19 < 2**256 and high < 2 * P25519, "b is below 2p")
    # q2 = 0: b < 2^255 - 19, so q3 = floor(b / 2^255) = 0. q2 = 1: q3 = floor((b + 19) / 2^255) = q2. So r = b - p*q2,
    # and it is of 0 .. p-1 both times. Limbs are remainders: the number that is stored is r.
    need(all(0 <= n.low and n.high < 2**51 for n in r.outputs["r"]), "limbs")
    return "a mod p, of 0 .. p-1"


def points25519(name, lines):
    f = Field(P25519)
    S, P, X = f.sum, f.product, f.symbol
    if name.startswith("power"):
        r = Record(name, lines, modulus=P25519, powers=True)
        for i in r.outputs:
            ((m, c),) = r.x.power(r.x.modular(r.number(i, 51), P25519)).items()
            ((base, n),) = r.x.powers[m[0]]
            need(r.x.label[base] == ("B" if i == "s" else "A"), "of the input")
            need(n == (P25519 - 2 if name == "power_invert" else (P25519 - 5) // 8), f"the power {n:#x}")
        return "the power " + ("p - 2" if name == "power_invert" else "(p - 5)/8")
    r = Record(name, lines, modulus=P25519)
    if name == "ladder_step":
        out = coordinates(r, ("x2", "z2", "x3", "z3"), 51, f)
        # (x2 : z2) is doubled, or the other point where `change`; x(2P) = (x^2 - 1)^2 / (4x (x^2 + A x + 1)).
        A = 486662
        for change in 0, 1:
            o = {i: f.substitute(a, {"m": f.constant(change)}) for i, a in out.items()}
            x, z = (X("X3"), X("Z3")) if change else (X("X2"), X("Z2"))
            d = S((P(x, x), 1), (P(z, z), -1))
            need(o["x2"] == P(d, d), "x of the double")
            four = S((P(x, z, S((P(x, x), 1), (P(x, z), A), (P(z, z), 1))), 4))
            need(o["z2"] == four, "z of the double")
            # x(P+Q) : z(P+Q) = 4 (x2 x3 - z2 z3)^2 : 4 u (x2 z3 - z2 x3)^2, for u = x(P-Q)
            s = S((P(X("X2"), X("X3")), 1), (P(X("Z2"), X("Z3")), -1))
            t = S((P(X("X2"), X("Z3")), 1), (P(X("Z2"), X("X3")), -1))
            need(o["x3"] == S((P(s, s), 4)) and o["z3"] == S((P(X("U"), t, t), 4)), "the differential addition")
        # What these formulas say of points: x(P+Q) x(P-Q) (x2 - x3)^2 = (x2 x3 - 1)^2 modulo the curve's equation.
        x2, x3, y2, y3 = map(X, ("x2", "x3", "y2", "y3"))
        e = lambda x: S((f.power(x, 3), 1), (P(x, x), A), (x, 1))
        d = S((x2, 1), (x3, -1))
        dd = P(d, d)
        side = lambda sign: S((e(x2), 1), (e(x3), 1), (P(y2, y3), 2 * sign),
                              (P(S((x2, 1), (x3, 1), (f.constant(A), 1)), dd), -1))
        left = {}
        for m, c in P(side(1), side(-1)).items():  # y2^2 y3^2 = e(x2) e(x3)
            left = S((left, 1), (P(e(x2), e(x3)), c) if m == ("y2", "y2", "y3", "y3") else ({m: c}, 1))
        s = S((P(x2, x3), 1), (f.constant(1), -1))
        need(left == P(s, s, dd), "the curve's law")
        return "x(2P), and x(P+Q) from x(P-Q)"
    out = coordinates(r, "xyzt", 51, f)
    d = -121665 * pow(121666, -1, P25519) % P25519
    x1, y1, z1, x2, y2, z2 = map(X, ("x1", "y1", "Z1", "x2", "y2", "Z2"))
    values = {"X1": P(x1, z1), "Y1": P(y1, z1), "T1": P(x1, y1, z1)}
    if name == "ed_double":
        x2, y2 = x1, y1
    elif name == "ed_add_affine":
        values |= {"S2": S((y2, 1), (x2, 1)), "D2": S((y2, 1), (x2, -1)), "C2": S((P(x2, y2), 2 * d))}
    else:
        values |= {"X2": P(x2, z2), "Y2": P(y2, z2), "T2": P(x2, y2, z2)}
    o = {i: f.substitute(a, values) for i, a in out.items()}
    # x3 = (x1 y2 + y1 x2) / (1 + k), y3 = (y1 y2 + x1 x2) / (1 - k), k = d x1 x2 y1 y2; complete, as d is no square.
    k = S((P(x1, x2, y1, y2), d))
    one = f.constant(1)
    numerator = S((P(x1, y2), 1), (P(y1, x2), 1)), S((P(y1, y2), 1), (P(x1, x2), 1))

    def modulo(a):
        """Doubling uses the equation: x1^2 y1^2 d = y1^2 - x1^2 - 1."""
        if name != "ed_double":
            return a
        while True:
            high = [m for m in a if m.count("x1") >= 2 and m.count("y1") >= 2]
            if not high:
                return a
            m = max(high, key=len)
            rest = list(m)
            for i in ("x1", "x1", "y1", "y1"):
                rest.remove(i)
            c = a[m] * pow(d, -1, P25519)
            by = S((P(y1, y1), c), (P(x1, x1), -c), (one, -c))
            a = S((a, 1), ({m: a[m]}, -1), (P({tuple(rest): 1}, by), 1))
    for i, n, sign in ("x", numerator[0], 1), ("y", numerator[1], -1):
        need(modulo(S((P(o[i], S((one, 1), (k, sign))), 1), (P(n, o["z"]), -1))) == {}, f"{i} of the sum")
    need(modulo(S((P(o["x"], o["y"]), 1), (P(o["z"], o["t"]), -1))) == {}, "T = X Y / Z")
    return "the Edwards curve's law, T = X Y / Z"
