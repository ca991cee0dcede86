/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What a core dump would show of private keys, after lanes have worked with them, in the process and in a child of it:
 * nothing in the form that lanes have them in. OpenSSL's own copies have another form, and are OpenSSL's to protect.
 */
#include "ed25519_keys.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIBRES 8
#define WORDS  4
#define MAPS   4096
/* A dump has what the search itself holds, too: so it looks for words that are not there as they are. */
#define MASK 0xa5c3961e5a3c69e1u

struct needle {
    const char *name;
    uint64_t masked[WORDS];
};

static struct needle needles[6];
static int needle_count;

struct mapping {
    uintptr_t from, to;
    int is_readable, is_dumped;
};

static struct mapping maps[MAPS];
static EVP_PKEY *rsa_key, *ed_key;

/* --- what to look for */

static void add_rsa(const EVP_PKEY *key, const char *name)
{
    struct needle *needle = &needles[needle_count++];
    BIGNUM *number = NULL, *limb = BN_secure_new();

    assert_int_equal(EVP_PKEY_get_bn_param(key, name, &number), 1);
    needle->name = name;
    for (int i = 0; i < WORDS; i++) {
        assert_int_equal(BN_rshift(limb, number, 52 * i), 1);
        (void)BN_mask_bits(limb, 52);
        needle->masked[i] = BN_get_word(limb) ^ MASK;
    }
    BN_clear_free(limb);
    BN_clear_free(number);
}

/* RFC 8032, 5.1.5: the scalar and the prefix, which are the halves of the seed's digest. */
static void add_ed25519(const EVP_PKEY *key)
{
    struct pair pair = ed25519_pair(key);
    uint8_t digest[64];

    SHA512(pair.seed, sizeof pair.seed, digest);
    digest[0] &= 0xf8;
    digest[31] = (uint8_t)((digest[31] & 0x7f) | 0x40);
    for (int half = 0; half < 2; half++) {
        struct needle *needle = &needles[needle_count++];
        needle->name = half == 0 ? "scalar" : "prefix";
        memcpy(needle->masked, digest + 32 * half, sizeof needle->masked);
        for (int i = 0; i < WORDS; i++)
            needle->masked[i] ^= MASK;
    }
    OPENSSL_cleanse(digest, sizeof digest);
    OPENSSL_cleanse(&pair, sizeof pair);
}

/* --- looking */

static int read_maps(void)
{
    FILE *smaps = fopen("/proc/self/smaps", "r");
    static char line[4096];
    unsigned long from, to;
    char access[8];
    int count = 0;

    if (smaps == NULL)
        return 0;
    while (fgets(line, sizeof line, smaps) != NULL && count < MAPS)
        if (sscanf(line, "%lx-%lx %7s", &from, &to, access) == 3)
            maps[count++] = (struct mapping){from, to, access[0] == 'r' && strstr(line, "[v") == NULL, 1};
        else if (count > 0 && strncmp(line, "VmFlags:", 8) == 0)
            maps[count - 1].is_dumped = strstr(line, " dd") == NULL;
    fclose(smaps);
    return count;
}

/* What a sanitizer keeps for itself is larger than all that a test has. */
static int is_worth_a_look(const struct mapping *map)
{
    return map->is_readable && map->to - map->from < (uintptr_t)1 << 30;
}

__attribute__((no_sanitize("address"))) static int count_in(const struct mapping *map, const struct needle *needle)
{
    int found = 0;

    for (const uint64_t *at = (const uint64_t *)map->from; at + WORDS <= (const uint64_t *)map->to; at++) {
        int same = 0;
        while (same < WORDS && (at[same] ^ MASK) == needle->masked[same])
            same++;
        found += same == WORDS;
    }
    return found;
}

/* How often a needle is in what is dumped, or in what is not. */
static int count_all(const struct needle *needle, int count, int is_dumped)
{
    int found = 0;

    for (int i = 0; i < count; i++)
        if (maps[i].is_dumped == is_dumped && is_worth_a_look(&maps[i]))
            found += count_in(&maps[i], needle);
    return found;
}

static int count_wrong(void)
{
    const int count = read_maps();
    int wrong = count == 0;

    for (int i = 0; i < needle_count; i++) {
        const int dumped = count_all(&needles[i], count, 1), kept = count_all(&needles[i], count, 0);
        if (dumped != 0 || kept == 0)
            print_message("%s: %d times in what is dumped, %d times in what is not\n", needles[i].name, dumped, kept);
        wrong += dumped != 0 || kept == 0;
    }
    return wrong;
}

/* --- work */

static int sign(int i, void *arg)
{
    uint8_t text[32], signature[512];
    size_t len = sizeof signature;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, rsa_key, NULL);
    int ok;

    (void)arg;
    fill(text, sizeof text, (unsigned)i);
    ok = ctx != NULL && EVP_PKEY_sign_init(ctx) > 0 && EVP_PKEY_sign(ctx, signature, &len, text, sizeof text) > 0;
    EVP_PKEY_CTX_free(ctx);
    return ok && ed25519_sign(octuple_ctx, ed_key, text, sizeof text, signature);
}

static void work(void)
{
    const uint64_t before = lanes_done();

    for (int round = 0; round < 3; round++)
        run_fibres(FIBRES, sign, NULL);
    assert_true(lanes_done() - before >= 2 * FIBRES);
}

static void test_not_dumped(void **state)
{
    int status;
    pid_t child;

    (void)state;
    work();
    assert_int_equal(count_wrong(), 0);
    child = fork();
    if (child == 0) {
        work();
        _exit(count_wrong() != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* The search finds what is there. */
static void test_search(void **state)
{
    uint64_t *there = test_malloc(sizeof needles[0].masked);
    int count;

    (void)state;
    for (int i = 0; i < WORDS; i++)
        there[i] = needles[0].masked[i] ^ MASK;
    count = read_maps();
    assert_int_equal(count_all(&needles[0], count, 1), 1);
    OPENSSL_cleanse(there, sizeof needles[0].masked);
    test_free(there);
}

/* When a key goes, so do its numbers. */
static void test_freed(void **state)
{
    int count;

    (void)state;
    EVP_PKEY_free(rsa_key);
    EVP_PKEY_free(ed_key);
    rsa_key = ed_key = NULL;
    count = read_maps();
    for (int i = 0; i < needle_count; i++) {
        assert_int_equal(count_all(&needles[i], count, 0), 0);
        assert_int_equal(count_all(&needles[i], count, 1), 0);
    }
}

static int open_keys(void **state)
{
    static const char *const names[] = {OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2,
                                        OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2};

    if (open_contexts(state) != 0)
        return -1;
    ed25519_prefer_lanes();
    rsa_key = load_key(octuple_ctx, "2048a");
    ed_key = ed25519_generate(octuple_ctx);
    for (int i = 0; i < 4; i++)
        add_rsa(rsa_key, names[i]);
    add_ed25519(ed_key);
    return 0;
}

int main(void)
{
    return RUN_TESTS(open_keys, close_contexts, test_not_dumped, test_search, test_freed);
}
