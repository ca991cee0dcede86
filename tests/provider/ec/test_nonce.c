/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: EXPORTS */
/*
 * ECDSA nonces as an application meets them: signatures of EVP_PKEY_sign() in fibres, on both sides of a fork, and with
 * a random source that repeats itself. Two signatures with one nonce have the same r; if the messages differ they give
 * the key away.
 */
#include "ec_keys.h"

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define R_BYTES 48
/* What each of the two processes signs: so many different messages, then one message as often. */
#define SIGNATURES (2 * EIGHT)

/* The source of randomness that the library finds: this program's. OpenSSL has its own. */
static int source_repeats;

OCT_API ssize_t getrandom(void *out, size_t len, unsigned flags)
{
    if (!source_repeats)
        return syscall(SYS_getrandom, out, len, flags);
    memset(out, 0x5a, len);
    return (ssize_t)len;
}

struct signature {
    uint8_t hash[32], der[MAX_SIGNATURE];
    size_t len;
};

struct work {
    EVP_PKEY *key;
    int curve;
    struct signature *signature; /* [EIGHT] */
};

static int sign_one(int i, void *arg)
{
    const struct work *work = arg;
    struct signature *s = &work->signature[i];

    s->len = sizeof s->der;
    if (!ec_sign(octuple_ctx, work->key, s->hash, s->der, &s->len))
        s->len = 0;
    return 1; /* a child must not fail by an assertion: the parent looks */
}

static uint64_t lanes_signed(int curve)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[oct_ecdsa_sign_op(curve)].done;
}

/* Eight signatures in one vector; a queue that weighs costs may send a job away for once, and is asked again. */
static void sign_eight(struct work *work)
{
    uint64_t before;
    int tries = 0;

    do {
        before = lanes_signed(work->curve);
        run_fibres(EIGHT, sign_one, work);
    } while (lanes_signed(work->curve) - before != EIGHT && ++tries < 100);
    if (tries == 100)
        work->signature[0].len = 0;
}

/* seed: the first message; SIGNATURES signatures. */
static void sign_all(EVP_PKEY *key, int curve, struct signature *signature, unsigned seed)
{
    struct work work = {.key = key, .curve = curve, .signature = signature};

    for (unsigned i = 0; i < SIGNATURES; i++)
        fill(signature[i].hash, sizeof signature[i].hash, i < EIGHT ? seed + i : 1);
    sign_eight(&work);
    work.signature = signature + EIGHT;
    sign_eight(&work);
}

static void get_r(uint8_t r[R_BYTES], const struct signature *s)
{
    const uint8_t *der = s->der;
    ECDSA_SIG *sig = d2i_ECDSA_SIG(NULL, &der, (long)s->len);

    assert_non_null(sig);
    assert_int_equal(BN_bn2binpad(ECDSA_SIG_get0_r(sig), r, R_BYTES), R_BYTES);
    ECDSA_SIG_free(sig);
}

static void check_good(EVP_PKEY *key, const struct signature *signature, unsigned count)
{
    EVP_PKEY *plain = ec_move(plain_ctx, key, EVP_PKEY_KEYPAIR);

    for (unsigned i = 0; i < count; i++)
        assert_true(ec_verify(plain_ctx, plain, signature[i].hash, signature[i].der, signature[i].len));
    EVP_PKEY_free(plain);
}

/* No two signatures have the same r; with same_message, unless they are of the same message. Returns how many do. */
static unsigned count_repeats(const struct signature *signature, unsigned count, int same_message)
{
    uint8_t r[4 * SIGNATURES][R_BYTES];
    unsigned repeats = 0;

    assert_true(count <= 4 * SIGNATURES);
    for (unsigned i = 0; i < count; i++)
        get_r(r[i], &signature[i]);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++) {
            if (memcmp(r[i], r[j], R_BYTES) != 0)
                continue;
            repeats++;
            if (!same_message || memcmp(signature[i].hash, signature[j].hash, sizeof signature[i].hash) != 0)
                fail_msg("signatures %u and %u have the same r", i, j);
        }
    return repeats;
}

/* Parent and child sign; the first two lots are one before the fork and the child's, the third is the parent's. */
static void sign_across_fork(EVP_PKEY *key, int curve, struct signature *shared)
{
    int status = -1;
    pid_t child;

    sign_all(key, curve, shared, 100);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sign_all(key, curve, shared + SIGNATURES, 200);
        _exit(0);
    }
    sign_all(key, curve, shared + 2 * SIGNATURES, 300);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    check_good(key, shared, 3 * SIGNATURES);
}

static struct signature *new_shared(void)
{
    void *memory = mmap(NULL, 4 * SIGNATURES * sizeof(struct signature), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

static void check_fork(int curve)
{
    struct signature *shared = new_shared();
    EVP_PKEY *key = ec_generate(octuple_ctx, ec_curves[curve]);

    sign_across_fork(key, curve, shared);
    assert_int_equal(count_repeats(shared, 3 * SIGNATURES, 0), 0);
    EVP_PKEY_free(key);
    munmap(shared, 4 * SIGNATURES * sizeof *shared);
}

static void test_fork_p256(void **state)
{
    (void)state;
    check_fork(OCT_EC_P256);
}

static void test_fork_p384(void **state)
{
    (void)state;
    check_fork(OCT_EC_P384);
}

/* One message has one nonce then, which tells nothing, and shows that the source was this one. All 3 * EIGHT signatures
 * of the one message are the same; no two messages share a nonce. */
static void check_repeating_source(int curve)
{
    const unsigned same = 3 * EIGHT;
    struct signature *shared = new_shared();
    EVP_PKEY *key = ec_generate(octuple_ctx, ec_curves[curve]);

    source_repeats = 1;
    sign_across_fork(key, curve, shared);
    source_repeats = 0;
    assert_int_equal(count_repeats(shared, 3 * SIGNATURES, 1), same * (same - 1) / 2);
    EVP_PKEY_free(key);
    munmap(shared, 4 * SIGNATURES * sizeof *shared);
}

static void test_repeating_source_p256(void **state)
{
    (void)state;
    check_repeating_source(OCT_EC_P256);
}

static void test_repeating_source_p384(void **state)
{
    (void)state;
    check_repeating_source(OCT_EC_P384);
}

/* The same message with two keys, and on two curves. */
static void test_repeating_source_and_keys(void **state)
{
    struct signature *shared = new_shared();
    EVP_PKEY *key[4];

    (void)state;
    source_repeats = 1;
    for (int i = 0; i < 4; i++) {
        key[i] = ec_generate(octuple_ctx, ec_curves[i / 2]);
        sign_all(key[i], i / 2, shared + i * SIGNATURES, 100);
    }
    source_repeats = 0;
    for (int i = 0; i < 4; i++) {
        check_good(key[i], shared + i * SIGNATURES, SIGNATURES);
        /* of each key one that none of the others may share */
        memcpy(&shared[i], &shared[i * SIGNATURES + SIGNATURES - 1], sizeof shared[i]);
        EVP_PKEY_free(key[i]);
    }
    assert_int_equal(count_repeats(shared, 4, 0), 0);
    munmap(shared, 4 * SIGNATURES * sizeof *shared);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_fork_p256, test_fork_p384, test_repeating_source_p256,
                     test_repeating_source_p384, test_repeating_source_and_keys);
}
