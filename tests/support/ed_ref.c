/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See ed_ref.h. */
#include "ed_ref.h"

#include <stdio.h>
#include <stdlib.h>

BIGNUM *ed_ref_order;
static BIGNUM *p25519, *d;
static BN_CTX *ctx;

#define NEED(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void divide(BIGNUM *r, const BIGNUM *a, const BIGNUM *b)
{
    BIGNUM *inverse = BN_mod_inverse(NULL, b, p25519, ctx);
    NEED(inverse && BN_mod_mul(r, a, inverse, p25519, ctx));
    BN_free(inverse);
}

void ed_ref_open(void)
{
    BIGNUM *a = BN_new(), *b = BN_new();
    ctx = BN_CTX_new();
    d = BN_new();
    NEED(ctx && d && a && b);
    NEED(BN_hex2bn(&p25519, "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed"));
    NEED(BN_hex2bn(&ed_ref_order, "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed"));
    NEED(BN_set_word(a, 121665) && BN_set_word(b, 121666) && BN_sub(a, p25519, a));
    divide(d, a, b);
    BN_free(a);
    BN_free(b);
}

void ed_ref_close(void)
{
    BN_free(p25519);
    BN_free(ed_ref_order);
    BN_free(d);
    BN_CTX_free(ctx);
}

void ed_ref_new(struct ed_ref *p)
{
    p->x = BN_new();
    p->y = BN_new();
    NEED(p->x && p->y && BN_set_word(p->x, 0) && BN_one(p->y));
}

void ed_ref_free(struct ed_ref *p)
{
    BN_free(p->x);
    BN_free(p->y);
}

/* x = (x1 y2 + x2 y1)/(1 + e), y = (y1 y2 + x1 x2)/(1 - e), e = d x1 x2 y1 y2. */
void ed_ref_add(struct ed_ref *r, const struct ed_ref *a, const struct ed_ref *b)
{
    BIGNUM *n[6];
    for (int i = 0; i < 6; i++)
        NEED((n[i] = BN_new()) != NULL);
    NEED(BN_mod_mul(n[0], a->x, b->y, p25519, ctx) && BN_mod_mul(n[1], b->x, a->y, p25519, ctx));
    NEED(BN_mod_mul(n[2], a->y, b->y, p25519, ctx) && BN_mod_mul(n[3], a->x, b->x, p25519, ctx));
    NEED(BN_mod_mul(n[4], n[0], n[1], p25519, ctx) && BN_mod_mul(n[4], n[4], d, p25519, ctx));
    NEED(BN_mod_add(n[0], n[0], n[1], p25519, ctx) && BN_mod_add(n[2], n[2], n[3], p25519, ctx));
    NEED(BN_mod_sub(n[5], BN_value_one(), n[4], p25519, ctx) && BN_mod_add(n[4], BN_value_one(), n[4], p25519, ctx));
    divide(r->x, n[0], n[4]);
    divide(r->y, n[2], n[5]);
    for (int i = 0; i < 6; i++)
        BN_free(n[i]);
}

void ed_ref_multiply(struct ed_ref *r, const BIGNUM *k, const struct ed_ref *a)
{
    struct ed_ref sum;
    ed_ref_new(&sum);
    for (int bit = BN_num_bits(k) - 1; bit >= 0; bit--) {
        ed_ref_add(&sum, &sum, &sum);
        if (BN_is_bit_set(k, bit))
            ed_ref_add(&sum, &sum, a);
    }
    NEED(BN_copy(r->x, sum.x) && BN_copy(r->y, sum.y));
    ed_ref_free(&sum);
}

int ed_ref_from_y(struct ed_ref *p, const BIGNUM *y)
{
    BIGNUM *u = BN_new(), *v = BN_new();
    NEED(u && v && BN_mod_sqr(u, y, p25519, ctx) && BN_mod_mul(v, u, d, p25519, ctx));
    NEED(BN_mod_sub(u, u, BN_value_one(), p25519, ctx) && BN_mod_add(v, v, BN_value_one(), p25519, ctx));
    divide(u, u, v);
    const int found = BN_mod_sqrt(p->x, u, p25519, ctx) != NULL;
    if (found && BN_is_odd(p->x))
        NEED(BN_sub(p->x, p25519, p->x));
    NEED(BN_copy(p->y, y));
    BN_free(u);
    BN_free(v);
    return found;
}

/* y = 4/5 */
void ed_ref_base(struct ed_ref *p)
{
    BIGNUM *y = BN_new(), *five = BN_new();
    NEED(y && five && BN_set_word(y, 4) && BN_set_word(five, 5));
    divide(y, y, five);
    NEED(ed_ref_from_y(p, y));
    BN_free(y);
    BN_free(five);
}

/* The order's multiples of points are those of order 1, 2, 4 and 8. */
void ed_ref_torsion(struct ed_ref *p)
{
    BIGNUM *y = BN_new(), *four = BN_new();
    struct ed_ref q;
    ed_ref_new(&q);
    NEED(y && four && BN_set_word(y, 2) && BN_set_word(four, 4));
    do {
        NEED(BN_add_word(y, 1));
        if (!ed_ref_from_y(p, y))
            continue;
        ed_ref_multiply(p, ed_ref_order, p);
        ed_ref_multiply(&q, four, p);
    } while (BN_is_zero(q.x) && BN_is_one(q.y));
    ed_ref_free(&q);
    BN_free(y);
    BN_free(four);
}

void ed_ref_encode(uint8_t out[32], const struct ed_ref *p)
{
    NEED(BN_bn2lebinpad(p->y, out, 32) == 32);
    out[31] = (uint8_t)(out[31] | (BN_is_odd(p->x) ? 0x80 : 0));
}

void ed_ref_reduce(BIGNUM *k, const uint8_t digest[64])
{
    NEED(BN_lebin2bn(digest, 64, k) && BN_mod(k, k, ed_ref_order, ctx));
}
