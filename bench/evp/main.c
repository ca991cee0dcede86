/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * octuple-evp: what AEADs cost through EVP, with OpenSSL's own provider and with Octuple's, by turns of some thirty
 * microseconds in one process, so that what the machine does meanwhile meets both. A ratio is the median over the pairs of
 * neighbouring turns; times are medians too. See bench/README.md.
 *
 * Exit status: 0, 1 if anything failed or the two sides do not come to the same bytes, 2 for wrong usage, 77 if Octuple serves none of it
 * here.
 */
#include "work.h"

#include <getopt.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURN_NS   30000.0
#define MAX_TURNS 10000

/* What was measured, and what that came to. */
enum outcome { NOT_SERVED, DONE, FAILED };

struct options {
    const char *modules, *cipher, *shape;
    long turns, below; /* below: report those only whose ratio in per cent is below */
    size_t len;
    int json;
};

struct result {
    double stock_ns, octuple_ns, ratio; /* for each piece or record */
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, size_t n)
{
    qsort(value, n, sizeof *value, by_size);
    return value[n / 2];
}

/* `units` units of work, and nanoseconds for each piece or record; negative if one failed. */
static double turn(struct work *w, size_t units)
{
    double spent = 0;

    for (size_t i = 0; i < units; i++) {
        if (!work_prepare(w))
            return -1;
        const double began = now_ns();
        const int ok = work_do(w);
        spent += now_ns() - began;
        if (!ok)
            return -1;
    }
    return spent / (double)(units * w->count);
}

/* 1, or 0 if work failed or the two do not come to the same bytes. */
static int measure(struct work *stock, struct work *octuple, size_t turns, struct result *r)
{
    static double a[MAX_TURNS], b[MAX_TURNS], ratio[MAX_TURNS];
    const double first = turn(stock, 2);
    int ok = first > 0 && turn(octuple, 2) > 0 && work_same(stock, octuple);
    const size_t units = ok ? 1 + (size_t)(TURN_NS / (first * (double)stock->count)) : 1;

    for (size_t i = 0; i < turns; i++) {
        a[i] = turn(stock, units);
        b[i] = turn(octuple, units);
        ratio[i] = a[i] / b[i];
        ok &= a[i] > 0 && b[i] > 0;
    }
    *r = (struct result){median(a, turns), median(b, turns), median(ratio, turns)};
    return ok;
}

static OSSL_LIB_CTX *new_libctx(const char *modules)
{
    OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();

    if (ctx == NULL || OSSL_PROVIDER_load(ctx, "default") == NULL)
        return NULL;
    if (modules != NULL && (!OSSL_PROVIDER_set_default_search_path(ctx, modules) ||
                            OSSL_PROVIDER_load(ctx, "octuple") == NULL ||
                            !EVP_set_default_properties(ctx, "provider=octuple")))
        return NULL;
    return ctx;
}

static void report(const struct options *o, const char *cipher, const struct work *w, const struct result *r)
{
    static const char *separator = "";
    const char *verb = w->sealing ? "seal" : "open";

    if (o->below && 100 * r->ratio >= (double)o->below)
        return;
    if (o->json)
        printf("%s\n {\"cipher\": \"%s\", \"verb\": \"%s\", \"shape\": \"%s\", \"bytes\": %zu, \"stock_ns\": %.1f, "
               "\"octuple_ns\": %.1f, \"ratio\": %.3f}",
               separator, cipher, verb, work_shape_name[w->shape], w->len, r->stock_ns, r->octuple_ns, r->ratio);
    else
        printf("%-18s %-4s %-7s %6zu %10.1f %10.1f %7.2f\n", cipher, verb, work_shape_name[w->shape], w->len,
               r->stock_ns, r->octuple_ns, r->ratio);
    separator = ",";
    fflush(stdout);
}

static int one(const struct options *o, OSSL_LIB_CTX *ctx[2], const char *cipher, enum work_shape shape, int sealing,
               size_t len)
{
    struct work *stock = work_new(ctx[0], cipher, shape, sealing, len);
    struct work *octuple = work_new(ctx[1], cipher, shape, sealing, len);
    struct result r;
    const int ok = stock != NULL && octuple != NULL && measure(stock, octuple, (size_t)o->turns, &r);

    if (ok)
        report(o, cipher, stock, &r);
    else
        fprintf(stderr, "octuple-evp: %s, %s of %zu bytes: failed\n", cipher, work_shape_name[shape], len);
    work_free(stock);
    work_free(octuple);
    return ok;
}

static int is_served(OSSL_LIB_CTX *octuple, const char *cipher)
{
    EVP_CIPHER *found = EVP_CIPHER_fetch(octuple, cipher, NULL);

    if (found == NULL)
        fprintf(stderr, "octuple-evp: %s is not served by Octuple here\n", cipher);
    EVP_CIPHER_free(found);
    return found != NULL;
}

/* One cipher in every shape, direction and length that was asked for. */
static enum outcome every_way(const struct options *o, OSSL_LIB_CTX *ctx[2], const char *cipher)
{
    static const size_t known[] = {1, 7, 16, 17, 31, 48, 64, 100, 256, 300, 800, 1024, 1440, 4096, WORK_MAX_LEN};
    const size_t *lens = o->len ? &o->len : known, count = o->len ? 1 : sizeof known / sizeof *known;
    int ok = 1;

    if (!is_served(ctx[1], cipher))
        return NOT_SERVED;
    for (enum work_shape shape = 0; shape < WORK_SHAPES; shape++)
        for (int sealing = 1; sealing >= 0; sealing--)
            for (size_t i = 0; i < count; i++)
                if (!o->shape || strcmp(o->shape, work_shape_name[shape]) == 0)
                    ok &= one(o, ctx, cipher, shape, sealing, lens[i]);
    return ok ? DONE : FAILED;
}

static enum outcome all(const struct options *o, OSSL_LIB_CTX *ctx[2])
{
    static const char *const ciphers[] = {"AES-128-GCM", "AES-256-GCM", "ChaCha20-Poly1305"};
    enum outcome worst = NOT_SERVED;

    for (size_t c = 0; c < sizeof ciphers / sizeof *ciphers; c++) {
        if (o->cipher && strcmp(o->cipher, ciphers[c]) != 0)
            continue;
        const enum outcome outcome = every_way(o, ctx, ciphers[c]);
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}

static int usage(void)
{
    fputs("usage: octuple-evp [--json] [--cipher NAME] [--shape pieces|records|tls12] [--len BYTES] [--turns N]\n"
          "                   [--below PERCENT] FOLDER-OF-octuple.so\n",
          stderr);
    return 2;
}

static int parse(struct options *o, int argc, char **argv)
{
    static const struct option known[] = {
        {"json", no_argument, NULL, 'j'},        {"cipher", required_argument, NULL, 'c'},
        {"shape", required_argument, NULL, 's'}, {"len", required_argument, NULL, 'l'},
        {"turns", required_argument, NULL, 't'}, {"below", required_argument, NULL, 'b'},
        {NULL, 0, NULL, 0},
    };
    int letter;

    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (letter) {
        case 'j': o->json = 1; break;
        case 'c': o->cipher = optarg; break;
        case 's': o->shape = optarg; break;
        case 'l': o->len = strtoul(optarg, NULL, 10); break;
        case 't': o->turns = strtol(optarg, NULL, 10); break;
        case 'b': o->below = strtol(optarg, NULL, 10); break;
        default: return 0;
        }
    }
    o->modules = argv[optind];
    return argc - optind == 1 && o->turns > 0 && o->turns <= MAX_TURNS && o->len <= WORK_MAX_LEN;
}

int main(int argc, char **argv)
{
    struct options o = {.turns = 400};
    OSSL_LIB_CTX *ctx[2];

    if (!parse(&o, argc, argv))
        return usage();
    setenv("OCTUPLE_CIPHERS", "on", 1);
    ctx[0] = new_libctx(NULL);
    ctx[1] = new_libctx(o.modules);
    if (ctx[0] == NULL || ctx[1] == NULL) {
        fprintf(stderr, "octuple-evp: OpenSSL does not load %s/octuple.so\n", o.modules);
        return 1;
    }
    fputs(o.json ? "[" : "cipher             verb shape    bytes   stock ns octuple ns   ratio\n", stdout);
    const enum outcome outcome = all(&o, ctx);
    if (o.json)
        puts("\n]");
    return outcome == DONE ? 0 : outcome == FAILED ? 1 : 77;
}
