/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ChaCha20-Poly1305 against libcrypto, on every tier that this CPU can run: every length to 1100 at every alignment, in
 * place and not, whole and in pieces, between pages that may not be touched; every forged byte of a tag; masks. By
 * default a sample of the product of lengths and alignments; all of it with OCT_TEST_DEPTH=exhaustive (minutes).
 */
#include "api/cipher/aead_internal.h"
#include "depth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/evp.h>
#include <openssl/rand.h>

#define AEAD OCT_AEAD_CHACHA20_POLY1305

enum { MAX_TEXT = 20000, MAX_AAD = 600, ALIGNMENTS = 64, SMALL = 1100 };

static const struct oct_aead_ops *tier[OCT_AEAD_TIERS];
static unsigned tiers, full;
static EVP_CIPHER_CTX *ctx;
static uint64_t state = 1;

/* One message: random bytes, and what libcrypto makes of them. */
static struct {
    uint8_t key[32], nonce[12], aad[MAX_AAD], text[MAX_TEXT], sealed[MAX_TEXT], tag[16];
    size_t aad_len, len;
} m;
static uint8_t key_memory[OCT_AEAD_KEY_MAX_BYTES] __attribute__((aligned(OCT_AEAD_ALIGN)));
static struct oct_aead_key *const key = (struct oct_aead_key *)key_memory;
static uint8_t in_memory[MAX_TEXT + 256] __attribute__((aligned(64))),
    out_memory[MAX_TEXT + 256] __attribute__((aligned(64)));

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static int setup(void **unused)
{
    (void)unused;
    tiers = oct_aead_runnable(AEAD, tier);
    full = depth_is_exhaustive();
    ctx = EVP_CIPHER_CTX_new();
    assert_true(tiers > 0 && ctx);
    return 0;
}
static int teardown(void **unused)
{
    (void)unused;
    EVP_CIPHER_CTX_free(ctx);
    return 0;
}

static void make_message(size_t aad_len, size_t len)
{
    int n = 0;
    assert_int_equal(RAND_bytes(m.key, sizeof m.key), 1);
    assert_int_equal(RAND_bytes(m.nonce, sizeof m.nonce), 1);
    assert_int_equal(RAND_bytes(m.aad, sizeof m.aad), 1);
    assert_int_equal(RAND_bytes(m.text, (int)len + 1), 1);
    m.aad_len = aad_len;
    m.len = len;
    assert_int_equal(EVP_EncryptInit_ex(ctx, EVP_chacha20_poly1305(), NULL, m.key, m.nonce), 1);
    if (aad_len)
        assert_int_equal(EVP_EncryptUpdate(ctx, NULL, &n, m.aad, (int)aad_len), 1);
    if (len)
        assert_int_equal(EVP_EncryptUpdate(ctx, m.sealed, &n, m.text, (int)len), 1);
    assert_int_equal(EVP_EncryptFinal_ex(ctx, m.sealed + len, &n), 1);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, m.tag), 1);
}
static void use(const struct oct_aead_ops *ops)
{
    assert_int_equal(oct_aead_key_init_on(ops, key_memory, AEAD, m.key, sizeof m.key), OCT_OK);
}

/* Seals and opens from `in` to `out` and looks at the bytes around `out`. */
static void check_record(uint8_t *in, uint8_t *out)
{
    uint8_t tag[16], before[2][16];
    for (int opening = 0; opening < 2; opening++) {
        const int apart = in != out;
        memcpy(in, opening ? m.sealed : m.text, m.len);
        memcpy(before[0], out - 16, 16);
        memcpy(before[1], out + m.len, 16);
        if (opening)
            assert_int_equal(oct_aead_open(key, m.nonce, m.aad, m.aad_len, in, m.len, out, m.tag), OCT_OK);
        else
            assert_int_equal(oct_aead_seal(key, m.nonce, m.aad, m.aad_len, in, m.len, out, tag), OCT_OK);
        assert_memory_equal(out, opening ? m.text : m.sealed, m.len);
        assert_true(opening || memcmp(tag, m.tag, 16) == 0);
        assert_true(!apart || memcmp(in, opening ? m.sealed : m.text, m.len) == 0);
        assert_memory_equal(before[0], out - 16, 16);
        assert_memory_equal(before[1], out + m.len, 16);
    }
}

static void test_lengths(void **unused)
{
    (void)unused;
    for (size_t len = 0; len <= SMALL; len++) {
        make_message(len % 3 ? below(40) : below(300), len);
        for (unsigned t = 0; t < tiers; t++) {
            const unsigned count = full ? ALIGNMENTS : 3;
            use(tier[t]);
            for (unsigned i = 0; i < count; i++) {
                const size_t from = full ? i : below(ALIGNMENTS), to = below(ALIGNMENTS);
                check_record(in_memory + 64 + from, out_memory + 64 + to);
                check_record(in_memory + 64 + from, in_memory + 64 + from);
            }
        }
    }
}

static void test_long(void **unused)
{
    static const size_t lengths[] = {1440, 2047, 2048, 2049,  3000,  3071,  3072,
                                     4096, 4097, 8191, 16384, 16385, 16640, MAX_TEXT - 32};
    (void)unused;
    for (unsigned i = 0; i < (full ? 40u : 1u) * OCT_ARRAY_LEN(lengths); i++) {
        make_message(below(MAX_AAD), i < OCT_ARRAY_LEN(lengths) ? lengths[i] : SMALL + below(MAX_TEXT - SMALL - 32));
        for (unsigned t = 0; t < tiers; t++) {
            use(tier[t]);
            check_record(in_memory + 64 + below(64), out_memory + 64 + below(64));
            check_record(in_memory + 69, in_memory + 69);
        }
    }
}

/* Pieces of any length, and of all at once now and then. */
static size_t piece(size_t left)
{
    return below(4) == 0 ? left : 1 + below((unsigned)(below(2) && left > 80 ? 80 : left));
}
static void check_stream(int opening)
{
    struct oct_aead_stream s, copy;
    uint8_t tag[16];
    const uint8_t *in = opening ? m.sealed : m.text;
    assert_int_equal(oct_aead_stream_init(&s, key, m.nonce, sizeof m.nonce, !opening), OCT_OK);
    for (size_t at = 0, n; at < m.aad_len; at += n) {
        n = piece(m.aad_len - at);
        assert_int_equal(oct_aead_stream_aad(&s, m.aad + at, n), OCT_OK);
    }
    for (size_t at = 0, n; at < m.len; at += n) {
        n = piece(m.len - at);
        assert_int_equal(oct_aead_stream_update(&s, in + at, n, out_memory + 5 + at), OCT_OK);
    }
    assert_memory_equal(out_memory + 5, opening ? m.text : m.sealed, m.len);
    copy = s;
    if (!opening) {
        assert_int_equal(oct_aead_stream_finish_seal(&s, tag), OCT_OK);
        assert_memory_equal(tag, m.tag, 16);
        return;
    }
    memcpy(tag, m.tag, 16);
    tag[below(16)] ^= (uint8_t)(1u << below(8));
    assert_int_equal(oct_aead_stream_finish_open(&s, m.tag, 16), OCT_OK);
    assert_int_equal(oct_aead_stream_finish_open(&copy, tag, 16), OCT_ERR_AUTH);
}
static void test_streams(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < (full ? 20000u : 1000u); round++) {
        make_message(below(3) ? below(40) : below(MAX_AAD), below(5) ? below(SMALL) : below(6000));
        for (unsigned t = 0; t < tiers; t++) {
            use(tier[t]);
            check_stream(0);
            check_stream(1);
        }
    }
}

/* Memory of which nothing before and nothing behind may be touched. */
static uint8_t *guarded;
static size_t page, guarded_pages = 2;
static void test_guards(void **unused)
{
    (void)unused;
    page = (size_t)sysconf(_SC_PAGESIZE);
    guarded = mmap(NULL, (guarded_pages + 2) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(guarded != MAP_FAILED);
    assert_int_equal(mprotect(guarded, page, PROT_NONE), 0);
    assert_int_equal(mprotect(guarded + (guarded_pages + 1) * page, page, PROT_NONE), 0);
    uint8_t *const begin = guarded + page, *const end = begin + guarded_pages * page;
    for (size_t len = 0; len <= (full ? 4 * SMALL : SMALL); len++) {
        make_message(below(140), len);
        for (unsigned t = 0; t < tiers; t++)
            for (int at_end = 0; at_end < 2; at_end++) {
                uint8_t *const text = at_end ? end - len : begin, tag[16];
                use(tier[t]);
                memcpy(text, m.text, len);
                assert_int_equal(oct_aead_seal(key, m.nonce, m.aad, m.aad_len, text, len, text, tag), OCT_OK);
                assert_memory_equal(text, m.sealed, len);
                assert_memory_equal(tag, m.tag, 16);
                assert_int_equal(oct_aead_open(key, m.nonce, m.aad, m.aad_len, text, len, text, tag), OCT_OK);
                assert_memory_equal(text, m.text, len);
                uint8_t *const aad = at_end ? end - m.aad_len : begin;
                memcpy(aad, m.aad, m.aad_len);
                assert_int_equal(oct_aead_seal(key, m.nonce, aad, m.aad_len, m.text, len, out_memory, tag), OCT_OK);
                assert_memory_equal(tag, m.tag, 16);
            }
    }
    munmap(guarded, (guarded_pages + 2) * page);
}

/* Every byte of the tag, and a bit of everything that it covers: not authentic, and nothing but zeros. */
static void test_forged(void **unused)
{
    static const size_t lengths[] = {0, 1, 64, 200, 1000, 1440, 5000};
    static const uint8_t zero[5000];
    (void)unused;
    for (unsigned i = 0; i < OCT_ARRAY_LEN(lengths); i++) {
        make_message(13, lengths[i]);
        for (unsigned t = 0; t < tiers; t++) {
            use(tier[t]);
            for (unsigned what = 0; what < 16 + 3; what++) {
                uint8_t tag[16], *wrong = what < 16    ? tag + what
                                          : what == 16 ? m.aad + 12
                                          : what == 17 ? m.nonce + 3
                                                       : m.sealed;
                const uint8_t bit = (uint8_t)(1u << below(8));
                if (what == 18 && m.len == 0)
                    continue;
                memcpy(tag, m.tag, 16);
                *wrong ^= bit;
                memset(out_memory, 0xaa, m.len);
                assert_int_equal(oct_aead_open(key, m.nonce, m.aad, m.aad_len, m.sealed, m.len, out_memory, tag),
                                 OCT_ERR_AUTH);
                assert_memory_equal(out_memory, zero, m.len);
                if (what >= 16)
                    *wrong ^= bit;
            }
        }
    }
}

/* One to eight samples: the first bytes of libcrypto's key stream with the sample as counter and nonce. */
static void test_masks(void **unused)
{
    uint8_t mask_key[OCT_AEAD_MASK_KEY_BYTES] __attribute__((aligned(16)));
    uint8_t bytes[32], sample[OCT_AEAD_BURST][16], mask[OCT_AEAD_BURST][16], want[16];
    static const uint8_t zero[16];
    (void)unused;
    for (unsigned round = 0; round < 200; round++) {
        assert_int_equal(RAND_bytes(bytes, sizeof bytes), 1);
        assert_int_equal(RAND_bytes(sample[0], sizeof sample), 1);
        for (unsigned t = 0; t < tiers; t++) {
            const struct oct_aead_expand_args expand = {NULL, mask_key, bytes};
            struct oct_aead_mask_args args = {
                .mask_key = mask_key, .count = 1 + round % OCT_AEAD_BURST, .mask = mask[0]};
            tier[t]->expand(&expand);
            for (unsigned i = 0; i < OCT_AEAD_BURST; i++)
                args.sample[i] = sample[i];
            tier[t]->mask(&args);
            for (unsigned i = 0; i < args.count; i++) {
                int n;
                assert_int_equal(EVP_EncryptInit_ex(ctx, EVP_chacha20(), NULL, bytes, sample[i]), 1);
                assert_int_equal(EVP_EncryptUpdate(ctx, want, &n, zero, sizeof zero), 1);
                assert_memory_equal(mask[i], want, sizeof want);
            }
        }
    }
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_lengths, test_long, test_streams, test_guards, test_forged, test_masks);
}
