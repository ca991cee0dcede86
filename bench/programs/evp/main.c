/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * octuple-evp: what ciphers and key derivations cost through EVP, with OpenSSL's own provider and with Octuple's, by
 * turns (turns.h). See bench/README.md.
 *
 * Exit status: 0, 1 if anything failed or the two sides do not come to the same bytes, 2 for wrong usage, 77 if Octuple
 * serves none of it here.
 */
#include "derive.h"
#include "sides.h"
#include "turns.h"
#include "work.h"

#include <getopt.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was measured, and what that came to. */
enum outcome { NOT_SERVED, DONE, FAILED };

struct options {
    const char *modules, *algorithm, *shape;
    long turns, below; /* below: report those only whose ratio in per cent is below */
    size_t len;
    int json;
};

/* What a row of the report is about. */
struct row {
    const char *algorithm, *verb, *shape;
    size_t len;
};

static void report(const struct options *o, const struct row *row, const struct result *r)
{
    static const char *separator = "";

    if (o->below && 100 * r->ratio >= (double)o->below)
        return;
    if (o->json)
        printf("%s\n {\"algorithm\": \"%s\", \"verb\": \"%s\", \"shape\": \"%s\", \"bytes\": %zu, "
               "\"stock_ns\": %.1f, \"octuple_ns\": %.1f, \"ratio\": %.3f}",
               separator, row->algorithm, row->verb, row->shape, row->len, r->stock_ns, r->octuple_ns, r->ratio);
    else
        printf("%-18s %-8s %-7s %6zu %10.1f %10.1f %7.2f\n", row->algorithm, row->verb, row->shape, row->len,
               r->stock_ns, r->octuple_ns, r->ratio);
    separator = ",";
    fflush(stdout);
}

static int report_if(int ok, const struct options *o, const struct row *row, const struct result *r)
{
    if (ok)
        report(o, row, r);
    else
        fprintf(stderr, "octuple-evp: %s, %s of %zu bytes: failed\n", row->algorithm, row->shape, row->len);
    return ok;
}

static int is_wanted(const char *wish, const char *name)
{
    return wish == NULL || strcmp(wish, name) == 0;
}

static int say_served(const char *algorithm, int served)
{
    if (!served)
        fprintf(stderr, "octuple-evp: %s is not served by Octuple here\n", algorithm);
    return served;
}

/* --- ciphers */

static int cipher_prepare(void *work)
{
    return work_prepare(work);
}

static int cipher_run(void *work)
{
    return work_do(work);
}

static int cipher_same(const void *a, const void *b)
{
    return work_same(a, b);
}

static int one_cipher(const struct options *o, OSSL_LIB_CTX *ctx[2], const char *cipher, enum work_shape shape,
                      int sealing, size_t len)
{
    const struct row row = {cipher, sealing ? "seal" : "open", work_shape_name[shape], len};
    struct work *work[2];
    struct result r;
    int ok = 1;

    for (int side = 0; side < 2; side++)
        ok &= (work[side] = work_new(ctx[side], cipher, shape, sealing, len)) != NULL;
    if (ok) {
        const struct unit stock = {work[0], cipher_prepare, cipher_run, work[0]->count};
        const struct unit octuple = {work[1], cipher_prepare, cipher_run, work[1]->count};
        ok = turns_measure(&stock, &octuple, cipher_same, (size_t)o->turns, &r);
    }
    work_free(work[0]);
    work_free(work[1]);
    return report_if(ok, o, &row, &r);
}

static int cipher_is_served(OSSL_LIB_CTX *octuple, const char *cipher)
{
    EVP_CIPHER *found = EVP_CIPHER_fetch(octuple, cipher, NULL);
    EVP_CIPHER_free(found);
    return say_served(cipher, found != NULL);
}

/* One cipher in every shape, direction and length that was asked for. */
static enum outcome every_way(const struct options *o, OSSL_LIB_CTX *ctx[2], const char *cipher)
{
    static const size_t known[] = {1, 7, 16, 17, 31, 48, 64, 100, 256, 300, 800, 1024, 1440, 4096, WORK_MAX_LEN};
    const size_t *lens = o->len ? &o->len : known, count = o->len ? 1 : sizeof known / sizeof *known;
    int ok = 1;

    if (!cipher_is_served(ctx[1], cipher))
        return NOT_SERVED;
    for (enum work_shape shape = 0; shape < WORK_SHAPES; shape++)
        for (int sealing = 1; sealing >= 0; sealing--)
            for (size_t i = 0; i < count; i++)
                if (is_wanted(o->shape, work_shape_name[shape]))
                    ok &= one_cipher(o, ctx, cipher, shape, sealing, lens[i]);
    return ok ? DONE : FAILED;
}

/* --- key derivations */

static int nothing_to_prepare(void *work)
{
    (void)work;
    return 1;
}

static int one_derivation(const struct options *o, OSSL_LIB_CTX *ctx[2], enum derive_shape shape, int is_sha384)
{
    struct derive derive[2];
    const struct unit stock = {&derive[0], nothing_to_prepare, derive_run, DERIVE_COUNT};
    const struct unit octuple = {&derive[1], nothing_to_prepare, derive_run, DERIVE_COUNT};
    struct result r;
    int ok;

    for (int side = 0; side < 2; side++)
        derive_init(&derive[side], ctx[side], shape, is_sha384 ? "SHA2-384" : "SHA2-256", is_sha384 ? 48 : 32);
    ok = turns_measure(&stock, &octuple, derive_same, (size_t)o->turns, &r);
    const struct row row = {derive_algorithm(shape), is_sha384 ? "SHA2-384" : "SHA2-256", derive_shape_name[shape],
                            derive[0].len};
    return report_if(ok, o, &row, &r);
}

static enum outcome every_derivation(const struct options *o, OSSL_LIB_CTX *ctx[2], const char *algorithm)
{
    EVP_KDF *found = EVP_KDF_fetch(ctx[1], algorithm, NULL);
    int ok = 1;

    EVP_KDF_free(found);
    if (!say_served(algorithm, found != NULL))
        return NOT_SERVED;
    for (enum derive_shape shape = 0; shape < DERIVE_SHAPES; shape++)
        for (int is_sha384 = 0; is_sha384 < 2; is_sha384++)
            if (strcmp(derive_algorithm(shape), algorithm) == 0 && is_wanted(o->shape, derive_shape_name[shape]))
                ok &= one_derivation(o, ctx, shape, is_sha384);
    return ok ? DONE : FAILED;
}

static enum outcome all(const struct options *o, OSSL_LIB_CTX *ctx[2])
{
    static const struct {
        const char *name;
        enum outcome (*measure)(const struct options *o, OSSL_LIB_CTX *ctx[2], const char *name);
    } known[] = {
        {"AES-128-GCM", every_way},      {"AES-256-GCM", every_way},     {"ChaCha20-Poly1305", every_way},
        {"TLS13-KDF", every_derivation}, {"TLS1-PRF", every_derivation},
    };
    enum outcome worst = NOT_SERVED;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!is_wanted(o->algorithm, known[i].name))
            continue;
        const enum outcome outcome = known[i].measure(o, ctx, known[i].name);
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}

static int usage(void)
{
    fputs("usage: octuple-evp [--json] [--algorithm NAME] [--len BYTES] [--turns N] [--below PERCENT]\n"
          "                   [--shape pieces|records|tls12|secret|key|extract|master|block] FOLDER-OF-octuple.so\n",
          stderr);
    return 2;
}

static int parse(struct options *o, int argc, char **argv)
{
    static const struct option known[] = {
        {"json", no_argument, NULL, 'j'},
        {"algorithm", required_argument, NULL, 'a'},
        {"shape", required_argument, NULL, 's'},
        {"len", required_argument, NULL, 'l'},
        {"turns", required_argument, NULL, 't'},
        {"below", required_argument, NULL, 'b'},
        {NULL, 0, NULL, 0},
    };
    int letter;

    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (letter) {
        case 'j':
            o->json = 1;
            break;
        case 'a':
            o->algorithm = optarg;
            break;
        case 's':
            o->shape = optarg;
            break;
        case 'l':
            o->len = strtoul(optarg, NULL, 10);
            break;
        case 't':
            o->turns = strtol(optarg, NULL, 10);
            break;
        case 'b':
            o->below = strtol(optarg, NULL, 10);
            break;
        default:
            return 0;
        }
    }
    o->modules = argv[optind];
    return argc - optind == 1 && o->turns > 0 && o->turns <= TURNS_MAX && o->len <= WORK_MAX_LEN;
}

int main(int argc, char **argv)
{
    struct options o = {.turns = 400};
    OSSL_LIB_CTX *ctx[2];

    if (!parse(&o, argc, argv))
        return usage();
    setenv("OCTUPLE_CIPHERS", "on", 1);
    ctx[0] = sides_libctx(NULL, NULL);
    ctx[1] = sides_libctx(o.modules, "provider=octuple");
    if (ctx[0] == NULL || ctx[1] == NULL) {
        fprintf(stderr, "octuple-evp: OpenSSL does not load %s/octuple.so\n", o.modules);
        return 1;
    }
    fputs(o.json ? "[" : "algorithm          verb     shape    bytes   stock ns octuple ns   ratio\n", stdout);
    const enum outcome outcome = all(&o, ctx);
    if (o.json)
        puts("\n]");
    return outcome == DONE ? 0 : outcome == FAILED ? 1 : 77;
}
