/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Products by floating-point arithmetic in a program that has its own ideas of it: another direction of rounding, zeros
 * for small numbers, exceptions that trap, flags that were raised before. Every operation on every table has to give
 * its known answer, without a signal, and the mode and its flags have to be what they were.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "depth.h"
#include "ops/mldsa.h"
#include "ops/mlkem.h"
#include "ops/ops.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

#define FLAGS    0x3fu
#define MASKED   0x1f80u
#define ZEROS    0x8040u /* for results and for operands */
#define DOWN     0x2000u
#define UP       0x4000u
#define TO_ZERO  0x6000u
#define TRAP_ALL 0u

static const unsigned modes[] = {
    MASKED,         MASKED | DOWN,  MASKED | UP, MASKED | TO_ZERO,
    MASKED | ZEROS, MASKED | FLAGS, TRAP_ALL,    TRAP_ALL | UP | ZEROS,
};

static const int has_kernels[OCT_OP_COUNT] = {
#define OCT_OPERATION(enumerator, name, family, size, kernel, answer) [OCT_OP_##enumerator] = 1,
#include "ops/ops.def"
#undef OCT_OPERATION
};

static void test_modes(void **state)
{
    const struct oct_ops *table[OCT_OPS_TABLES];
    const unsigned tables = oct_ops_runnable(table), before = _mm_getcsr();
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int op = 0; op < OCT_OP_COUNT; op++)
            for (size_t m = 0; has_kernels[op] && m < OCT_ARRAY_LEN(modes); m++) {
                /* The portable table and slow operations once: they are here for the mode. In brief the former, which
                 * has no arithmetic of this kind, not at all. */
                if (table[t] == &oct_ops_c ? m > 0 || depth_is_quick() : op <= OCT_OP_RSA4096_PUBLIC && m % 3 != 0)
                    continue;
                _mm_setcsr(modes[m]);
                const int good = oct_ops_known_answer(table[t], op) == 0;
                const unsigned after = _mm_getcsr();
                _mm_setcsr(before);
                if (!good || after != modes[m])
                    print_message("table %s, operation %d, mode %#x, %#x afterwards\n", table[t]->name, op, modes[m],
                                  after);
                assert_true(good);
                assert_int_equal(after, modes[m]);
            }
}

static void test_lattices(void **state)
{
    const struct oct_mlkem_ops *kem[OCT_LATTICE_BACKENDS];
    const struct oct_mldsa_ops *dsa[OCT_LATTICE_BACKENDS];
    const unsigned kems = oct_mlkem_runnable(kem), dsas = oct_mldsa_runnable(dsa), before = _mm_getcsr();
    int good = 1;
    (void)state;
    _mm_setcsr(TRAP_ALL | UP | ZEROS);
    for (unsigned t = 0; t < kems; t++)
        good &= oct_mlkem_known_answer(kem[t], OCT_MLKEM_768) == 0;
    for (unsigned t = 0; t < dsas; t++)
        good &= oct_mldsa_known_answer(dsa[t], OCT_MLDSA_65) == 0;
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    assert_true(good);
    assert_int_equal(after, TRAP_ALL | UP | ZEROS);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_modes, test_lattices);
}
#else
int main(void)
{
    return 77;
}
#endif
