/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All Ed25519 vectors through the C API, eight cases at a time; each case runs in three different lanes, among
 * different neighbours. The API takes signatures of 64 bytes: the cases of another length, all of them invalid, are the
 * caller's to refuse, and are run here as neighbours only, cut or filled up. And RFC 8032's own signatures (7.1) are
 * made anew from their seeds.
 *
 * usage: kat_api_ed25519 VECTORS      (OCTUPLE_TABLE says on which table)
 */
#include "records.h"

#include <octuple/octuple.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS    3
#define SIGNATURE OCT_ED25519_SIGNATURE_BYTES

static unsigned valid, other_length;

struct sample {
    struct rec_bytes key, message, signature;
    uint8_t bytes[SIGNATURE];
};

static void read_sample(struct sample *s, const struct rec_case *c)
{
    s->key = rec_field(c, "pk");
    s->message = rec_field(c, "msg");
    s->signature = rec_field(c, "sig");
    REC_REQUIRE(s->key.len == OCT_ED25519_PUBLIC_BYTES);
    memset(s->bytes, 0, sizeof s->bytes);
    memcpy(s->bytes, s->signature.data, s->signature.len < SIGNATURE ? s->signature.len : SIGNATURE);
}

static void judge(const struct rec_file *file, const struct rec_case *c, const struct sample *s, unsigned bit,
                  const struct oct_lanes *result)
{
    const int good = rec_is(c, "valid"), same_length = s->signature.len == SIGNATURE;
    REC_REQUIRE(good || rec_is(c, "invalid"));
    other_length += !same_length;
    valid += (unsigned)good;
    if (!same_length) {
        rec_check(file, c, !good, "length");
        return;
    }
    rec_check(file, c, ((result->ok & bit) != 0) == good, "ok");
    rec_check(file, c, ((result->invalid & bit) != 0) == !good, "invalid");
}

static void run_batch(const struct rec_file *file, size_t at, unsigned lanes)
{
    struct oct_ed25519_verify_lane lane[OCT_LANES];
    struct oct_lanes result;
    struct sample s[OCT_LANES];
    for (unsigned i = 0; i < lanes; i++) {
        read_sample(&s[i], &file->cases[(at + i) % file->count]);
        lane[i] = (struct oct_ed25519_verify_lane){s[i].key.data, s[i].message.data, s[i].message.len, s[i].bytes};
    }
    REC_REQUIRE(oct_ed25519_verify_x8(lane, lanes, &result) == OCT_OK);
    for (unsigned i = 0; i < lanes; i++) {
        judge(file, &file->cases[(at + i) % file->count], &s[i], 1u << i, &result);
        free(s[i].key.data);
        free(s[i].message.data);
        free(s[i].signature.data);
    }
}

static void from_hex(uint8_t *bytes, size_t len, const char *hex)
{
    for (size_t i = 0; i < len; i++) {
        unsigned byte;
        REC_REQUIRE(sscanf(hex + 2 * i, "%2x", &byte) == 1);
        bytes[i] = (uint8_t)byte;
    }
}

/* Tests 1, 2, 3 of RFC 8032, 7.1, side by side. */
static unsigned sign_rfc(void)
{
    static const struct {
        const char *seed, *public_key, *message, *signature;
    } test[3] = {
        {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
         "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
         "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bb"
         "e"
         "24655141438e7a100b"},
        {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
         "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
         "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302"
         "a"
         "eeb00d291612bb0c00"},
        {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
         "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
         "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed"
         "2"
         "8dc027beceea1ec40a"},
    };
    struct oct_ed25519_key *key[3];
    struct oct_ed25519_sign_lane lane[3];
    uint8_t message[3][2], out[3][SIGNATURE], want[SIGNATURE], seed[32];
    struct oct_lanes result;
    for (int i = 0; i < 3; i++) {
        from_hex(seed, sizeof seed, test[i].seed);
        REC_REQUIRE(oct_ed25519_key_new(&key[i], seed) == OCT_OK);
        from_hex(want, 32, test[i].public_key);
        REC_REQUIRE(memcmp(oct_ed25519_key_public(key[i]), want, 32) == 0);
        from_hex(message[i], strlen(test[i].message) / 2, test[i].message);
        lane[i] = (struct oct_ed25519_sign_lane){key[i], message[i], strlen(test[i].message) / 2, out[i]};
    }
    REC_REQUIRE(oct_ed25519_sign_x8(lane, 3, &result) == OCT_OK && result.ok == 7);
    for (int i = 0; i < 3; i++) {
        from_hex(want, SIGNATURE, test[i].signature);
        REC_REQUIRE(memcmp(out[i], want, SIGNATURE) == 0);
        oct_ed25519_key_free(key[i]);
    }
    return 3;
}

int main(int argc, char **argv)
{
    struct rec_file file;
    struct oct_cpu_info info;
    REC_REQUIRE(argc == 2);
    oct_cpu_info_get(&info);
    if (!oct_op_is_on(OCT_OP_ED25519_VERIFY) || !oct_op_is_on(OCT_OP_ED25519_SIGN)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_ED25519_VERIFY));
        return 77;
    }
    rec_load(&file, argv[1]);
    REC_REQUIRE(strcmp(file.kind, "ed25519-verify") == 0);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t at = 0; at < file.count; at += OCT_LANES)
            run_batch(&file, at + 37 * round, file.count - at < OCT_LANES ? (unsigned)(file.count - at) : OCT_LANES);
    printf("table %s: %zu cases in %d rounds, %u valid, %u of another length; %u signatures of the RFC\n", info.table,
           file.count, ROUNDS, valid, other_length, sign_rfc());
    REC_REQUIRE(valid > 0);
    rec_unload(&file);
    return rec_end();
}
