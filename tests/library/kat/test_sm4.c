/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4's published answers, by the C API: the two examples of GB/T 32907-2016 (one block; a million encryptions of it),
 * and SM4-GCM and SM4-CCM of RFC 8998, appendix A. The tier is the process's, so this runs once for each.
 */
#include <octuple/octuple.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SKIPPED 77

/* RFC 8998, A.1 and A.2. */
#define GCM_TEXT                                                                                                       \
    "17f399f08c67d5ee19d0dc9969c4bb7d5fd46fd3756489069157b282bb200735"                                                 \
    "d82710ca5c22f0ccfa7cbf93d496ac15a56834cbcf98c397b4024a2691233b8d"
#define GCM_TAG "83de3541e4c2b58177e065a9bf7b62ec"
#define CCM_TEXT                                                                                                       \
    "48af93501fa62adbcd414cce6034d895dda1bf8f132f042098661572e7483094"                                                 \
    "fd12e518ce062c98acee28d95df4416bed31a2f04476c18bb40c84a74b97dc5b"
#define CCM_TAG "16842d4fa186f56ab33256971fa110f4"

static size_t from_hex(uint8_t *out, const char *hex)
{
    size_t n = 0;
    for (; hex[2 * n]; n++) {
        const char byte[3] = {hex[2 * n], hex[2 * n + 1], 0};
        out[n] = (uint8_t)strtoul(byte, NULL, 16);
    }
    return n;
}

static int failed;
static void check(int good, const char *what)
{
    if (!good)
        printf("WRONG: %s\n", what);
    failed += !good;
}

static int is(const uint8_t *bytes, const char *hex)
{
    uint8_t wanted[128];
    return memcmp(bytes, wanted, from_hex(wanted, hex)) == 0;
}

/* A chain that feeds on itself: zeros as text leave E of E of ... the first vector. */
static void blocks(const struct oct_sm4_key *key, long million)
{
    static const uint8_t zero[16 * 1000];
    static uint8_t out[sizeof zero];
    uint8_t iv[16];
    struct oct_sm4_cbc text = {iv, zero, 16, out};
    from_hex(iv, "0123456789abcdeffedcba9876543210");
    check(oct_sm4_cbc_encrypt(key, &text, 1) == OCT_OK, "one block");
    check(is(iv, "681edf34d206965e86b3e94f536e4246"), "GB/T 32907, example 1");
    check(oct_sm4_cbc_decrypt(key, &(struct oct_sm4_cbc){(uint8_t[16]){0}, out, 16, out}, 1) == OCT_OK, "decrypts");
    check(is(out, "0123456789abcdeffedcba9876543210"), "GB/T 32907, example 1, decrypted");
    text.len = 16 * 999;
    check(oct_sm4_cbc_encrypt(key, &text, 1) == OCT_OK, "a thousand");
    text.len = sizeof zero;
    for (long i = 1000; i < million; i += 1000)
        check(oct_sm4_cbc_encrypt(key, &text, 1) == OCT_OK, "a thousand more");
    if (million == 1000000)
        check(is(iv, "595298c7c6fd271f0402f804c33d3f66"), "GB/T 32907, example 2");
}

static void records(int aead, const uint8_t *bytes, const char *cipher, const char *wanted_tag)
{
    uint8_t nonce[12], aad[20], text[64], out[64], tag[16];
    struct oct_aead_key *key;
    from_hex(nonce, "00001234567800000000abcd");
    from_hex(aad, "feedfacedeadbeeffeedfacedeadbeefabaddad2");
    from_hex(text, "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"
                   "eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa");
    check(oct_aead_key_new(&key, aead, bytes, 16) == OCT_OK, "a key");
    check(oct_aead_seal(key, nonce, aad, sizeof aad, text, sizeof text, out, tag) == OCT_OK, "seals");
    check(is(out, cipher), oct_aead_name(aead));
    check(is(tag, wanted_tag), oct_aead_name(aead));
    check(oct_aead_open(key, nonce, aad, sizeof aad, out, sizeof out, out, tag) == OCT_OK, "opens");
    check(memcmp(out, text, sizeof text) == 0, "to the same text");
    oct_aead_key_free(key);
}

/* The same record sixteen times side by side, and three more: each has the standard's answer. */
static void many_records(int aead, const uint8_t *bytes, const char *cipher, const char *wanted_tag)
{
    static uint8_t out[19][64], tag[19][16];
    uint8_t nonce[12], aad[20], text[64];
    struct oct_aead_many record[19];
    struct oct_aead_key *key;
    from_hex(nonce, "00001234567800000000abcd");
    from_hex(aad, "feedfacedeadbeeffeedfacedeadbeefabaddad2");
    from_hex(text, "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbbccccccccccccccccdddddddddddddddd"
                   "eeeeeeeeeeeeeeeeffffffffffffffffeeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa");
    check(oct_aead_key_new(&key, aead, bytes, 16) == OCT_OK, "a key");
    for (int i = 0; i < 19; i++)
        record[i] = (struct oct_aead_many){key, nonce, aad, sizeof aad, text, sizeof text, out[i], tag[i], -1};
    check(oct_aead_seal_many(record, 19) == OCT_OK, "seals many");
    for (int i = 0; i < 19; i++) {
        check(is(out[i], cipher) && is(tag[i], wanted_tag) && record[i].status == OCT_OK, "side by side");
        record[i].in = out[i];
    }
    check(oct_aead_open_many(record, 19) == OCT_OK, "opens many");
    for (int i = 0; i < 19; i++)
        check(memcmp(out[i], text, sizeof text) == 0, "to the same texts");
    oct_aead_key_free(key);
}

int main(int argc, char **argv)
{
    struct oct_sm4_key key;
    uint8_t bytes[16];
    if (!oct_sm4_is_on()) {
        printf("SM4 is off here: %s\n", oct_sm4_reason());
        return SKIPPED;
    }
    from_hex(bytes, "0123456789abcdeffedcba9876543210");
    check(oct_sm4_key_init(&key, bytes) == OCT_OK, "a key");
    blocks(&key, argc > 1 ? strtol(argv[1], NULL, 10) : 1000000);
    oct_sm4_key_clear(&key);
    records(OCT_AEAD_SM4_GCM, bytes, GCM_TEXT, GCM_TAG);
    records(OCT_AEAD_SM4_CCM, bytes, CCM_TEXT, CCM_TAG);
    many_records(OCT_AEAD_SM4_GCM, bytes, GCM_TEXT, GCM_TAG);
    many_records(OCT_AEAD_SM4_CCM, bytes, CCM_TEXT, CCM_TAG);
    printf("%s: %s\n", oct_sm4_tier(), failed ? "WRONG" : "good");
    return failed != 0;
}
