/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All ECDSA vectors through the batch call: keys, messages and signatures as they are, eight at a time, good beside
 * bad. The API takes r and s as numbers; the DER around them is for whoever calls it. A signature that is the one DER
 * encoding of two numbers that fit is the API's to judge, and has to come out as the vector says. One that is not
 * (numbers below 0, of more bytes, or a broken encoding) has to be one that the vector calls invalid: nothing good is
 * left out.
 *
 * usage: kat_api_ecdsa_verify ECDSA_VECTORS      (OCTUPLE_TABLE says on which table)
 */
#include "ec_peer.h"

#include <octuple/octuple.h>

#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX OCT_EC_MAX_BYTES

static int curve;
static size_t bytes;

/* The lanes that wait. */
static struct oct_ecdsa_verify_lane lane[OCT_LANES];
static const struct rec_case *lane_case[OCT_LANES];
static uint8_t key[OCT_LANES][2 * MAX], signature[OCT_LANES][2 * MAX], digest[OCT_LANES][OCT_EC_MAX_DIGEST];
static unsigned lanes;

static int put(uint8_t *to, const BIGNUM *x)
{
    return !BN_is_negative(x) && BN_bn2binpad(x, to, (int)bytes) == (int)bytes;
}

/* r and s, if that is what the signature encodes. */
static int split(uint8_t *to, struct rec_bytes sig)
{
    const uint8_t *at = sig.data;
    uint8_t *again = NULL;
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &at, (long)sig.len);
    const int len = pair ? i2d_ECDSA_SIG(pair, &again) : -1;
    const int fits = len == (int)sig.len && memcmp(again, sig.data, sig.len) == 0 && put(to, ECDSA_SIG_get0_r(pair)) &&
                     put(to + bytes, ECDSA_SIG_get0_s(pair));
    OPENSSL_free(again);
    ECDSA_SIG_free(pair);
    return fits;
}

static void read_key(uint8_t *to, const struct rec_case *c)
{
    struct rec_bytes point = rec_field(c, "point");
    const uint8_t *coordinates;
    REC_REQUIRE(ec_peer_point(&coordinates, curve, point) == EC_PEER_STRICT);
    memcpy(to, coordinates, 2 * bytes);
    free(point.data);
}

static unsigned read_digest(uint8_t *to, const struct rec_case *c)
{
    struct rec_bytes msg = rec_field(c, "msg");
    unsigned len = 0;
    REC_REQUIRE(rec_says(c, "sha", "sha-256") || rec_says(c, "sha", "sha-384"));
    const EVP_MD *md = rec_says(c, "sha", "sha-256") ? EVP_sha256() : EVP_sha384();
    REC_REQUIRE(EVP_Digest(msg.data, msg.len, to, &len, md, NULL) == 1);
    free(msg.data);
    return len;
}

/* Into the next lane; 0 if it is nothing for the API. */
static int read_case(const struct rec_case *c)
{
    struct rec_bytes sig = rec_field(c, "sig");
    const int fits = split(signature[lanes], sig);
    free(sig.data);
    if (!fits)
        return 0;
    read_key(key[lanes], c);
    const unsigned len = read_digest(digest[lanes], c);
    lane[lanes] = (struct oct_ecdsa_verify_lane){key[lanes], digest[lanes], len, signature[lanes]};
    lane_case[lanes++] = c;
    return 1;
}

static void run(const struct rec_file *file)
{
    struct oct_lanes result;
    if (lanes == 0)
        return;
    REC_REQUIRE(oct_ecdsa_verify_x8(curve, lane, lanes, &result) == OCT_OK);
    REC_REQUIRE((result.ok ^ result.invalid) == (1 << lanes) - 1);
    for (unsigned i = 0; i < lanes; i++) {
        const struct rec_case *c = lane_case[i];
        REC_REQUIRE(rec_is(c, "valid") || rec_is(c, "invalid"));
        rec_check(file, c, (result.ok >> i & 1) == rec_is(c, "valid"), "as the vector says");
    }
    lanes = 0;
}

int main(int argc, char **argv)
{
    struct rec_file file;
    struct oct_cpu_info info;
    unsigned good = 0, bad = 0, encoding = 0;
    REC_REQUIRE(argc == 2);
    oct_cpu_info_get(&info);
    rec_load(&file, argv[1]);
    REC_REQUIRE(strcmp(file.kind, "ecdsa-verify") == 0);
    struct rec_bytes point = rec_field(&file.cases[0], "point");
    curve = point.len == 1 + 2 * oct_ec_bytes(OCT_EC_P256) ? OCT_EC_P256 : OCT_EC_P384;
    bytes = oct_ec_bytes(curve);
    free(point.data);
    if (!oct_op_is_on(oct_ecdsa_verify_op(curve))) {
        printf("SKIP: %s\n", oct_op_reason(oct_ecdsa_verify_op(curve)));
        return 77;
    }
    for (size_t i = 0; i < file.count; i++) {
        const struct rec_case *c = &file.cases[i];
        if (!read_case(c)) {
            encoding++;
            rec_check(&file, c, rec_is(c, "invalid"), "only what is invalid has no two numbers");
        } else if (rec_is(c, "valid"))
            good++;
        else
            bad++;
        if (lanes == OCT_LANES)
            run(&file);
    }
    run(&file);
    printf("table %s: %u valid, %u invalid, %u that are no two numbers\n", info.table, good, bad, encoding);
    REC_REQUIRE(good > 0 && bad > 0);
    rec_unload(&file);
    return rec_end();
}
