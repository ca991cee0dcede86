/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All AEAD vectors through the C API: whole records where the nonce has 12 bytes, and in pieces for every nonce. A
 * vector that is not valid has a wrong tag, which opening has to say, or no nonce at all, which is refused.
 *
 * usage: kat_api_aead VECTORS      (OCTUPLE_TABLE and OCTUPLE_WIDTH say on which tier)
 */
#include "records.h"

#include <octuple/octuple.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vector {
    struct rec_bytes key, iv, aad, msg, ct, tag;
};

static int aead_of(const struct rec_file *file, size_t key_len)
{
    if (strcmp(file->kind, "chacha20-poly1305") == 0)
        return OCT_AEAD_CHACHA20_POLY1305;
    REC_REQUIRE(strcmp(file->kind, "aes-gcm") == 0);
    for (int aead = 0; aead <= OCT_AEAD_AES_256_GCM; aead++)
        if (oct_aead_key_len(aead) == key_len)
            return aead;
    return -1;
}

static int all_zero(const uint8_t *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i])
            return 0;
    return 1;
}

static void whole(const struct rec_file *file, const struct rec_case *c, const struct oct_aead_key *key,
                  const struct vector *v, uint8_t *out)
{
    uint8_t tag[16];
    const int valid = rec_is(c, "valid");
    REC_REQUIRE(oct_aead_seal(key, v->iv.data, v->aad.data, v->aad.len, v->msg.data, v->msg.len, out, tag) == OCT_OK);
    rec_check(file, c, !valid || memcmp(out, v->ct.data, v->ct.len) == 0, "ciphertext");
    rec_check(file, c, (memcmp(tag, v->tag.data, 16) == 0) == valid, "tag");
    const int status = oct_aead_open(key, v->iv.data, v->aad.data, v->aad.len, v->ct.data, v->ct.len, out, v->tag.data);
    rec_check(file, c, status == (valid ? OCT_OK : OCT_ERR_AUTH), "opening");
    rec_check(file, c, valid ? memcmp(out, v->msg.data, v->msg.len) == 0 : all_zero(out, v->ct.len), "what it leaves");
}

static void pieces(const struct rec_file *file, const struct rec_case *c, const struct oct_aead_key *key,
                   const struct vector *v, uint8_t *out, size_t piece)
{
    struct oct_aead_stream stream;
    const int valid = rec_is(c, "valid");
    REC_REQUIRE(oct_aead_stream_init(&stream, key, v->iv.data, v->iv.len, 0) == OCT_OK);
    for (size_t at = 0; at < v->aad.len; at += piece)
        REC_REQUIRE(oct_aead_stream_aad(&stream, v->aad.data + at, v->aad.len - at < piece ? v->aad.len - at : piece) ==
                    OCT_OK);
    for (size_t at = 0; at < v->ct.len; at += piece)
        REC_REQUIRE(oct_aead_stream_update(&stream, v->ct.data + at, v->ct.len - at < piece ? v->ct.len - at : piece,
                                           out + at) == OCT_OK);
    const int status = oct_aead_stream_finish_open(&stream, v->tag.data, v->tag.len);
    rec_check(file, c, status == (valid ? OCT_OK : OCT_ERR_AUTH), "opening in pieces");
    rec_check(file, c, !valid || memcmp(out, v->msg.data, v->msg.len) == 0, "text in pieces");
}

static void run(const struct rec_file *file, const struct rec_case *c)
{
    struct vector v = {rec_field(c, "secret"), rec_field(c, "iv"), rec_field(c, "aad"),
                       rec_field(c, "msg"),    rec_field(c, "ct"), rec_field(c, "tag")};
    struct oct_aead_key *key = NULL;
    uint8_t *out = malloc(v.ct.len + v.msg.len + 1);
    REC_REQUIRE(out);
    REC_REQUIRE(oct_aead_key_new(&key, aead_of(file, v.key.len), v.key.data, v.key.len) == OCT_OK);
    const int takes = v.iv.len && (v.iv.len == 12 || oct_aead_key_aead(key) != OCT_AEAD_CHACHA20_POLY1305);
    if (!takes) {
        struct oct_aead_stream stream;
        rec_check(file, c, rec_is(c, "invalid"), "is invalid");
        rec_check(file, c, oct_aead_stream_init(&stream, key, v.iv.data, v.iv.len, 1) == OCT_ERR_LENGTH, "is refused");
    } else {
        REC_REQUIRE(v.tag.len == 16);
        if (v.iv.len == 12)
            whole(file, c, key, &v, out);
        pieces(file, c, key, &v, out, 1);
        pieces(file, c, key, &v, out, 13);
        pieces(file, c, key, &v, out, 4096);
    }
    oct_aead_key_free(key);
    free(out);
    struct rec_bytes *all[] = {&v.key, &v.iv, &v.aad, &v.msg, &v.ct, &v.tag};
    for (size_t i = 0; i < 6; i++)
        free(all[i]->data);
}

int main(int argc, char **argv)
{
    struct rec_file file;
    REC_REQUIRE(argc == 2);
    rec_load(&file, argv[1]);
    const int aead = aead_of(&file, 16);
    if (!oct_aead_is_on(aead)) {
        printf("SKIP: %s\n", oct_aead_reason(aead));
        rec_unload(&file);
        return 77;
    }
    for (size_t i = 0; i < file.count; i++)
        run(&file, &file.cases[i]);
    printf("tier %s: %zu cases\n", oct_aead_tier(aead), file.count);
    rec_unload(&file);
    return rec_end();
}
