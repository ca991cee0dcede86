/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See small.h. */
#include "small.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/obj_mac.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* With discriminant -12 over the field of P-256: b, and the number of points. */
static const char cm_b[] = "175aae3bc1f08f3b3827d2d632ccfb522e8582fd50fd4d395ad23540b4f72a1d";
static const char cm_points[] = "ffffffff00000000fffffffffffffffed29464417082bec9387cfa95db8d13b4";

static void field_prime(struct small *s, int curve)
{
    EC_GROUP *real = EC_GROUP_new_by_curve_name(curve == 0 ? NID_X9_62_prime256v1 : NID_secp384r1);
    s->p = BN_new();
    s->ctx = BN_CTX_new();
    REQUIRE(real && s->p && s->ctx && EC_GROUP_get_curve(real, s->p, NULL, NULL, s->ctx));
    EC_GROUP_free(real);
}

/* The curve; `points` gets how many it has. */
static void make_curve(struct small *s, int curve, BIGNUM *points)
{
    BIGNUM *a = BN_dup(s->p), *b = BN_new();
    REQUIRE(a && b && BN_sub_word(a, 3));
    BN_zero(b);
    REQUIRE(BN_copy(points, s->p) && BN_add_word(points, 1));
    if (s->order % 2 == 1 && curve == 0)
        REQUIRE(BN_hex2bn(&b, cm_b) && BN_hex2bn(&points, cm_points));
    s->group = EC_GROUP_new_curve_GFp(s->p, a, b, s->ctx);
    REQUIRE(s->group);
    BN_free(a);
    BN_free(b);
}

/* 1 if order * point is infinity. */
static int is_killed(const struct small *s, const EC_POINT *point, unsigned long order)
{
    EC_POINT *r = EC_POINT_new(s->group);
    BIGNUM *k = BN_new();
    REQUIRE(r && k && BN_set_word(k, order) && EC_POINT_mul(s->group, r, NULL, point, k, s->ctx));
    const int killed = EC_POINT_is_at_infinity(s->group, r);
    BN_free(k);
    EC_POINT_free(r);
    return killed;
}

/* A point of exactly the order wanted: points/2^v or points/97 times one, for whatever power of the prime is in
 * `points`. */
static void find_generator(const struct small *s, EC_POINT *g, const BIGNUM *points)
{
    const unsigned prime = s->order % 2 == 0 ? 2 : s->order;
    BIGNUM *cofactor = BN_dup(points), *x = BN_new();
    REQUIRE(cofactor && x);
    REQUIRE(BN_mod_word(cofactor, s->order) == 0);
    while (BN_mod_word(cofactor, prime) == 0)
        (void)BN_div_word(cofactor, prime);
    for (int i = 0;; i++) {
        REQUIRE(i < 1000 && BN_rand_range(x, s->p));
        if (EC_POINT_set_compressed_coordinates(s->group, g, x, i & 1, s->ctx) != 1)
            continue;
        REQUIRE(EC_POINT_mul(s->group, g, NULL, g, cofactor, s->ctx));
        if (is_killed(s, g, s->order / prime))
            continue;
        /* Its order is prime^k: up to the one wanted. */
        for (int j = 0; j < 400 && !is_killed(s, g, s->order); j++)
            REQUIRE(BN_set_word(x, prime) && EC_POINT_mul(s->group, g, NULL, g, x, s->ctx));
        REQUIRE(is_killed(s, g, s->order) && !is_killed(s, g, s->order / prime));
        break;
    }
    BN_free(cofactor);
    BN_free(x);
}

static void put(const struct small *s, uint64_t limb[GROUP_MAX_LIMBS], const BIGNUM *x)
{
    uint8_t bytes[56]; /* little-endian, and room to read seven bytes more */
    memset(limb, 0, GROUP_MAX_LIMBS * sizeof limb[0]);
    memset(bytes, 0, sizeof bytes);
    REQUIRE(BN_bn2lebinpad(x, bytes, 48) == 48);
    for (unsigned bit = 0; bit < 384; bit++)
        if (bit / 52 < s->limbs)
            limb[bit / 52] |= (uint64_t)(bytes[bit / 8] >> bit % 8 & 1) << bit % 52;
}

/* (x z^2, y z^3, z). */
static void put_form(const struct small *s, struct small_point *to, const BIGNUM *x, const BIGNUM *y, const BIGNUM *z)
{
    BIGNUM *t = BN_new(), *u = BN_new();
    REQUIRE(t && u && BN_mod_sqr(t, z, s->p, s->ctx) && BN_mod_mul(u, x, t, s->p, s->ctx));
    put(s, to->x, u);
    REQUIRE(BN_mod_mul(t, t, z, s->p, s->ctx) && BN_mod_mul(u, y, t, s->p, s->ctx));
    put(s, to->y, u);
    put(s, to->z, z);
    BN_free(t);
    BN_free(u);
}

static void put_point(struct small *s, unsigned index, const EC_POINT *point)
{
    BIGNUM *x = BN_new(), *y = BN_new(), *z = BN_new();
    REQUIRE(x && y && z);
    for (int form = 0; form < SMALL_FORMS; form++) {
        struct small_point *to = &s->point[index][form];
        REQUIRE(BN_rand_range(z, s->p));
        if (form == 0 && index != 0)
            REQUIRE(BN_one(z));
        REQUIRE(BN_one(x) && BN_one(y));
        if (index != 0)
            REQUIRE(EC_POINT_get_affine_coordinates(s->group, point, x, y, s->ctx));
        put_form(s, to, x, y, z);
        if (index == 0)
            memset(to->z, 0, sizeof to->z);
    }
    BN_free(x);
    BN_free(y);
    BN_free(z);
}

void small_open(struct small *s, int curve, unsigned order)
{
    BIGNUM *points = BN_new();
    REQUIRE(points && order <= SMALL_MAX_ORDER);
    s->order = order;
    s->limbs = curve == 0 ? 5 : 8;
    field_prime(s, curve);
    make_curve(s, curve, points);
    EC_POINT *g = EC_POINT_new(s->group), *sum = EC_POINT_new(s->group);
    REQUIRE(g && sum && EC_POINT_set_to_infinity(s->group, sum));
    find_generator(s, g, points);
    for (unsigned i = 0; i < order; i++) {
        REQUIRE(EC_POINT_is_at_infinity(s->group, sum) == (i == 0));
        put_point(s, i, sum);
        REQUIRE(EC_POINT_add(s->group, sum, sum, g, s->ctx));
    }
    REQUIRE(EC_POINT_is_at_infinity(s->group, sum));
    EC_POINT_free(g);
    EC_POINT_free(sum);
    BN_free(points);
}

void small_close(struct small *s)
{
    EC_GROUP_free(s->group);
    BN_CTX_free(s->ctx);
    BN_free(s->p);
}
