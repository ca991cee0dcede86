# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Products by double-precision FMA (src/vec/ymm_fma.h), proved for all factors.

A fused multiply-add gives round(a*b + c): the exact sum, rounded once (IEEE 754). The product of two integers below
2^52 is an integer P below 2^104; whatever P is, the statements below hold. So no multiplication is left to the solver,
and nothing is sampled. The solver knows what rounding an integer to a double means (SMT-LIB's to_fp).
"""
import z3

DOUBLE, BITS = z3.Float64(), 108
LOW = 0x4330000000000000  # 2^52


def high_bias(bits):
    return 0x4670000000000000 if bits == 52 else 0x4660000000000000  # 2^(52 + bits)


def encoding(x):
    return z3.fpToIEEEBV(x)


def of_bits(x):
    return z3.fpBVToFP(x, DOUBLE)


def rounded(mode, integer, signed=False):
    """The double that an exact integer is rounded to."""
    return z3.fpSignedToFP(mode, integer, DOUBLE) if signed else z3.fpUnsignedToFP(mode, integer, DOUBLE)


def statements():
    """(what, claim, what is given), for each that has to be valid."""
    mode, other = z3.Consts("mode other", z3.RNE().sort())
    x, h, l = z3.BitVecs("x h l", 64)
    limb = lambda a: z3.ULT(a, 1 << 52)
    yield ("an integer below 2^52, or-ed to 2^52's bits, less 2^52, is that integer, in any rounding mode",
           z3.fpEQ(z3.fpSub(mode, of_bits(x | LOW), of_bits(z3.BitVecVal(LOW, 64))), rounded(other, x)), [limb(x)])
    for bits in 52, 51:
        P = z3.BitVec("P", BITS)
        top = z3.BitVecVal(1 << 52 + bits, BITS)
        yield (f"a*b + 2^{52 + bits}, rounded toward zero, has the bits of 2^{52 + bits} plus a*b >> {bits}",
               encoding(rounded(z3.RTZ(), P + top)) == high_bias(bits) + z3.Extract(63, 0, z3.LShR(P, bits)),
               [z3.ULT(P, top)])
        value = z3.BitVecVal(1 << 52, BITS) - (z3.ZeroExt(BITS - 64, h) << bits)
        constant = rounded(z3.RTZ(), top + (1 << 52))
        yield (f"2^{52 + bits} + 2^52 is a double", z3.fpToUBV(z3.RTZ(), constant, z3.BitVecSort(BITS))
               == top + (1 << 52), [])
        yield (f"2^{52 + bits} + 2^52 less the high half is exact, in any rounding mode",
               z3.fpEQ(z3.fpSub(mode, constant, of_bits(high_bias(bits) + h)), rounded(other, value, True)), [limb(h)])
        # a*b = 2^bits h + l: a*b + value is 2^52 + l.
        product = (z3.ZeroExt(BITS - 64, h) << bits) + z3.ZeroExt(BITS - 64, l)
        yield (f"a*b and that, rounded in any mode, has the bits of 2^52 plus a*b mod 2^{bits}",
               encoding(rounded(mode, product + value)) == LOW + l, [limb(h), z3.ULT(l, 1 << bits)])
