/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The Edwards curve of RFC 8032 in affine coordinates, by libcrypto's integers: slow, plain, and with all points, those
 * of small order too, which libcrypto itself does not offer. */
#ifndef OCT_TESTS_ED_REF_H
#define OCT_TESTS_ED_REF_H

#include <openssl/bn.h>
#include <stdint.h>

struct ed_ref {
    BIGNUM *x, *y;
};

/* The order of the base point. */
extern BIGNUM *ed_ref_order;

void ed_ref_open(void);
void ed_ref_close(void);

void ed_ref_new(struct ed_ref *p); /* the identity */
void ed_ref_free(struct ed_ref *p);

/* r may be a or b. */
void ed_ref_add(struct ed_ref *r, const struct ed_ref *a, const struct ed_ref *b);
void ed_ref_multiply(struct ed_ref *r, const BIGNUM *k, const struct ed_ref *a);
/* The point with this y and an even x: 1, or 0 if there is none. */
int ed_ref_from_y(struct ed_ref *p, const BIGNUM *y);
void ed_ref_base(struct ed_ref *p);
/* A point of order 8. */
void ed_ref_torsion(struct ed_ref *p);
void ed_ref_encode(uint8_t out[32], const struct ed_ref *p);

/* k = digest mod the order, where the digest is 64 bytes, little-endian. */
void ed_ref_reduce(BIGNUM *k, const uint8_t digest[64]);

#endif
