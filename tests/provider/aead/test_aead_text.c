/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tiers */
/* AEADs by EVP, against OpenSSL's own in both directions: lengths, pieces, nonces, tags, and what must not open. */
#include "aead_peer.h"

static void test_lengths(void **state)
{
    static const size_t more[] = {1023, 1024, 1439, 1440, 1441, 4095, 4096, 8192, 16383, 16384, 16385, 16400, 40000};

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        for (size_t len = 0; len <= 600; len++) {
            const struct message m = make_message(len % 23, len, (unsigned)len);
            check_message(&pairs[i], &m);
        }
        for (size_t j = 0; j < sizeof more / sizeof more[0]; j++) {
            const struct message m = make_message(5, more[j], (unsigned)j);
            check_message(&pairs[i], &m);
        }
    }
}

static void test_pieces(void **state)
{
    static const size_t pieces[] = {1, 3, 7, 15, 16, 17, 63, 64, 65, 100, 255, 512, 1000};
    static const size_t lengths[] = {1, 16, 17, 64, 255, 600, 5000};

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
            for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
                struct message m = make_message(lengths[(p + l) % 7], lengths[l], (unsigned)(p + l));
                m.piece = pieces[p];
                m.aad_piece = pieces[(p + 5) % 13];
                check_message(&pairs[i], &m);
            }
        }
    }
}

/* Additional data of every small length in pieces of every small length. */
static void test_aad_pieces(void **state)
{
    (void)state;
    for (int i = 0; i < pair_count; i++) {
        for (size_t len = 0; len <= 40; len++) {
            for (size_t piece = 1; piece <= 18; piece++) {
                struct message m = make_message(len, len % 3 * 20, (unsigned)len);
                m.aad_piece = piece;
                check_message(&pairs[i], &m);
            }
        }
    }
}

/* In place is what everybody does. */
static void test_in_place(void **state)
{
    static uint8_t text[MAX_TEXT + TAG], sealed[MAX_TEXT + TAG];
    uint8_t tag[TAG], wanted[TAG];

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        for (size_t len = 1; len < 20000; len = len * 3 + 5) {
            struct message m = make_message(13, len, (unsigned)len);
            seal(pairs[i].stock, &m, sealed, wanted);
            memcpy(text, m.text, len);
            m.text = text;
            seal(pairs[i].ours, &m, text, tag);
            assert_memory_equal(text, sealed, len);
            assert_memory_equal(tag, wanted, TAG);
            assert_int_equal(open_sealed(pairs[i].ours, &m, text, text, tag, TAG), 1);
            assert_memory_equal(text, make_message(13, len, (unsigned)len).text, len);
        }
    }
}

static void test_iv_lengths(void **state)
{
    (void)state;
    for (int i = 0; i < pair_count; i++) {
        for (size_t iv_len = 1; iv_len <= 128; iv_len++) {
            struct message m = make_message(9, 77, (unsigned)iv_len);
            m.iv_len = iv_len;
            if (pairs[i].gcm)
                check_message(&pairs[i], &m);
        }
    }
}

/* Tags cut to every length, and each of their bits turned. */
static void test_tags(void **state)
{
    uint8_t sealed[128], text[128], tag[TAG];

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        const struct message m = make_message(13, 100, (unsigned)i);
        seal(pairs[i].stock, &m, sealed, tag);
        for (size_t len = 1; len <= TAG; len++) {
            assert_int_equal(open_sealed(pairs[i].ours, &m, sealed, text, tag, len), 1);
            assert_int_equal(open_sealed(pairs[i].stock, &m, sealed, text, tag, len), 1);
            for (size_t bit = 0; bit < 8 * len; bit++) {
                tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
                assert_int_equal(open_sealed(pairs[i].ours, &m, sealed, text, tag, len), 0);
                tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
        }
    }
    ERR_clear_error();
}

/* As many bytes of the tag as are asked for. */
static void test_short_tags(void **state)
{
    uint8_t out[128], tag[TAG], part[TAG];
    int n;

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        const struct message m = make_message(13, 100, (unsigned)i);
        EVP_CIPHER_CTX *ctx = begin(pairs[i].ours, &m, 1);
        seal(pairs[i].stock, &m, out, tag);
        feed(ctx, &m, m.text, out);
        assert_int_equal(EVP_CipherFinal_ex(ctx, out, &n), 1);
        for (int len = 1; len <= TAG; len++) {
            memset(part, 0x55, sizeof part);
            assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, len, part), 1);
            assert_memory_equal(part, tag, (size_t)len);
            assert_true(len == TAG || part[len] == 0x55);
        }
        EVP_CIPHER_CTX_free(ctx);
    }
}

/* A bit turned anywhere: text, additional data, nonce. */
static void test_forgeries(void **state)
{
    uint8_t sealed[300], text[300 + TAG], tag[TAG], aad[40], iv[12];

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        struct message m = make_message(sizeof aad, sizeof sealed, (unsigned)i);
        seal(pairs[i].stock, &m, sealed, tag);
        memcpy(aad, m.aad, sizeof aad);
        memcpy(iv, m.iv, sizeof iv);
        m.aad = aad;
        m.iv = iv;
        uint8_t *const parts[] = {sealed, aad, iv};
        const size_t lens[] = {sizeof sealed, sizeof aad, sizeof iv};
        for (int part = 0; part < 3; part++) {
            for (size_t byte = 0; byte < lens[part]; byte++) {
                parts[part][byte] ^= (uint8_t)(1 << byte % 8);
                assert_int_equal(open_sealed(pairs[i].ours, &m, sealed, text, tag, TAG), 0);
                parts[part][byte] ^= (uint8_t)(1 << byte % 8);
            }
        }
        assert_int_equal(open_sealed(pairs[i].ours, &m, sealed, text, tag, TAG), 1);
    }
    ERR_clear_error();
}

int main(void)
{
    return RUN_TESTS(open_pairs, close_pairs, test_lengths, test_pieces, test_aad_pieces, test_in_place,
                     test_iv_lengths, test_tags, test_short_tags, test_forgeries);
}
