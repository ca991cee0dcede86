/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The last windows of scalar multiplication, as shipped, where only one addition is complete: all scalars near 0 and n,
 * and near all multiples of the top window's weight, of the comb and of ECDH, times the generator, against libcrypto's
 * additions.
 */
#include "api/ec_internal.h"
#include "ec_ref.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define MAX OCT_EC_MAX_BYTES

struct run {
    struct tables_range on;
    struct ec_ref ref;
    uint8_t generator[2 * MAX];
    unsigned lanes; /* waiting */
    uint8_t scalar[OCT_LANES][MAX], want[OCT_LANES][2 * MAX], good[OCT_LANES];
    unsigned long count;
};

static void flush(struct run *r)
{
    struct oct_ec_derive_lane derive[OCT_LANES];
    struct oct_ec_public_lane public[OCT_LANES];
    uint8_t secret[OCT_LANES][MAX], out[OCT_LANES][2 * MAX];
    struct oct_lanes result[2];
    if (r->lanes == 0)
        return;
    for (unsigned i = 0; i < r->lanes; i++) {
        derive[i] = (struct oct_ec_derive_lane){r->scalar[i], r->generator, secret[i]};
        public[i] = (struct oct_ec_public_lane){r->scalar[i], out[i]};
    }
    for (unsigned t = 0; t < r->on.count; t++) {
        memset(secret, 0xaa, sizeof secret);
        memset(out, 0xaa, sizeof out);
        assert_int_equal(oct_ec_derive_on(r->on.table[t], r->ref.curve, derive, r->lanes, &result[0]), OCT_OK);
        assert_int_equal(oct_ec_public_on(r->on.table[t], r->ref.curve, public, r->lanes, &result[1]), OCT_OK);
        for (unsigned i = 0; i < r->lanes; i++) {
            assert_int_equal(result[0].ok >> i & 1, r->good[i]);
            assert_int_equal(result[1].ok >> i & 1, r->good[i]);
            assert_memory_equal(secret[i], r->want[i], r->ref.bytes);
            assert_memory_equal(out[i], r->want[i], 2 * r->ref.bytes);
        }
    }
    r->count += r->lanes;
    r->lanes = 0;
}

/* k, of 0 .. 2^bits - 1, and the point k*G. */
static void add(struct run *r, const BIGNUM *k, const EC_POINT *point)
{
    BIGNUM *x = BN_new(), *y = BN_new();
    uint8_t *want = r->want[r->lanes];
    ec_ref_put(&r->ref, r->scalar[r->lanes], k);
    r->good[r->lanes] = (uint8_t)(!BN_is_zero(k) && BN_cmp(k, r->ref.n) < 0);
    memset(want, 0, 2 * MAX);
    if (r->good[r->lanes]) {
        assert_int_equal(EC_POINT_get_affine_coordinates(r->ref.group, point, x, y, r->ref.ctx), 1);
        ec_ref_put(&r->ref, want, x);
        ec_ref_put(&r->ref, want + r->ref.bytes, y);
    }
    BN_free(x);
    BN_free(y);
    if (++r->lanes == OCT_LANES)
        flush(r);
}

/* center - radius .. center + radius, as far as it can be written, and the negatives n - k. */
static void around(struct run *r, const BIGNUM *center, unsigned radius)
{
    BIGNUM *k = BN_dup(center), *m = BN_new();
    EC_POINT *point = EC_POINT_new(r->ref.group), *minus = EC_POINT_new(r->ref.group);
    assert_true(k && m && point && minus && BN_sub_word(k, radius));
    assert_int_equal(EC_POINT_mul(r->ref.group, point, k, NULL, NULL, r->ref.ctx), 1);
    for (unsigned i = 0; i <= 2 * radius; i++) {
        if (!BN_is_negative(k) && (unsigned)BN_num_bits(k) <= 8 * r->ref.bytes)
            add(r, k, point);
        assert_int_equal(BN_sub(m, r->ref.n, k), 1);
        assert_int_equal(EC_POINT_copy(minus, point), 1);
        assert_int_equal(EC_POINT_invert(r->ref.group, minus, r->ref.ctx), 1);
        if (!BN_is_negative(m))
            add(r, m, minus);
        assert_int_equal(BN_add_word(k, 1), 1);
        assert_int_equal(EC_POINT_add(r->ref.group, point, point, EC_GROUP_get0_generator(r->ref.group), r->ref.ctx),
                         1);
    }
    BN_free(k);
    BN_free(m);
    EC_POINT_free(point);
    EC_POINT_free(minus);
}

static void run_curve(struct tables_range on, int curve)
{
    static const unsigned window[] = {5, 6};
    static struct run r;
    const int slow = *on.table == &oct_ops_c;
    BIGNUM *center = BN_new(), *one = BN_new();
    memset(&r, 0, sizeof r);
    r.on = on;
    ec_ref_open(&r.ref, curve);
    BN_one(one);
    ec_ref_put(&r.ref, r.scalar[0], one);
    assert_true(ec_ref_public(&r.ref, r.generator, r.scalar[0]));
    BN_zero(center);
    around(&r, center, slow ? 80 : 4200);
    for (int w = 0; w < 2; w++) {
        const unsigned bits = 8 * (unsigned)r.ref.bytes, top = (bits - 1) / window[w] * window[w];
        for (unsigned j = 1; j <= 1u << (bits - top); j++) {
            assert_true(BN_set_word(center, j) && BN_lshift(center, center, (int)top));
            around(&r, center, slow ? 1 : 66);
        }
    }
    flush(&r);
    print_message("%u tables from %s on, P-%zu: %lu scalars\n", on.count, on.table[0]->name, 8 * r.ref.bytes, r.count);
    ec_ref_close(&r.ref);
    BN_free(center);
    BN_free(one);
}

static void test_window(void **state)
{
    const struct oct_ops *table[OCT_OPS_TABLES];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    for (int curve = 0; curve < OCT_EC_CURVES; curve++) {
        run_curve(tables_portable(table), curve);
        if (tables > 1)
            run_curve(tables_of_vectors(table, tables), curve);
    }
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_window);
}
