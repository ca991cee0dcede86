/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The calls of octuple/ec.h that take numbers from outside, with arguments made of fuzz: curves that are none, lane
 * counts, null pointers, private keys around 0 and n, peers that are no points, signatures good and bad with edits,
 * digests of any length, outputs that are the inputs. Results are libcrypto's, or signatures that libcrypto accepts; an
 * error leaves everything untouched.
 */
#include "input.h"

#include "ecdsa_samples.h"
#include "sm2_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX  OCT_EC_MAX_BYTES
#define FILL 0xa7

enum call_kind { DERIVE, PUBLIC, SIGN, VERIFY, CALLS };

struct one {
    uint8_t key[2 * MAX], peer[2 * MAX], digest[OCT_EC_MAX_DIGEST + 2], signature[2 * MAX], out[2 * MAX];
    size_t len;
    unsigned null; /* which pointer is */
    int in_place;
};

struct call {
    enum call_kind kind;
    int curve; /* what the call is told */
    const struct ec_ref *ref;
    unsigned lanes, missing; /* missing: 1 no lanes, 2 no result */
    struct one one[OCT_LANES + 2], was[OCT_LANES + 2];
};

static struct ec_ref ref[OCT_EC_CURVES];
#define SAMPLES (ECDSA_KINDS > SM2_KINDS ? ECDSA_KINDS : SM2_KINDS)
static struct ecdsa_sample sample[OCT_EC_CURVES][SAMPLES];

static unsigned samples_of(int curve)
{
    return curve == OCT_EC_SM2 ? SM2_KINDS : ECDSA_KINDS;
}

static void choose_number(struct fuzz_input *in, const struct ec_ref *r, uint8_t *to)
{
    const unsigned kind = fuzz_below(in, 6);
    BIGNUM *x = BN_dup(r->n);
    FUZZ_CHECK(x && BN_sub_word(x, 2) && BN_add_word(x, fuzz_below(in, 6)));
    if (kind == 0)
        FUZZ_CHECK(BN_set_word(x, fuzz_below(in, 300)));
    ec_ref_put(r, to, x);
    if (kind == 1)
        memset(to, 0xff, r->bytes);
    if (kind > 2)
        fuzz_bytes(in, to, r->bytes);
    BN_free(x);
}

/* Peer, digest and signature that belong together, or not; with a byte changed, or a number at an edge. */
static void choose_sample(struct fuzz_input *in, struct call *c, struct one *o)
{
    const size_t bytes = c->ref->bytes;
    const struct ecdsa_sample *s = &sample[c->ref->curve][fuzz_below(in, samples_of(c->ref->curve))];
    const unsigned edit = fuzz_below(in, 12);
    o->len = s->len;
    memcpy(o->peer, s->key, 2 * bytes);
    memcpy(o->digest, s->digest, sizeof s->digest);
    memcpy(o->signature, s->signature, 2 * bytes);
    if (edit == 0)
        o->peer[fuzz_below(in, (unsigned)(2 * bytes))] ^= (uint8_t)fuzz_byte(in);
    if (edit == 1)
        o->signature[fuzz_below(in, (unsigned)(2 * bytes))] ^= (uint8_t)fuzz_byte(in);
    if (edit == 2)
        o->digest[fuzz_below(in, OCT_EC_MAX_DIGEST)] ^= (uint8_t)fuzz_byte(in);
    if (edit == 3)
        o->len = fuzz_below(in, OCT_EC_MAX_DIGEST) + 1;
    if (edit == 4)
        choose_number(in, c->ref, o->signature + (fuzz_byte(in) & 1) * bytes);
    if (edit == 5)
        fuzz_bytes(in, o->peer, 2 * bytes);
}

static void choose_one(struct fuzz_input *in, struct call *c, struct one *o)
{
    const unsigned odd = fuzz_byte(in);
    memset(o, FILL, sizeof *o);
    choose_number(in, c->ref, o->key);
    choose_sample(in, c, o);
    o->null = odd < 5 ? odd : 0;
    o->in_place = odd % 16 == 6;
    if (odd == 7)
        o->len = 0;
    if (odd == 8)
        o->len = OCT_EC_MAX_DIGEST + 1 + fuzz_byte(in) % 2;
}

static void choose(struct fuzz_input *in, struct call *c)
{
    const unsigned how = fuzz_byte(in);
    c->kind = (enum call_kind)(how % CALLS);
    c->ref = &ref[(how >> 2) % OCT_EC_CURVES];
    c->curve = how >= 0xfc ? (int)fuzz_byte(in) - 3 : c->ref->curve;
    c->missing = how >> 3 == 5 ? 1 + fuzz_byte(in) % 2 : 0;
    c->lanes = fuzz_below(in, OCT_LANES + 2);
    for (unsigned i = 0; i < OCT_LANES + 2; i++)
        choose_one(in, c, &c->one[i]);
    if (c->curve >= 0 && c->curve < OCT_EC_CURVES)
        c->curve = c->ref->curve;
    memcpy(c->was, c->one, sizeof c->was);
}

/* The pointer number `which` of a lane: NULL if that is the one. */
#define OR_NULL(o, which, pointer) ((o)->null == (which) ? NULL : (pointer))

static uint8_t *out_of(struct one *o)
{
    return o->in_place ? o->key : o->out;
}

static int run(struct call *c, struct oct_lanes *result)
{
    struct oct_ec_derive_lane derive[OCT_LANES + 2];
    struct oct_ec_public_lane public[OCT_LANES + 2];
    struct oct_ecdsa_sign_lane sign[OCT_LANES + 2];
    struct oct_ecdsa_verify_lane verify[OCT_LANES + 2];
    for (unsigned i = 0; i < OCT_LANES + 2; i++) {
        struct one *o = &c->one[i];
        const uint8_t *key = OR_NULL(o, 1, o->key), *peer = OR_NULL(o, 2, o->peer), *digest = OR_NULL(o, 3, o->digest);
        uint8_t *out = OR_NULL(o, 4, out_of(o));
        derive[i] = (struct oct_ec_derive_lane){key, peer, out};
        public[i] = (struct oct_ec_public_lane){key, out};
        sign[i] = (struct oct_ecdsa_sign_lane){key, digest, o->len, out};
        verify[i] = (struct oct_ecdsa_verify_lane){peer, digest, o->len, OR_NULL(o, 4, o->signature)};
    }
    result = c->missing == 2 ? NULL : result;
    if (c->kind == DERIVE)
        return oct_ec_derive_x8(c->curve, c->missing == 1 ? NULL : derive, c->lanes, result);
    if (c->kind == PUBLIC)
        return oct_ec_public_x8(c->curve, c->missing == 1 ? NULL : public, c->lanes, result);
    if (c->kind == SIGN)
        return oct_ecdsa_sign_x8(c->curve, c->missing == 1 ? NULL : sign, c->lanes, result);
    return oct_ecdsa_verify_x8(c->curve, c->missing == 1 ? NULL : verify, c->lanes, result);
}

static int has_length(const struct call *c, size_t len)
{
    return c->curve == OCT_EC_SM2 ? len == c->ref->bytes : len >= 1 && len <= OCT_EC_MAX_DIGEST;
}

/* What the header says that the call returns, for the first lane that is refused. */
static int wanted(const struct call *c)
{
    static const unsigned pointers[CALLS] = {1 << 1 | 1 << 2 | 1 << 4, 1 << 1 | 1 << 4, 1 << 1 | 1 << 3 | 1 << 4,
                                             1 << 2 | 1 << 3 | 1 << 4};
    if (c->missing || c->curve != c->ref->curve || c->lanes < 1 || c->lanes > OCT_LANES)
        return OCT_ERR_ARGUMENT;
    for (unsigned i = 0; i < c->lanes; i++) {
        if (pointers[c->kind] >> c->one[i].null & 1)
            return OCT_ERR_ARGUMENT;
        if (c->kind >= SIGN && !has_length(c, c->one[i].len))
            return OCT_ERR_LENGTH;
    }
    return OCT_OK;
}

/* libcrypto takes no bad keys: they are found by a product with 1. */
static int verifies(const struct ec_ref *r, const struct one *o)
{
    uint8_t one[MAX] = {0}, x[MAX];
    one[r->bytes - 1] = 1;
    return ec_ref_derive(r, x, one, o->peer) && ec_ref_verify(r, o->signature, o->peer, o->digest, o->len);
}

/* 1 if a lane has to be ok; and its output is what it has to be. */
static int is_right(const struct call *c, struct one *o, const struct one *was)
{
    static const uint8_t zero[2 * MAX];
    const struct ec_ref *r = c->ref;
    uint8_t want[2 * MAX], public_key[2 * MAX];
    int ok;
    if (c->kind == VERIFY)
        return verifies(r, was);
    if (c->kind == DERIVE) {
        ok = ec_ref_derive(r, want, was->key, was->peer);
        FUZZ_CHECK(memcmp(out_of(o), want, r->bytes) == 0);
    } else if (c->kind == PUBLIC) {
        ok = ec_ref_public(r, want, was->key);
        FUZZ_CHECK(memcmp(out_of(o), want, 2 * r->bytes) == 0);
    } else {
        ok = ec_ref_public(r, public_key, was->key) && ec_ref_signs(r, was->key);
        FUZZ_CHECK(ok ? ec_ref_verify(r, out_of(o), public_key, was->digest, was->len)
                      : memcmp(out_of(o), zero, 2 * r->bytes) == 0);
    }
    /* And nothing behind it. */
    const size_t len = c->kind == DERIVE ? r->bytes : 2 * r->bytes;
    memcpy(out_of(o), o->in_place ? was->key : was->out, len);
    return ok;
}

/* Without the table that OCTUPLE_TABLE asks for there is nothing to do. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!oct_op_is_on(OCT_OP_P256_VERIFY)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_P256_VERIFY));
        exit(77);
    }
    for (int curve = 0; curve < OCT_EC_CURVES; curve++) {
        ec_ref_open(&ref[curve], curve);
        for (unsigned kind = 0; kind < samples_of(curve); kind++) {
            struct ecdsa_sample *s = &sample[curve][kind];
            if (curve == OCT_EC_SM2)
                sm2_sample_make(&ref[curve], s, (enum sm2_kind)kind);
            else
                ecdsa_sample_make(&ref[curve], s, (enum ecdsa_kind)kind, 32 + (size_t)kind % 3 * 16);
        }
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct call c;
    struct fuzz_input in = {data, size};
    struct oct_lanes result = {.ok = 0x5a, .invalid = 0xa5};
    choose(&in, &c);
    const int want = wanted(&c);
    FUZZ_CHECK(run(&c, &result) == want);
    if (want != OCT_OK)
        FUZZ_CHECK(result.ok == 0x5a && result.invalid == 0xa5);
    else
        FUZZ_CHECK((result.ok ^ result.invalid) == (1 << c.lanes) - 1 && (result.ok & result.invalid) == 0);
    for (unsigned i = 0; want == OCT_OK && i < c.lanes; i++)
        FUZZ_CHECK(is_right(&c, &c.one[i], &c.was[i]) == (result.ok >> i & 1));
    FUZZ_CHECK(memcmp(c.one, c.was, sizeof c.one) == 0);
    return 0;
}
