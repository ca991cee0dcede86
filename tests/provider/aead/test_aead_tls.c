/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tiers */
/* Records of TLS 1.2 as libssl hands them over, byte by byte against OpenSSL's own. */
#include "aead_peer.h"

#define EXPLICIT 8

static size_t explicit_len(const struct pair *pair)
{
    return pair->gcm ? EXPLICIT : 0;
}

/* As after the key exchange; `whole`: the explicit part too is given, so that two contexts count alike. */
static EVP_CIPHER_CTX *tls_begin(const struct pair *pair, EVP_CIPHER *cipher, int sealing, int whole)
{
    const struct message m = make_message(0, 0, 3);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

    assert_int_equal(EVP_CipherInit_ex(ctx, cipher, NULL, m.key, pair->gcm ? NULL : m.iv, sealing), 1);
    if (pair->gcm)
        assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, whole ? -1 : 4, (void *)m.iv), 1);
    else
        assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IV_FIXED, 12, (void *)m.iv), 1);
    return ctx;
}

/* `len` is what the record layer says: the explicit part and the text, and to open the tag too. */
static int tls_aad(EVP_CIPHER_CTX *ctx, uint64_t number, size_t len)
{
    uint8_t aad[EVP_AEAD_TLS1_AAD_LEN] = {0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, (uint8_t)(len >> 8), (uint8_t)len};

    for (int i = 0; i < 8; i++)
        aad[i] = (uint8_t)(number >> (56 - 8 * i));
    return EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_TLS1_AAD, sizeof aad, aad);
}

/* One record in place, by EVP_CipherUpdate() as libssl does or by EVP_Cipher(); *said is the length that came out. */
static int tls_record(EVP_CIPHER_CTX *ctx, uint64_t number, uint8_t *record, size_t len, int by_update, int *said)
{
    const int sealing = EVP_CIPHER_CTX_is_encrypting(ctx);

    assert_int_equal(tls_aad(ctx, number, sealing ? len - TAG : len), TAG);
    if (by_update)
        return EVP_CipherUpdate(ctx, record, said, record, (int)len);
    *said = EVP_Cipher(ctx, record, record, (unsigned)len);
    return *said >= 0; /* of nothing, nothing */
}

static const size_t lengths[] = {0,   1,   15,  16,  17,  63,   64,   65,   191,   192,
                                 193, 255, 256, 257, 511, 1000, 1440, 4096, 16384, 16384 + 1024};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static void test_records(void **state)
{
    static uint8_t ours[MAX_TEXT], stock[MAX_TEXT], text[MAX_TEXT];
    int a, b;

    (void)state;
    for (int i = 0; i < 2 * pair_count; i++) {
        const struct pair *p = &pairs[i / 2];
        const size_t skip = explicit_len(p);
        EVP_CIPHER_CTX *so = tls_begin(p, p->ours, 1, 1), *ss = tls_begin(p, p->stock, 1, 1);
        EVP_CIPHER_CTX *oo = tls_begin(p, p->ours, 0, 0), *os = tls_begin(p, p->stock, 0, 0);
        for (size_t l = 0; l < LENGTHS + 300; l++) {
            const size_t len = l < LENGTHS ? lengths[l] : l - LENGTHS, whole = skip + len + TAG;
            const uint64_t number = l * 0x0101010101u;
            fill(text, len, (unsigned)l);
            memcpy(ours + skip, text, len);
            memcpy(stock + skip, text, len);
            assert_int_equal(tls_record(so, number, ours, whole, i % 2, &a), 1);
            assert_int_equal(tls_record(ss, number, stock, whole, i % 2, &b), 1);
            assert_int_equal(a, b);
            assert_memory_equal(ours, stock, whole);
            assert_int_equal(tls_record(oo, number, stock, whole, i % 2, &a), 1);
            assert_int_equal(tls_record(os, number, ours, whole, i % 2, &b), 1);
            assert_int_equal(a, b);
            assert_memory_equal(ours + skip, text, len);
            assert_memory_equal(stock + skip, text, len);
        }
        EVP_CIPHER_CTX_free(so), EVP_CIPHER_CTX_free(ss), EVP_CIPHER_CTX_free(oo), EVP_CIPHER_CTX_free(os);
    }
}

/* With an explicit part that starts anywhere, it counts and never comes again; the other side reads it. */
static void test_counting(void **state)
{
    uint8_t record[EXPLICIT + 50 + TAG], before[EXPLICIT] = {0};
    int n;

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        const struct pair *p = &pairs[i];
        EVP_CIPHER_CTX *sealer = tls_begin(p, p->ours, 1, 0), *opener = tls_begin(p, p->stock, 0, 0);
        for (unsigned number = 0; p->gcm && number < 600; number++) {
            fill(record, sizeof record, number);
            assert_int_equal(tls_record(sealer, number, record, sizeof record, 1, &n), 1);
            if (number > 0) {
                for (int at = EXPLICIT - 1; at >= 0 && ++before[at] == 0; at--)
                    ;
                assert_memory_equal(record, before, EXPLICIT);
            }
            memcpy(before, record, EXPLICIT);
            assert_int_equal(tls_record(opener, number, record, sizeof record, 1, &n), 1);
        }
        EVP_CIPHER_CTX_free(sealer), EVP_CIPHER_CTX_free(opener);
    }
}

/* The carry goes through all eight bytes and not into the fixed part. */
static void test_carry(void **state)
{
    uint8_t iv[12], ours[EXPLICIT + 20 + TAG], stock[EXPLICIT + 20 + TAG];
    int n;

    (void)state;
    memset(iv, 0xff, sizeof iv);
    iv[11] = 0xfe;
    for (int i = 0; i < pair_count && pairs[i].gcm; i++) {
        EVP_CIPHER_CTX *a = tls_begin(&pairs[i], pairs[i].ours, 1, 1), *b = tls_begin(&pairs[i], pairs[i].stock, 1, 1);
        EVP_CIPHER_CTX_ctrl(a, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv);
        EVP_CIPHER_CTX_ctrl(b, EVP_CTRL_AEAD_SET_IV_FIXED, -1, iv);
        for (unsigned number = 0; number < 4; number++) {
            fill(ours, sizeof ours, number);
            fill(stock, sizeof stock, number);
            assert_int_equal(tls_record(a, number, ours, sizeof ours, 1, &n), 1);
            assert_int_equal(tls_record(b, number, stock, sizeof stock, 1, &n), 1);
            assert_memory_equal(ours, stock, sizeof ours);
        }
        EVP_CIPHER_CTX_free(a), EVP_CIPHER_CTX_free(b);
    }
}

/* Whatever is changed, the record does not open, and its text is not there. */
static void test_forgeries(void **state)
{
    static const uint8_t zeros[200];
    uint8_t sealed[EXPLICIT + sizeof zeros + TAG], record[sizeof sealed];
    int n;

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        const struct pair *p = &pairs[i];
        const size_t skip = explicit_len(p), whole = skip + sizeof zeros + TAG;
        EVP_CIPHER_CTX *sealer = tls_begin(p, p->ours, 1, 0), *opener = tls_begin(p, p->ours, 0, 0);
        fill(sealed, sizeof sealed, 1);
        assert_int_equal(tls_record(sealer, 7, sealed, whole, 1, &n), 1);
        for (size_t byte = 0; byte < whole; byte++) {
            memcpy(record, sealed, whole);
            record[byte] ^= (uint8_t)(1 << byte % 8);
            assert_int_equal(tls_record(opener, 7, record, whole, (int)(byte & 1), &n), 0);
            assert_memory_equal(record + skip, zeros, sizeof zeros);
        }
        memcpy(record, sealed, whole);
        assert_int_equal(tls_record(opener, 8, record, whole, 1, &n), 0);
        memcpy(record, sealed, whole);
        assert_int_equal(tls_record(opener, 7, record, whole, 1, &n), 1);
        EVP_CIPHER_CTX_free(sealer), EVP_CIPHER_CTX_free(opener);
    }
    ERR_clear_error();
}

/* The pieces of the record path that other programs use one by one. */
static void test_iv_generation(void **state)
{
    const struct message m = make_message(13, 100, 5);
    uint8_t iv[4][12], text[2][100], tag[2][TAG];
    int n;

    (void)state;
    for (int i = 0; i < pair_count && pairs[i].gcm; i++) {
        EVP_CIPHER_CTX *ctx[2] = {tls_begin(&pairs[i], pairs[i].ours, 1, 1),
                                  tls_begin(&pairs[i], pairs[i].stock, 1, 1)};
        for (int round = 0; round < 3; round++) {
            for (int side = 0; side < 2; side++) {
                assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx[side], EVP_CTRL_GCM_IV_GEN, round == 0 ? 8 : -1, iv[side]), 1);
                assert_int_equal(EVP_CIPHER_CTX_get_updated_iv(ctx[side], iv[2 + side], 12), 1);
                feed(ctx[side], &m, m.text, text[side]);
                assert_int_equal(EVP_CipherFinal_ex(ctx[side], text[side], &n), 1);
                assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx[side], EVP_CTRL_AEAD_GET_TAG, TAG, tag[side]), 1);
            }
            assert_memory_equal(iv[0], iv[1], round == 0 ? 8 : 12);
            assert_memory_equal(iv[2], iv[3], 12);
            assert_memory_equal(text[0], text[1], sizeof text[0]);
            assert_memory_equal(tag[0], tag[1], TAG);
        }
        EVP_CIPHER_CTX_free(ctx[0]), EVP_CIPHER_CTX_free(ctx[1]);
        /* And what was sealed last is opened with the explicit part alone. */
        ctx[0] = tls_begin(&pairs[i], pairs[i].ours, 0, 0);
        assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_GCM_SET_IV_INV, 8, iv[0] + 4), 1);
        assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx[0], EVP_CTRL_AEAD_SET_TAG, TAG, tag[0]), 1);
        feed(ctx[0], &m, text[0], text[1]);
        assert_int_equal(EVP_CipherFinal_ex(ctx[0], text[1], &n), 1);
        assert_memory_equal(text[1], m.text, m.len);
        EVP_CIPHER_CTX_free(ctx[0]);
    }
}

/* Refused: no additional data, lengths that do not fit, two buffers, a record without a nonce that counts. */
static void test_refused(void **state)
{
    uint8_t record[300] = {0}, other[300], aad[EVP_AEAD_TLS1_AAD_LEN] = {0};
    const struct message m = make_message(0, 0, 3);
    int n;

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        const struct pair *p = &pairs[i];
        const size_t skip = explicit_len(p), whole = skip + 40 + TAG;
        EVP_CIPHER_CTX *sealer = tls_begin(p, p->ours, 1, 0), *opener = tls_begin(p, p->ours, 0, 0);
        for (size_t len = 0; len < skip + TAG; len++)
            assert_true(tls_aad(opener, 1, len) <= 0);
        for (size_t len = 0; len < skip; len++)
            assert_true(tls_aad(sealer, 1, len) <= 0);
        assert_true(EVP_CIPHER_CTX_ctrl(sealer, EVP_CTRL_AEAD_TLS1_AAD, sizeof aad - 1, aad) <= 0);
        assert_int_equal(tls_aad(sealer, 1, whole - TAG), TAG);
        assert_int_equal(EVP_CipherUpdate(sealer, record, &n, record, (int)whole - 1), 0);
        assert_int_equal(tls_aad(sealer, 1, whole - TAG), TAG);
        assert_int_equal(EVP_CipherFinal_ex(sealer, record, &n), 0);
        assert_int_equal(EVP_CipherUpdate(sealer, record, &n, record, (int)whole), 1);
        assert_int_equal(tls_aad(sealer, 1, whole - TAG), TAG);
        assert_int_equal(EVP_CipherUpdate(sealer, other, &n, record, (int)whole), !p->gcm);
        /* A record's nonce is not there for anything else. */
        assert_int_equal(EVP_CipherUpdate(sealer, record, &n, record, 10), 0);
        EVP_CIPHER_CTX_free(sealer), EVP_CIPHER_CTX_free(opener);
        sealer = EVP_CIPHER_CTX_new();
        assert_int_equal(EVP_CipherInit_ex(sealer, p->ours, NULL, m.key, NULL, 1), 1);
        assert_int_equal(tls_aad(sealer, 1, whole - TAG), TAG);
        assert_int_equal(EVP_CipherUpdate(sealer, record, &n, record, (int)whole), 0);
        for (int len = 0; len <= 13; len++) {
            const int good = p->gcm ? len == 4 : len == 12;
            assert_int_equal(EVP_CIPHER_CTX_ctrl(sealer, EVP_CTRL_AEAD_SET_IV_FIXED, len, (void *)m.iv) == 1, good);
        }
        EVP_CIPHER_CTX_free(sealer);
    }
    ERR_clear_error();
}

int main(void)
{
    return RUN_TESTS(open_pairs, close_pairs, test_records, test_counting, test_carry, test_forgeries,
                     test_iv_generation, test_refused);
}
