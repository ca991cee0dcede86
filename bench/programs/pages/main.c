/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * octuple-pages: records between random pairs of pages, for one distance of output and input modulo 4 KiB. Processors
 * guess from the lowest twelve bits of an address whether a load meets a store under way, and some pairs of pages make
 * them guess wrong: what a pair costs shows as the slowest one over the median. OpenSSL's own cipher has the same pairs
 * in turns. See bench/README.md.
 *
 * Exit status: 0, 1 if anything failed, 2 for wrong usage, 77 if Octuple does not serve the cipher here.
 */
#include <octuple/aead.h>

#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE      4096
#define PAGES     8192 /* pairs are drawn from so many */
#define MAX_PAIRS 4096
#define RECORDS   16 /* of one pair in a row */
#define PASSES    60 /* over all pairs, of which a pair's fastest counts: what the machine does meanwhile only adds */

enum side { STOCK, OCTUPLE, SIDES };

struct bench {
    struct oct_aead_key *key;
    EVP_CIPHER_CTX *ctx;
    uint8_t *memory;
    size_t len, distance;
    unsigned pairs;
    int failed;
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int seal(const struct bench *b, enum side side, const uint8_t *in, uint8_t *out)
{
    static const uint8_t nonce[12] = {1}, aad[5] = {0x17, 3, 3};
    uint8_t tag[16];
    int n;
    if (side == OCTUPLE)
        return oct_aead_seal(b->key, nonce, aad, sizeof aad, in, b->len, out, tag) == OCT_OK;
    return EVP_EncryptInit_ex(b->ctx, NULL, NULL, NULL, nonce) == 1 &&
           EVP_EncryptUpdate(b->ctx, NULL, &n, aad, sizeof aad) == 1 &&
           EVP_EncryptUpdate(b->ctx, out, &n, in, (int)b->len) == 1 && EVP_EncryptFinal_ex(b->ctx, out + n, &n) == 1;
}

struct pair {
    size_t from, to;    /* pages */
    double took[SIDES]; /* nanoseconds of a record */
};

static void one_pair(struct bench *b, enum side side, struct pair *pair)
{
    const uint8_t *in = b->memory + pair->from * PAGE;
    uint8_t *out = b->memory + pair->to * PAGE + b->distance;
    const double begin = now_ns();
    for (int i = 0; i < RECORDS; i++)
        b->failed |= !seal(b, side, in, out);
    const double took = (now_ns() - begin) / RECORDS;
    if (pair->took[side] == 0 || took < pair->took[side])
        pair->took[side] = took;
}

static int smaller_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(struct bench *b, double median[SIDES], double slowest[SIDES])
{
    static struct pair pairs[MAX_PAIRS];
    static double took[MAX_PAIRS];
    const size_t room = (b->len + b->distance) / PAGE + 2;
    for (unsigned i = 0; i < b->pairs; i++) {
        pairs[i].from = (size_t)random() % (PAGES / 2 - room);
        pairs[i].to = PAGES / 2 + (size_t)random() % (PAGES / 2 - room);
    }
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (unsigned i = 0; i < b->pairs; i++)
            for (enum side side = 0; side < SIDES; side++)
                one_pair(b, side, &pairs[i]);
    for (enum side side = 0; side < SIDES; side++) {
        for (unsigned i = 0; i < b->pairs; i++)
            took[i] = pairs[i].took[side];
        qsort(took, b->pairs, sizeof took[0], smaller_first);
        median[side] = took[b->pairs / 2];
        slowest[side] = took[b->pairs - 1];
    }
}

/* Both sides' key, and memory that is there. */
static int prepare(struct bench *b)
{
    static const uint8_t key[16] = {7};
    b->memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    b->ctx = EVP_CIPHER_CTX_new();
    if (b->memory == MAP_FAILED || b->ctx == NULL || oct_aead_key_new(&b->key, OCT_AEAD_AES_128_GCM, key, 16) != OCT_OK)
        return 0;
    memset(b->memory, 1, (size_t)PAGES * PAGE);
    return EVP_EncryptInit_ex(b->ctx, EVP_aes_128_gcm(), NULL, key, NULL) == 1;
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    double median[SIDES], slowest[SIDES];
    if (argc != 4) {
        fputs("usage: octuple-pages BYTES DISTANCE PAIRS\n", stderr);
        return 2;
    }
    b.len = strtoul(argv[1], NULL, 10);
    b.distance = strtoul(argv[2], NULL, 10);
    b.pairs = (unsigned)strtoul(argv[3], NULL, 10);
    if (b.len < 1 || b.len > 65536 || b.distance >= PAGE || b.pairs < 1 || b.pairs > MAX_PAIRS)
        return 2;
    if (!oct_aead_is_on(OCT_AEAD_AES_128_GCM)) {
        fputs("octuple-pages: AES-128-GCM is not served here\n", stderr);
        return 77;
    }
    if (prepare(&b))
        measure(&b, median, slowest);
    else
        b.failed = 1;
    if (b.failed) {
        fputs("octuple-pages: failed\n", stderr);
        return 1;
    }
    printf(
        "{\"stock\": {\"median_ns\": %.1f, \"slowest_ns\": %.1f}, \"octuple\": {\"median_ns\": %.1f, \"slowest_ns\": "
        "%.1f}}\n",
        median[STOCK], slowest[STOCK], median[OCTUPLE], slowest[OCTUPLE]);
    EVP_CIPHER_CTX_free(b.ctx);
    oct_aead_key_free(b.key);
    return 0;
}
