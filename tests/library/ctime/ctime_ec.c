/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: SOURCES tests/library/kat/ec_peer.c tests/library/kat/records.c BY_HAND */
/*
 * P-256, P-384 and SM2 on the c table with private keys, randomness, peers and digests marked secret: ECDH, public
 * keys, key pairs, signatures; and refused keys and peers among good ones. Verification, which has no secrets, runs
 * with everything marked: it is of constant time like its parts. Results are held against the vectors, or against the
 * same without marks.
 *
 * usage: ctime_ec VECTORS      (ECDH vectors with encoded points)
 *        ctime_ec sm2          (SM2, which has none: against the same without marks)
 */
#include "secret.h"

#include "../kat/ec_peer.h"
#include "api/ec_internal.h"

#include <string.h>
#include <sys/random.h>

#define MAX    OCT_EC_MAX_BYTES
#define DIGEST 32

struct batch {
    int curve;
    size_t bytes;
    uint8_t key[OCT_LANES][MAX], peer[OCT_LANES][2 * MAX], digest[OCT_LANES][DIGEST];
    uint8_t secret[OCT_LANES][MAX], public_key[OCT_LANES][2 * MAX], signature[OCT_LANES][2 * MAX];
    struct oct_lanes result;
};

/* The library's source of randomness, here: what it gives is secret, and not the same twice. */
ssize_t getrandom(void *data, size_t len, unsigned flags)
{
    static uint8_t next;
    (void)flags;
    memset(data, 0x5a, len);
    for (size_t i = 0; i < len; i += 5)
        ((uint8_t *)data)[i] = ++next;
    OCT_SECRET(data, len);
    return (ssize_t)len;
}

/* Cases with a point and a good answer. */
static void load(struct batch *b, struct rec_bytes shared[OCT_LANES], const char *path)
{
    struct rec_file file;
    unsigned lanes = 0;
    rec_load(&file, path);
    b->curve = ec_peer_curve(&file.cases[0]);
    b->bytes = oct_ec_bytes(b->curve);
    for (size_t i = 0; i < file.count && lanes < OCT_LANES; i += 5) {
        const struct rec_case *c = &file.cases[i];
        struct rec_bytes peer = rec_field(c, "peer"), scalar = rec_field(c, "scalar");
        const uint8_t *point;
        if (rec_is(c, "valid") && ec_peer_point(&point, b->curve, peer) == EC_PEER_STRICT) {
            memcpy(b->peer[lanes], point, 2 * b->bytes);
            ec_peer_number(b->key[lanes], b->curve, scalar);
            shared[lanes++] = rec_field(c, "shared");
        }
        free(peer.data);
        free(scalar.data);
    }
    REQUIRE(lanes == OCT_LANES);
    rec_unload(&file);
}

static void mark(struct batch *b)
{
    OCT_SECRET(b->key, sizeof b->key);
    OCT_SECRET(b->peer, sizeof b->peer);
    OCT_SECRET(b->digest, sizeof b->digest);
}

static void unmark(struct batch *b)
{
    OCT_DECLASSIFY(b, sizeof *b);
}

/* A key of zero in lane 2 and one above n in lane 5, a point that is none in lane 6. */
static void spoil(struct batch *b)
{
    memset(b->key[2], 0, sizeof b->key[2]);
    memset(b->key[5], 0xff, sizeof b->key[5]);
    b->peer[6][3] ^= 1;
}

static void derive(struct batch *b, unsigned lanes)
{
    struct oct_ec_derive_lane lane[OCT_LANES];
    for (unsigned i = 0; i < lanes; i++)
        lane[i] = (struct oct_ec_derive_lane){b->key[i], b->peer[i], b->secret[i]};
    REQUIRE(oct_ec_derive_on(&oct_ops_c, b->curve, lane, lanes, &b->result) == OCT_OK);
}

static void public_keys(struct batch *b, unsigned lanes)
{
    struct oct_ec_public_lane lane[OCT_LANES];
    for (unsigned i = 0; i < lanes; i++)
        lane[i] = (struct oct_ec_public_lane){b->key[i], b->public_key[i]};
    REQUIRE(oct_ec_public_on(&oct_ops_c, b->curve, lane, lanes, &b->result) == OCT_OK);
}

static void sign(struct batch *b, unsigned lanes, oct_ecdsa_nonce_fn *nonces)
{
    struct oct_ecdsa_sign_lane lane[OCT_LANES];
    for (unsigned i = 0; i < lanes; i++)
        lane[i] = (struct oct_ecdsa_sign_lane){b->key[i], b->digest[i], DIGEST, b->signature[i]};
    REQUIRE(oct_ecdsa_sign_on(&oct_ops_c, b->curve, lane, lanes, nonces, &b->result) == OCT_OK);
}

static void expect_lanes(const struct batch *b, unsigned lanes, unsigned bad)
{
    const unsigned all = (1u << lanes) - 1;
    REQUIRE(!is_secret(&b->result, sizeof b->result));
    REQUIRE(b->result.ok == (all & ~bad) && b->result.invalid == (all & bad));
}

/* Keys that are hashes of nothing, peers that are public keys of others, and what they share without marks. */
static void load_sm2(struct batch *b, struct rec_bytes shared[OCT_LANES])
{
    b->curve = OCT_EC_SM2;
    b->bytes = oct_ec_bytes(b->curve);
    for (unsigned i = 0; i < OCT_LANES; i++)
        for (unsigned j = 0; j < b->bytes; j++)
            b->key[i][j] = (uint8_t)(0x37 * (i + 1) * (j + 3) + j) & 0x7f;
    public_keys(b, OCT_LANES);
    for (unsigned i = 0; i < OCT_LANES; i++)
        memcpy(b->peer[i], b->public_key[(i + 3) % OCT_LANES], 2 * b->bytes);
    derive(b, OCT_LANES);
    REQUIRE(b->result.ok == 0xff);
    for (unsigned i = 0; i < OCT_LANES; i++) {
        shared[i] = (struct rec_bytes){.data = malloc(b->bytes), .len = b->bytes};
        REQUIRE(shared[i].data);
        memcpy(shared[i].data, b->secret[i], b->bytes);
    }
}

static void check_derive(const struct batch *from, const struct rec_bytes shared[OCT_LANES], unsigned lanes, int bad)
{
    static const uint8_t zero[MAX];
    struct batch b = *from;
    if (bad)
        spoil(&b);
    mark(&b);
    derive(&b, lanes);
    expect_lanes(&b, lanes, bad ? 0x64 : 0);
    REQUIRE(is_secret(b.secret[0], b.bytes));
    unmark(&b);
    for (unsigned i = 0; i < lanes; i++)
        REQUIRE(memcmp(b.secret[i], b.result.ok >> i & 1 ? shared[i].data : zero, b.bytes) == 0);
}

/* They are those that came out without marks; none for refused keys. */
static void check_public(const struct batch *from)
{
    static const uint8_t zero[2 * MAX];
    struct batch b = *from;
    memset(b.public_key, 0xee, sizeof b.public_key);
    spoil(&b);
    mark(&b);
    public_keys(&b, OCT_LANES);
    expect_lanes(&b, OCT_LANES, 0x24);
    REQUIRE(is_secret(b.public_key[0], 2 * b.bytes));
    unmark(&b);
    for (unsigned i = 0; i < OCT_LANES; i++)
        REQUIRE(memcmp(b.public_key[i], b.result.ok >> i & 1 ? from->public_key[i] : zero, 2 * b.bytes) == 0);
}

/* The pairs belong together. */
static void check_keygen(const struct batch *from, unsigned lanes)
{
    struct oct_ec_keygen_lane lane[OCT_LANES];
    struct batch b = *from, again;
    for (unsigned i = 0; i < lanes; i++)
        lane[i] = (struct oct_ec_keygen_lane){b.key[i], b.public_key[i]};
    REQUIRE(oct_ec_keygen_on(&oct_ops_c, b.curve, lane, lanes, &b.result) == OCT_OK);
    expect_lanes(&b, lanes, 0);
    REQUIRE(is_secret(b.key[0], b.bytes) && is_secret(b.public_key[0], 2 * b.bytes));
    unmark(&b);
    again = b;
    memset(again.public_key, 0, sizeof again.public_key);
    public_keys(&again, lanes);
    for (unsigned i = 0; i < lanes; i++)
        REQUIRE(memcmp(again.public_key[i], b.public_key[i], 2 * b.bytes) == 0);
}

static uint8_t kept[OCT_LANES][OCT_EC_NONCE_BYTES];

/* The library's own nonces, remembered. */
static int keep(const struct oct_ops *ops, uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES], int curve,
                const struct oct_ecdsa_sign_lane lane[], unsigned lanes)
{
    const int status = oct_ecdsa_nonces(ops, nonce, curve, lane, lanes);
    REQUIRE(is_secret(nonce, lanes * OCT_EC_NONCE_BYTES));
    memcpy(kept, nonce, lanes * sizeof kept[0]);
    return status;
}

static int repeat(const struct oct_ops *ops, uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES], int curve,
                  const struct oct_ecdsa_sign_lane lane[], unsigned lanes)
{
    (void)ops, (void)curve, (void)lane;
    OCT_DECLASSIFY(kept, sizeof kept);
    memcpy(nonce, kept, lanes * sizeof kept[0]);
    return OCT_OK;
}

/* A refused key is tried again alone, so that only the good lanes' nonces are kept where all are good. Good signatures
 * stay in `from`. */
static void check_sign(struct batch *from, int bad)
{
    struct batch b = *from;
    if (bad)
        spoil(&b);
    mark(&b);
    sign(&b, OCT_LANES, bad ? oct_ecdsa_nonces : keep);
    expect_lanes(&b, OCT_LANES, bad ? 0x24 : 0);
    REQUIRE(is_secret(b.signature[0], 2 * b.bytes));
    unmark(&b);
    if (!bad) {
        sign(from, OCT_LANES, repeat);
        REQUIRE(memcmp(b.signature, from->signature, sizeof b.signature) == 0);
    }
}

/* These keys' signatures, with all bytes marked, and three lanes bad. */
static void check_verify(const struct batch *from)
{
    struct oct_ecdsa_verify_lane lane[OCT_LANES];
    struct batch b = *from;
    memcpy(b.peer, b.public_key, sizeof b.peer);
    for (unsigned i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_ecdsa_verify_lane){b.peer[i], b.digest[i], DIGEST, b.signature[i]};
    memset(b.signature[2], 0, b.bytes);
    memset(b.signature[5] + b.bytes, 0xff, b.bytes);
    b.peer[6][3] ^= 1;
    mark(&b);
    OCT_SECRET(b.signature, sizeof b.signature);
    REQUIRE(oct_ecdsa_verify_on(&oct_ops_c, b.curve, lane, OCT_LANES, &b.result) == OCT_OK);
    expect_lanes(&b, OCT_LANES, 0x64);
}

int main(int argc, char **argv)
{
    static struct batch b;
    struct rec_bytes shared[OCT_LANES];
    REQUIRE(OCT_CHECKMEM_ON() && argc == 2);
    if (strcmp(argv[1], "sm2") == 0)
        load_sm2(&b, shared);
    else
        load(&b, shared, argv[1]);
    for (unsigned i = 0; i < OCT_LANES; i++)
        memset(b.digest[i], 0x11 * (int)i + 3, DIGEST);
    public_keys(&b, OCT_LANES);
    check_derive(&b, shared, 1, 0);
    check_derive(&b, shared, OCT_LANES, 1);
    check_public(&b);
    check_keygen(&b, 3);
    check_sign(&b, 0);
    check_sign(&b, 1);
    check_verify(&b);
    for (unsigned i = 0; i < OCT_LANES; i++)
        free(shared[i].data);
    printf("curve %d, %zu bits: clean\n", b.curve, 8 * b.bytes);
    return 0;
}
