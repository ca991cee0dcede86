/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Many fibres on one thread: 64 at once with mixed keys, sizes and operations; one alone; a key freed while jobs wait.
 */
#include "common.h"
#include "fibres.h"

#include "base/policy.h"
#include "base/thread_mode.h"

#include <openssl/err.h>
#include <string.h>

#define FIBRES 64
#define NAMES  7

static const char *const names[NAMES] = {"2048a", "2048b", "3072a", "2048c", "1024", "4096a", "2048e3"};

struct mixed {
    EVP_PKEY *key[NAMES], *theirs[NAMES];
    uint8_t ciphertext[NAMES][512];
    size_t ciphertext_len[NAMES];
};

static int decrypts(const struct mixed *m, int k)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, m->key[k], NULL);
    uint8_t out[512];
    size_t len = sizeof out;
    const int ok = EVP_PKEY_decrypt_init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0 &&
                   EVP_PKEY_decrypt(ctx, out, &len, m->ciphertext[k], m->ciphertext_len[k]) > 0 && len == 5 &&
                   memcmp(out, "hello", 5) == 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int signs_and_verifies(const struct mixed *m, int k, int i)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t signature[512], message[64];
    size_t len = sizeof signature;
    int ok;

    fill(message, sizeof message, (unsigned)i);
    ok = EVP_DigestSignInit_ex(ctx, NULL, "SHA256", octuple_ctx, NULL, m->key[k], NULL) > 0 &&
         EVP_DigestSign(ctx, signature, &len, message, sizeof message) > 0;
    EVP_MD_CTX_reset(ctx);
    ok = ok && EVP_DigestVerifyInit_ex(ctx, NULL, "SHA256", octuple_ctx, NULL, m->key[k], NULL) > 0 &&
         EVP_DigestVerify(ctx, signature, len, message, sizeof message) > 0;
    EVP_MD_CTX_reset(ctx);
    ok = ok && EVP_DigestVerifyInit_ex(ctx, NULL, "SHA256", plain_ctx, NULL, m->theirs[k], NULL) > 0 &&
         EVP_DigestVerify(ctx, signature, len, message, sizeof message) > 0;
    EVP_MD_CTX_free(ctx);
    return ok;
}

/* Several operations, one after the other, in each fibre. */
static int mixed_work(int i, void *arg)
{
    const struct mixed *m = arg;
    const int rounds = is_slow() ? 1 : 4;
    int ok = 1;

    for (int round = 0; round < rounds; round++) {
        const int k = (i + round) % NAMES;
        ok = ok && ((i + round) % 3 == 0 ? decrypts(m, k) : signs_and_verifies(m, k, i));
    }
    return ok;
}

static void encrypt_hello(struct mixed *m, int k)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(plain_ctx, m->theirs[k], NULL);

    m->ciphertext_len[k] = sizeof m->ciphertext[k];
    assert_true(EVP_PKEY_encrypt_init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0);
    assert_true(EVP_PKEY_encrypt(ctx, m->ciphertext[k], &m->ciphertext_len[k], (const uint8_t *)"hello", 5) > 0);
    EVP_PKEY_CTX_free(ctx);
}

static void test_mixed(void **state)
{
    struct mixed *m = test_calloc(1, sizeof *m);
    const uint64_t before = lanes_done();

    (void)state;
    for (int k = 0; k < NAMES; k++) {
        m->key[k] = load_key(octuple_ctx, names[k]);
        m->theirs[k] = load_key(plain_ctx, names[k]);
        encrypt_hello(m, k);
    }
    run_fibres(FIBRES, mixed_work, m);
    assert_true(lanes_done() - before >= FIBRES / 2);
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 0);
    for (int k = 0; k < NAMES; k++) {
        EVP_PKEY_free(m->key[k]);
        EVP_PKEY_free(m->theirs[k]);
    }
    test_free(m);
}

/* One fibre alone ends too, whether in a vector or on the fallback. */
static void test_one(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    struct signer signer;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        signer_init(&signer, key, i);
        signers_end(&signer, 1, "2048a");
    }
    EVP_PKEY_free(key);
}

/* Told that it is alone, a fibre does not pause at all. */
static void test_alone_does_not_pause(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    struct signer signer;

    (void)state;
    oct_thread_set_mode(OCT_THREAD_ALONE);
    signer_init(&signer, key, 1);
    assert_int_equal(signer_step(&signer), 1);
    assert_true(signer_is_right(&signer, "2048a"));
    assert_int_equal(signer_fd(&signer), -1);
    signer_clear(&signer);
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
    EVP_PKEY_free(key);
}

/* Signs alone, on a fibre of its own; 1 if that paused. */
static int lone_pauses(EVP_PKEY *key, unsigned seed)
{
    struct signer signer;

    signer_init(&signer, key, seed);
    const int paused = !signer_step(&signer);
    signers_end(&signer, 1, "2048a");
    return paused;
}

/* A program whose fibres meet nobody gets its operations at once, and some pause all the same. The one that comes
 * while another is paused pauses too, and with it those that come after. */
static void test_lonely(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    struct signer signer[2];
    int paused = 0, tries = 0;

    (void)state;
    for (unsigned i = 0; i < OCT_POLICY_LONELY_PAUSES; i++)
        (void)lone_pauses(key, i);
    for (unsigned i = 0; i < 2 * OCT_POLICY_TRIAL; i++)
        paused += lone_pauses(key, i);
    assert_int_equal(paused, 2);

    signer_init(&signer[0], key, 1);
    while (signer_step(&signer[0])) {
        assert_true(tries++ < OCT_POLICY_TRIAL);
        signer_clear(&signer[0]);
        signer_init(&signer[0], key, 1);
    }
    signer_init(&signer[1], key, 2);
    assert_int_equal(signer_step(&signer[1]), 0);
    signers_end(signer, 2, "2048a");
    assert_int_equal(lone_pauses(key, 3), 1);
    EVP_PKEY_free(key);
}

/* A server that reloads frees its keys while handshakes wait. */
static void test_key_freed_while_waiting(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    struct signer signer[5];

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        signer_init(&signer[i], key, i);
        assert_int_equal(signer_step(&signer[i]), 0);
    }
    EVP_PKEY_free(key);
    for (unsigned i = 0; i < 5; i++) {
        signer_finish(&signer[i]);
        assert_true(signer_is_right(&signer[i], "2048a"));
        signer_clear(&signer[i]);
    }
}

/* Pausing blocked by the application: the fibre helps itself. */
static int sign_blocked(int i, void *arg)
{
    struct signer *signer = arg;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t out[512];
    size_t len = sizeof out;
    int ok;

    (void)i;
    ASYNC_block_pause();
    ok = EVP_DigestSignInit_ex(ctx, NULL, "SHA256", octuple_ctx, NULL, signer->key, NULL) > 0 &&
         EVP_DigestSign(ctx, out, &len, signer->hash, 32) > 0;
    ASYNC_unblock_pause();
    EVP_MD_CTX_free(ctx);
    return ok;
}

static void test_blocked_pause(void **state)
{
    struct signer signer = {.key = load_key(octuple_ctx, "2048a")};

    (void)state;
    run_fibres(3, sign_blocked, &signer);
    EVP_PKEY_free(signer.key);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_mixed, test_one, test_alone_does_not_pause, test_lonely,
                     test_key_freed_while_waiting, test_blocked_pause);
}
