/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The ECDSA vectors are for verification, and test_api_ecdsa_verify.c verifies them. But what they are made of serves
 * more than that. Their messages, among them those whose hashes have rows of zeros or exceed n, are signed with the
 * private keys of the ECDH vectors, which sit at the edges; libcrypto verifies, and refuses each signature for another
 * message. Their public keys, edge cases too, are peers of a key exchange, held against libcrypto.
 *
 * usage: kat_api_ecdsa ECDSA_VECTORS ECDH_VECTORS      (OCTUPLE_TABLE says on which table)
 */
#include "ec_peer.h"

#include "ec_ref.h"

#include <octuple/octuple.h>

#include <openssl/evp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX OCT_EC_MAX_BYTES

static struct ec_ref ref;

/* What a batch works on, in lane i. */
static const struct rec_case *message_case[OCT_LANES];
static uint8_t key[OCT_LANES][MAX], public_key[OCT_LANES][2 * MAX], peer[OCT_LANES][2 * MAX];
static uint8_t digest[OCT_LANES][OCT_EC_MAX_DIGEST];
static unsigned digest_len[OCT_LANES];

static void read_case(unsigned i, const struct rec_case *message, const struct rec_case *key_case)
{
    const EVP_MD *md = rec_says(message, "sha", "sha-256") ? EVP_sha256() : EVP_sha384();
    struct rec_bytes msg = rec_field(message, "msg"), scalar = rec_field(key_case, "scalar");
    struct rec_bytes point = rec_field(message, "point");
    const uint8_t *coordinates;
    REC_REQUIRE(rec_says(message, "sha", "sha-256") || rec_says(message, "sha", "sha-384"));
    REC_REQUIRE(EVP_Digest(msg.data, msg.len, digest[i], &digest_len[i], md, NULL) == 1);
    REC_REQUIRE(ec_peer_point(&coordinates, ref.curve, point) == EC_PEER_STRICT);
    memcpy(peer[i], coordinates, 2 * ref.bytes);
    ec_peer_number(key[i], ref.curve, scalar);
    message_case[i] = message;
    free(msg.data);
    free(scalar.data);
    free(point.data);
}

static void check_signatures(const struct rec_file *file, unsigned lanes)
{
    uint8_t signature[OCT_LANES][2 * MAX];
    struct oct_ecdsa_sign_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (unsigned i = 0; i < lanes; i++)
        lane[i] = (struct oct_ecdsa_sign_lane){key[i], digest[i], digest_len[i], signature[i]};
    REC_REQUIRE(oct_ecdsa_sign_x8(ref.curve, lane, lanes, &result) == OCT_OK);
    for (unsigned i = 0; i < lanes; i++) {
        const struct rec_case *c = message_case[i];
        rec_check(file, c, (result.ok >> i & 1) && !(result.invalid >> i & 1), "signed");
        rec_check(file, c, ec_ref_verify(&ref, signature[i], public_key[i], digest[i], digest_len[i]), "verified");
        digest[i][digest_len[i] / 2] ^= 0x20;
        rec_check(file, c, !ec_ref_verify(&ref, signature[i], public_key[i], digest[i], digest_len[i]),
                  "not another's");
    }
}

static void check_public_keys(const struct rec_file *file, unsigned lanes)
{
    uint8_t want[2 * MAX];
    struct oct_ec_public_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (unsigned i = 0; i < lanes; i++)
        lane[i] = (struct oct_ec_public_lane){key[i], public_key[i]};
    REC_REQUIRE(oct_ec_public_x8(ref.curve, lane, lanes, &result) == OCT_OK && result.ok == (1u << lanes) - 1);
    for (unsigned i = 0; i < lanes; i++) {
        REC_REQUIRE(ec_ref_public(&ref, want, key[i]));
        rec_check(file, message_case[i], memcmp(public_key[i], want, 2 * ref.bytes) == 0, "public key");
    }
}

static void check_peers(const struct rec_file *file, unsigned lanes)
{
    uint8_t secret[OCT_LANES][MAX], want[MAX];
    struct oct_ec_derive_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (unsigned i = 0; i < lanes; i++)
        lane[i] = (struct oct_ec_derive_lane){key[i], peer[i], secret[i]};
    REC_REQUIRE(oct_ec_derive_x8(ref.curve, lane, lanes, &result) == OCT_OK && result.ok == (1u << lanes) - 1);
    for (unsigned i = 0; i < lanes; i++) {
        REC_REQUIRE(ec_ref_derive(&ref, want, key[i], peer[i]));
        rec_check(file, message_case[i], memcmp(secret[i], want, ref.bytes) == 0, "the vector's key as a peer");
    }
}

int main(int argc, char **argv)
{
    struct rec_file file, keys;
    struct oct_cpu_info info;
    REC_REQUIRE(argc == 3);
    oct_cpu_info_get(&info);
    rec_load(&file, argv[1]);
    rec_load(&keys, argv[2]);
    REC_REQUIRE(strcmp(file.kind, "ecdsa-verify") == 0 && strcmp(keys.kind, "ecdh-point") == 0);
    ec_ref_open(&ref, ec_peer_curve(&keys.cases[0]));
    if (!oct_op_is_on(oct_ecdsa_sign_op(ref.curve))) {
        printf("SKIP: %s\n", oct_op_reason(oct_ecdsa_sign_op(ref.curve)));
        return 77;
    }
    const size_t count = file.count > keys.count ? file.count : keys.count;
    for (size_t at = 0; at < count; at += OCT_LANES) {
        const unsigned lanes = count - at < OCT_LANES ? (unsigned)(count - at) : OCT_LANES;
        for (unsigned i = 0; i < lanes; i++)
            read_case(i, &file.cases[(at + i) % file.count], &keys.cases[(at + i) % keys.count]);
        check_public_keys(&file, lanes);
        check_signatures(&file, lanes);
        check_peers(&file, lanes);
    }
    printf("table %s: %zu messages and peers, %zu private keys\n", info.table, file.count, keys.count);
    ec_ref_close(&ref);
    rec_unload(&file);
    rec_unload(&keys);
    return rec_end();
}
