/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See points.h. */
#include "points.h"

#include "ops/ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/rand.h>

void points_set_number(oct_limb8 *to, unsigned lane, const uint64_t *limb, unsigned limbs)
{
    for (unsigned j = 0; j < limbs; j++)
        to[j][lane] = limb[j];
}

void points_set(struct group_points *to, unsigned lane, const struct small *s, unsigned index, unsigned form)
{
    const struct small_point *p = &s->point[index][form];
    points_set_number(to->x, lane, p->x, s->limbs);
    points_set_number(to->y, lane, p->y, s->limbs);
    points_set_number(to->z, lane, p->z, s->limbs);
}

static void expect_number(const oct_limb8 *got, unsigned lane, const uint64_t *limb, unsigned limbs)
{
    for (unsigned j = 0; j < limbs; j++)
        if (got[j][lane] != limb[j])
            fail_msg("limb %u in lane %u: %#lx, not %#lx", j, lane, got[j][lane], limb[j]);
}

void points_expect(const struct group_result *r, unsigned lane, const struct small *s, unsigned index)
{
    static const uint64_t zero[GROUP_MAX_LIMBS];
    assert_int_equal(r->finite >> lane & 1, index != 0);
    expect_number(r->x, lane, index ? s->point[index][0].x : zero, s->limbs);
    expect_number(r->y, lane, index ? s->point[index][0].y : zero, s->limbs);
}

void points_scalar(const struct group_ops *o, const struct small *s, uint64_t limb[GROUP_MAX_LIMBS], unsigned k,
                   int is_random)
{
    const unsigned n = s->order, top = o->bits - 52 * (o->limbs - 1);
    unsigned rest = 0;
    memset(limb, 0, GROUP_MAX_LIMBS * sizeof limb[0]);
    if (is_random) {
        assert_int_equal(RAND_bytes((uint8_t *)limb, (int)(o->limbs * sizeof limb[0])), 1);
        for (unsigned j = 0; j < o->limbs; j++)
            limb[j] &= ((uint64_t)1 << (j + 1 < o->limbs ? 52 : top)) - 1;
        limb[0] = (limb[0] & ~(uint64_t)0xffff) | 0x4000;
    }
    for (unsigned j = o->limbs; j-- > 0;)
        rest = (unsigned)((((unsigned __int128)rest << 52) + limb[j]) % n);
    /* There is room for it: the low bits were cleared. */
    limb[0] += (k + n - rest) % n;
    if (limb[0] % 2 == 0)
        limb[0] += n;
}

const struct group_ops *const *points_backend(int argc, char **argv, int *status)
{
    static const struct group_ops *const c[] = {&group_p256_c, &group_p384_c};
    *status = 2;
    if (argc == 2 && strcmp(argv[1], "c") == 0)
        return c;
#if defined(OCT_HAVE_AVX512_TABLE)
    static const struct {
        const char *name;
        const struct group_ops *ops[2];
    } backend[] = {
        {"avx512", {&group_p256_avx512, &group_p384_avx512}},
        {"avx512f", {&group_p256_avx512f, &group_p384_avx512f}},
        {"ifma256", {&group_p256_ifma256, &group_p384_ifma256}},
        {"avx2", {&group_p256_avx2, &group_p384_avx2}},
    };
    const struct oct_ops *table[OCT_OPS_TABLES];
    const unsigned tables = oct_ops_runnable(table);
    for (size_t i = 0; argc == 2 && i < OCT_ARRAY_LEN(backend); i++) {
        if (strcmp(argv[1], backend[i].name) != 0)
            continue;
        for (unsigned t = 0; t < tables; t++)
            if (strcmp(table[t]->name, argv[1]) == 0)
                return backend[i].ops;
        print_message("SKIP: this CPU does not run the table %s\n", argv[1]);
        *status = 77;
    }
#endif
    return NULL;
}
