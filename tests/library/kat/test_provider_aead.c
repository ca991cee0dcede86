/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All AEAD vectors through EVP, to seal and to open, all at once and byte by byte. What is invalid must not open: a
 * tag that does not fit, or a nonce of a length that the AEAD does not have, which is refused.
 *
 * usage: kat_provider_aead MODULES VECTORS      (OCTUPLE_TABLE and OCTUPLE_WIDTH say on which tier)
 */
#include "records.h"

#include <octuple/octuple.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAG    16
#define MAX_IV 128 /* longer ones no provider takes; the C API does, and is tested with them */

static const struct rec_file *file;
static const struct rec_case *now;
static struct rec_bytes secret, iv, aad, msg, ct, tag;

static void check(int good, const char *what)
{
    rec_check(file, now, good, what);
}

static int aead_of(size_t key_len)
{
    for (int aead = 0; aead < OCT_AEAD_CHACHA20_POLY1305 && strcmp(file->kind, "aes-gcm") == 0; aead++)
        if (oct_aead_key_len(aead) == key_len)
            return aead;
    return OCT_AEAD_CHACHA20_POLY1305;
}

static void feed(EVP_CIPHER_CTX *ctx, uint8_t *out, const struct rec_bytes *in, size_t piece)
{
    int n = -1;
    for (size_t at = 0, step; at < in->len; at += step) {
        step = in->len - at < piece ? in->len - at : piece;
        REC_REQUIRE(EVP_CipherUpdate(ctx, out ? out + at : NULL, &n, in->data + at, (int)step) == 1);
        REC_REQUIRE((size_t)n == step);
    }
}

static void run(EVP_CIPHER *cipher, int sealing, size_t piece)
{
    const struct rec_bytes *in = sealing ? &msg : &ct, *wanted = sealing ? &ct : &msg;
    const int valid = rec_is(now, "valid");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t *out = malloc(in->len + 1), made[TAG];
    int n;
    REC_REQUIRE(EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, sealing) == 1);
    REC_REQUIRE(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)iv.len, NULL) == 1);
    REC_REQUIRE(EVP_CipherInit_ex(ctx, NULL, NULL, secret.data, iv.data, sealing) == 1);
    REC_REQUIRE(sealing || EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, tag.data) == 1);
    feed(ctx, NULL, &aad, piece);
    feed(ctx, out, in, piece);
    check(EVP_CipherFinal_ex(ctx, out + in->len, &n) == (sealing || valid), "final");
    check(!valid || memcmp(out, wanted->data, in->len) == 0, "text");
    if (sealing) {
        check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, made) == 1, "tag is there");
        check((memcmp(made, tag.data, TAG) == 0) == valid, "tag");
    }
    EVP_CIPHER_CTX_free(ctx);
    free(out);
}

static void refused(EVP_CIPHER *cipher)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    check(rec_is(now, "invalid") || iv.len > MAX_IV, "is invalid");
    REC_REQUIRE(EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, 1) == 1);
    check(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)iv.len, NULL) <= 0, "is refused");
    EVP_CIPHER_CTX_free(ctx);
}

static EVP_CIPHER *fetch(OSSL_LIB_CTX *ctx, int aead)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(ctx, oct_aead_name(aead), "provider=octuple");
    if (cipher)
        return cipher;
    printf("SKIP: %s is off: %s\n", oct_aead_name(aead), oct_aead_reason(aead));
    exit(oct_aead_is_on(aead) ? 1 : 77);
}

static void run_case(OSSL_LIB_CTX *ctx)
{
    secret = rec_field(now, "secret");
    iv = rec_field(now, "iv");
    aad = rec_field(now, "aad");
    msg = rec_field(now, "msg");
    ct = rec_field(now, "ct");
    tag = rec_field(now, "tag");
    const int aead = aead_of(secret.len);
    EVP_CIPHER *cipher = fetch(ctx, aead);
    if (iv.len == 0 || iv.len > MAX_IV || (aead == OCT_AEAD_CHACHA20_POLY1305 && iv.len != 12)) {
        refused(cipher);
    } else {
        REC_REQUIRE(tag.len == TAG && msg.len == ct.len);
        for (int way = 0; way < 4; way++)
            run(cipher, way & 1, way & 2 ? 1 : 4096);
    }
    EVP_CIPHER_free(cipher);
    free(secret.data), free(iv.data), free(aad.data), free(msg.data), free(ct.data), free(tag.data);
}

int main(int argc, char **argv)
{
    OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();
    struct rec_file records;
    REC_REQUIRE(argc == 3);
    REC_REQUIRE(OSSL_PROVIDER_set_default_search_path(ctx, argv[1]));
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(ctx, "octuple");
    REC_REQUIRE(provider);
    rec_load(&records, argv[2]);
    file = &records;
    for (size_t i = 0; i < records.count; i++) {
        now = &records.cases[i];
        run_case(ctx);
    }
    printf("%s: %zu cases\n", records.kind, records.count);
    rec_unload(&records);
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(ctx);
    return rec_end();
}
