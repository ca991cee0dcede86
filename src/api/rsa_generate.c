/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA key generation (FIPS 186-5, A.1.3 and B.3.1). Lanes are full within a single call: sixteen candidates for p and q
 * have their first test at a time, and the two that pass share their further rounds. 1/q mod p is one more power.
 *
 * Each candidate is drawn afresh. So what is rejected, and when, says nothing of what is kept, and may show in time.
 * What is kept goes through the same steps whatever it is.
 *
 * All numbers lie in a mapping of the call's own that is in no core dump and that the child of a fork finds empty:
 * callbacks run in between, and may use the thread's workspace.
 */
#include "api/flat_internal.h"
#include "api/op_internal.h"
#include "api/operation.h"
#include "api/random.h"
#include "api/rsa_derive.h"
#include "api/rsa_internal.h"
#include "api/rsa_sieve.h"
#include "api/workspace.h"
#include "base/big.h"
#include "base/checkmem.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define SIDES 2
#define BATCH (SIDES * OCT_LANES)
#define WORDS OCT_RSA_MAX_PRIME_WORDS
#define LIMBS OCT_RSA_MAX_PRIME_LIMBS

/* Rounds of Miller-Rabin with random bases, that which finds a prime and those of one batch more: nine of one prime,
 * and eight of the other, since a lane of it computes 1/q mod p. FIPS 186-5 (table B.1) asks for five of primes of 1024
 * bits and for four of longer ones. After eight a random number of 1024 bits is composite with less than 2^-155
 * (Damgard, Landrock and Pomerance, 1993). */
#define QINV_LANE (BATCH - 1)

/* The first word of sqrt(2) * 2^(64*words - 1), rounded up. */
#define LEAST_TOP 0xb504f333f9de6485

/* FIPS 186-5 gives up after 10*bits candidates for a prime. A few thousand are usual for two. */
#define MOST_DRAWS(bits) (40 * (bits))

/* A modulus as the kernels want it, and exp = n - 1. */
struct modulus {
    uint64_t word[WORDS];
    uint64_t n[LIMBS], rr[LIMBS], exp[LIMBS], k0;
};

struct generation {
    int is_alive; /* 0: wiped, in the child of a fork */
    const struct oct_ops *ops;
    const struct oct_rsa_generation *how;
    unsigned size, bits, draws, tested;
    size_t words, limbs; /* of a prime */
    struct modulus candidate[BATCH], prime[2];
    unsigned found;
    uint64_t base[BATCH][LIMBS], inverse_exp[LIMBS], qinv[WORDS];
    struct oct_rsa_derived derived;
    struct {
        uint8_t n[8 * OCT_RSA_MAX_WORDS], d[8 * OCT_RSA_MAX_WORDS], prime[2][8 * WORDS], exp[2][8 * WORDS];
        uint8_t qinv[8 * WORDS], in[8 * OCT_RSA_MAX_WORDS], out[8 * OCT_RSA_MAX_WORDS];
    } bytes;
    size_t unused; /* bytes of the pool */
    uint8_t pool[4096];
    struct oct_rsa_sieve sieve;
};

/* What a batch of the kernel reads and writes, in the workspace. */
struct side {
    oct_limb8 n[LIMBS], rr[LIMBS], exp[LIMBS], base[LIMBS], power[LIMBS], k0[1], strong[1];
};

/* Random bytes come in pools, because each call of the caller's function, or of the kernel, has its price. */
static int refill(struct generation *g)
{
    const struct oct_rsa_generation *how = g->how;
    if (!how || !how->random_bytes) {
        const int status = oct_random(g->pool, sizeof g->pool);
        if (status != OCT_OK)
            return status;
    } else if (how->random_bytes(how->random_arg, g->pool, sizeof g->pool) != 1) {
        return OCT_ERR_STOPPED;
    }
    if (!g->is_alive)
        return OCT_ERR_STATE;
    OCT_SECRET(g->pool, sizeof g->pool);
    g->unused = sizeof g->pool;
    return OCT_OK;
}

static int draw(struct generation *g, void *data, size_t len)
{
    uint8_t *to = data;
    while (len > 0) {
        const int status = g->unused > 0 ? OCT_OK : refill(g);
        if (status != OCT_OK)
            return status;
        const size_t part = len < g->unused ? len : g->unused;
        uint8_t *from = g->pool + sizeof g->pool - g->unused;
        memcpy(to, from, part);
        oct_cleanse(from, part);
        to += part;
        len -= part;
        g->unused -= part;
    }
    return OCT_OK;
}

static int tell(struct generation *g, int potential, unsigned iteration)
{
    const struct oct_rsa_generation *how = g->how;
    if (how && how->progress && how->progress(how->progress_arg, potential, (int)iteration) != 1)
        return OCT_ERR_STOPPED;
    return g->is_alive ? OCT_OK : OCT_ERR_STATE;
}

/* The first word of a candidate: random among those that are large enough. */
static int draw_top(struct generation *g, uint64_t *top)
{
    static const uint64_t least = LEAST_TOP;
    for (;;) {
        const int status = draw(g, top, sizeof *top);
        if (status != OCT_OK)
            return status;
        uint64_t low = oct_big_less(top, &least, 1);
        /* What is too small is gone. */
        OCT_DECLASSIFY(&low, sizeof low);
        if (!low)
            return OCT_OK;
        if (++g->draws > MOST_DRAWS(g->bits))
            return OCT_ERR_FAULT;
    }
}

/* Whether n - 1 has a factor e, or more factors 2 than the test looks at. */
static bool is_left_out(const uint64_t *n, size_t words)
{
    const uint64_t twos = (n[0] & (((uint64_t)1 << OCT_RSA_STRONG_BITS) - 1)) ^ 1;
    uint64_t out = ~oct_mask_nonzero(twos) | ~oct_mask_nonzero(oct_rsa_mod_e(n, words) ^ 1);
    OCT_DECLASSIFY(&out, sizeof out);
    return out != 0;
}

static void set_modulus(const struct generation *g, struct modulus *m)
{
    m->word[0] ^= 1;
    oct_big_to_limbs52(m->exp, g->limbs, m->word, g->words);
    m->word[0] ^= 1;
    oct_big_to_limbs52(m->n, g->limbs, m->word, g->words);
    oct_rsa_set_rr(m->rr, g->limbs, m->word, g->words);
    m->k0 = oct_big_montgomery_k0(m->word[0]);
}

/* A candidate that no small prime divides. */
static int draw_candidate(struct generation *g, struct modulus *m)
{
    for (;;) {
        int status = draw(g, m->word, (g->words - 1) * sizeof m->word[0]);
        if (status == OCT_OK)
            status = draw_top(g, &m->word[g->words - 1]);
        if (status != OCT_OK)
            return status;
        m->word[0] |= 1;
        if (oct_rsa_sieve_passes(&g->sieve, m->word) && !is_left_out(m->word, g->words))
            break;
        if (++g->draws > MOST_DRAWS(g->bits))
            return OCT_ERR_FAULT;
    }
    set_modulus(g, m);
    return OCT_OK;
}

static void spread(oct_limb8 *x, unsigned lane, const uint64_t *limb, size_t limbs)
{
    for (size_t i = 0; i < limbs; i++)
        x[i][lane] = limb[i];
}

/* What one lane of a batch computes, with the base of its number. */
struct job {
    const struct modulus *modulus;
    const uint64_t *exp;
};

/* A base has more bits than the number, so that none is too large: rejecting some would tell of a prime. That it is 0,
 * 1 or -1 modulo the number is less likely than anything else that could go wrong. */
static int draw_bases(struct generation *g)
{
    for (int i = 0; i < BATCH; i++) {
        uint64_t word[WORDS + 1] = {0};
        const int status = draw(g, word, (64 * g->words + OCT_RSA_BASE_BITS) / 8);
        if (status != OCT_OK)
            return status;
        oct_big_to_limbs52(g->base[i], g->limbs, word, g->words + 1);
        oct_cleanse(word, sizeof word);
    }
    return OCT_OK;
}

static void put_lane(const struct generation *g, struct side *side, unsigned lane, const struct job *job,
                     const uint64_t *base)
{
    const struct modulus *m = job->modulus;
    spread(side->n, lane, m->n, g->limbs);
    spread(side->rr, lane, m->rr, g->limbs);
    spread(side->exp, lane, job->exp, g->limbs);
    spread(side->base, lane, base, g->limbs);
    side->k0[0][lane] = m->k0;
}

/* The power of a lane, out of its limbs. */
static void take_power(const struct generation *g, uint64_t *word, const struct side *side, unsigned lane)
{
    uint64_t limb[LIMBS];
    for (size_t i = 0; i < g->limbs; i++)
        limb[i] = side->power[i][lane];
    oct_big_from_limbs52(word, g->words, limb, g->limbs);
    oct_cleanse(limb, sizeof limb);
}

/* Whether a lane has passed: by the kernel's verdict, and Fermat's, so that a fault in one is not enough. */
static unsigned has_passed(const struct generation *g, const struct side *side, unsigned lane)
{
    uint64_t difference = side->strong[0][lane] ^ 1;
    for (size_t i = 0; i < g->limbs; i++)
        difference |= side->power[i][lane] ^ (i == 0);
    uint64_t passed = ~oct_mask_nonzero(difference);
    /* That a prime passes its tests is no secret, and what fails is forgotten. */
    OCT_DECLASSIFY(&passed, sizeof passed);
    return passed & 1;
}

/* One batch: bit i of *passed says whether lane i has passed its test. If asked, also the power of lane QINV_LANE. */
static int run(struct generation *g, const struct job job[BATCH], uint32_t *passed, uint64_t *power)
{
    const size_t kernel = *g->ops->rsa_keygen[g->size].workspace;
    struct oct_workspace *w = oct_workspace_open(SIDES * (sizeof(struct side) + 64) + kernel);
    if (!w)
        return OCT_ERR_MEMORY;
    struct side *side = oct_workspace_take(w, SIDES * sizeof *side);
    struct oct_rsa_strong_args args = {.crt = {.workspace = oct_workspace_take(w, kernel), .vectors = SIDES}};
    for (unsigned i = 0; i < BATCH; i++)
        put_lane(g, &side[i / OCT_LANES], i % OCT_LANES, &job[i], g->base[i]);
    for (int i = 0; i < SIDES; i++) {
        args.crt.side[i].n = side[i].n;
        args.crt.side[i].rr = side[i].rr;
        args.crt.side[i].k0 = side[i].k0;
        args.crt.side[i].exp = side[i].exp;
        args.crt.side[i].c = side[i].base;
        args.result[i].power = side[i].power;
        args.result[i].strong = side[i].strong;
    }
    g->ops->rsa_keygen[g->size].run(&args);
    *passed = 0;
    for (unsigned i = 0; i < BATCH; i++)
        *passed |= has_passed(g, &side[i / OCT_LANES], i % OCT_LANES) << i;
    if (power)
        take_power(g, power, &side[QINV_LANE / OCT_LANES], QINV_LANE % OCT_LANES);
    g->ops->clear_registers();
    oct_workspace_close(w);
    oct_scrub_stack();
    return OCT_OK;
}

/* A number that passed its first test becomes p or q, if it is far enough from p. */
static void keep(struct generation *g, const struct modulus *m)
{
    if (g->found == 1) {
        uint64_t far = oct_rsa_far_apart(g->prime[0].word, m->word, g->words);
        OCT_DECLASSIFY(&far, sizeof far);
        if (!far)
            return;
    }
    g->prime[g->found++] = *m;
}

/* Finds two numbers that pass the first test. */
static int search(struct generation *g)
{
    struct job job[BATCH];
    uint32_t passed;
    g->found = 0;
    while (g->found < 2) {
        int status = draw_bases(g);
        for (unsigned i = 0; status == OCT_OK && i < BATCH; i++) {
            status = draw_candidate(g, &g->candidate[i]);
            job[i] = (struct job){&g->candidate[i], g->candidate[i].exp};
        }
        if (status == OCT_OK)
            status = run(g, job, &passed, NULL);
        for (unsigned i = 0; status == OCT_OK && i < BATCH && g->found < 2; i++)
            if (passed >> i & 1)
                keep(g, &g->candidate[i]);
            else
                status = tell(g, 0, g->tested++);
        if (status != OCT_OK)
            return status;
    }
    return OCT_OK;
}

/* p > q, as OpenSSL has them. Which of the two came first is no secret, but which is the larger one decides nothing. */
static void order(struct generation *g)
{
    const uint64_t swap = oct_big_less(g->prime[0].word, g->prime[1].word, g->words);
    uint64_t *a = (uint64_t *)&g->prime[0], *b = (uint64_t *)&g->prime[1];
    _Static_assert(sizeof(struct modulus) % sizeof *a == 0, "a modulus is words");
    for (size_t i = 0; i < sizeof(struct modulus) / sizeof *a; i++) {
        const uint64_t difference = (a[i] ^ b[i]) & swap;
        a[i] ^= difference;
        b[i] ^= difference;
    }
}

/* exp = p - 2 and the base q: q^(p-2) = 1/q mod p. */
static void prepare_inverse(struct generation *g)
{
    uint64_t word[WORDS];
    const uint64_t two[WORDS] = {2};
    (void)oct_big_sub(word, g->prime[0].word, two, g->words);
    oct_big_to_limbs52(g->inverse_exp, g->limbs, word, g->words);
    memcpy(g->base[QINV_LANE], g->prime[1].n, sizeof g->base[QINV_LANE]);
    oct_cleanse(word, sizeof word);
}

/* The further rounds of both numbers, and 1/q mod p. *good says whether they are primes. */
static int prove(struct generation *g, bool *good)
{
    struct job job[BATCH];
    uint32_t passed = 0;
    int status = draw_bases(g);
    prepare_inverse(g);
    for (unsigned i = 0; i < BATCH; i++)
        job[i] = (struct job){&g->prime[i % 2], g->prime[i % 2].exp};
    job[QINV_LANE] = (struct job){&g->prime[0], g->inverse_exp};
    if (status == OCT_OK)
        status = run(g, job, &passed, g->qinv);
    for (unsigned i = 0; status == OCT_OK && i < QINV_LANE; i++)
        status = tell(g, 1, i / 2);
    *good = status == OCT_OK && (passed | 1u << QINV_LANE) == (1u << BATCH) - 1;
    for (unsigned i = 0; *good && status == OCT_OK && i < 2; i++)
        status = tell(g, 3, i);
    return status;
}

/* n, d and d's rests. Whether d is long enough. */
static bool derive(struct generation *g)
{
    uint64_t good = oct_rsa_derive(&g->derived, g->prime[0].word, g->prime[1].word, g->words);
    OCT_DECLASSIFY(&good, sizeof good);
    /* n is public from here on. */
    OCT_DECLASSIFY(g->derived.n, sizeof g->derived.n);
    return good != 0;
}

static void write_bytes(struct generation *g)
{
    const size_t half = 8 * g->words;
    oct_big_to_bytes(g->bytes.n, 2 * half, g->derived.n, 2 * g->words);
    oct_big_to_bytes(g->bytes.d, 2 * half, g->derived.d, 2 * g->words);
    for (int i = 0; i < 2; i++) {
        oct_big_to_bytes(g->bytes.prime[i], half, g->prime[i].word, g->words);
        oct_big_to_bytes(g->bytes.exp[i], half, g->derived.exp[i], g->words);
    }
    oct_big_to_bytes(g->bytes.qinv, half, g->qinv, g->words);
}

/* d itself, which the operation in lanes does not use: e * d = 1 mod (p-1) and mod (q-1). */
static bool check_d(struct generation *g)
{
    const uint64_t e = OCT_RSA_E;
    uint64_t *product = g->derived.scratch, *rest = product + 2 * g->words + 1, *less_one = rest + g->words, bad = 0;
    for (int i = 0; i < 2; i++) {
        memcpy(less_one, g->prime[i].word, g->words * sizeof *less_one);
        less_one[0] ^= 1;
        oct_big_mul(product, g->derived.d, 2 * g->words, &e, 1);
        oct_big_mod(rest, product, 2 * g->words + 1, less_one, g->words);
        rest[0] ^= 1;
        bad |= ~oct_big_is_zero(rest, g->words);
    }
    OCT_DECLASSIFY(&bad, sizeof bad);
    return bad == 0;
}

/* The pair as its user will have it: imported, which checks how its numbers relate, and a signature made and checked. A
 * composite that got here in spite of all would fail either. */
static int try_out(struct generation *g)
{
    static const uint8_t e[3] = {1, 0, 1};
    const size_t half = 8 * g->words;
    const struct oct_rsa_numbers numbers = {.n = {g->bytes.n, 2 * half},
                                            .e = {e, sizeof e},
                                            .p = {g->bytes.prime[0], half},
                                            .q = {g->bytes.prime[1], half},
                                            .dp = {g->bytes.exp[0], half},
                                            .dq = {g->bytes.exp[1], half},
                                            .qinv = {g->bytes.qinv, half}};
    struct oct_rsa_key *key = NULL;
    struct oct_lanes result;
    int status = draw(g, g->bytes.in + 1, 2 * half - 1); /* below n */
    if (status == OCT_OK)
        status = check_d(g) ? oct_rsa_key_new(&key, &numbers) : OCT_ERR_FAULT;
    if (status == OCT_OK) {
        const struct oct_rsa_lane lane = {key, g->bytes.in, g->bytes.out};
        status = oct_rsa_private_on(g->ops, &lane, 1, &result);
        if (status == OCT_OK && result.ok != 1)
            status = OCT_ERR_FAULT;
    }
    oct_rsa_key_free(key);
    return status == OCT_ERR_KEY ? OCT_ERR_FAULT : status;
}

static int make(struct generation *g)
{
    /* That a number passes its first test and then another fails does not happen to those who compute correctly. */
    for (int tries = 0; tries < 4; tries++) {
        bool good = false;
        int status = search(g);
        if (status == OCT_OK) {
            order(g);
            status = prove(g, &good);
        }
        if (status != OCT_OK)
            return status;
        if (!good || !derive(g))
            continue;
        write_bytes(g);
        return try_out(g);
    }
    return OCT_ERR_FAULT;
}

static void give(const struct generation *g, const struct oct_rsa_generated *out)
{
    const size_t half = 8 * g->words;
    memcpy(out->n, g->bytes.n, 2 * half);
    memcpy(out->d, g->bytes.d, 2 * half);
    memcpy(out->p, g->bytes.prime[0], half);
    memcpy(out->q, g->bytes.prime[1], half);
    memcpy(out->dp, g->bytes.exp[0], half);
    memcpy(out->dq, g->bytes.exp[1], half);
    memcpy(out->qinv, g->bytes.qinv, half);
}

static struct generation *generation_new(void)
{
    struct generation *g = mmap(NULL, sizeof *g, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g == MAP_FAILED)
        return NULL;
    /* Advice only, as for workspaces. */
    (void)madvise(g, sizeof *g, MADV_DONTDUMP);
    (void)madvise(g, sizeof *g, MADV_WIPEONFORK);
    g->is_alive = 1;
    return g;
}

static int find_size(unsigned bits)
{
    for (unsigned size = 0; size < OCT_RSA_SIZES; size++)
        if (oct_rsa_bits(size) == bits)
            return (int)size;
    return -1;
}

static bool has_places(const struct oct_rsa_generated *out)
{
    return out && out->n && out->d && out->p && out->q && out->dp && out->dq && out->qinv;
}

int oct_rsa_generate_on(const struct oct_ops *ops, const struct oct_rsa_generated *out, unsigned bits,
                        const struct oct_rsa_generation *how)
{
    if (!has_places(out))
        return OCT_ERR_ARGUMENT;
    const int size = find_size(bits);
    if (size < 0 || !ops)
        return OCT_ERR_UNSUPPORTED;
    struct generation *g = generation_new();
    if (!g)
        return OCT_ERR_MEMORY;
    g->ops = ops;
    g->how = how;
    g->bits = bits;
    g->size = (unsigned)size;
    g->words = bits / 128;
    g->limbs = oct_rsa_prime_limbs(g->size);
    oct_rsa_sieve_make(&g->sieve, g->words);
    const int status = make(g);
    if (status == OCT_OK)
        give(g, out);
    oct_cleanse(g, sizeof *g);
    (void)munmap(g, sizeof *g);
    return status;
}

int oct_rsa_keygen_op(unsigned bits)
{
    const int size = find_size(bits);
    return size < 0 ? -1 : oct_operation_find(&oct_family_rsa_keygen, size);
}

int oct_rsa_generate(const struct oct_rsa_generated *out, unsigned bits, const struct oct_rsa_generation *how)
{
    const int op = oct_rsa_keygen_op(bits);
    return oct_rsa_generate_on(op < 0 ? NULL : oct_op_table(op), out, bits, how);
}

static int keygen_check(const struct oct_operation *operation, const void *lane)
{
    (void)operation;
    return has_places(lane) ? OCT_OK : OCT_ERR_ARGUMENT;
}

static void give_nothing(const struct oct_rsa_generated *out, size_t half)
{
    memset(out->n, 0, 2 * half);
    memset(out->d, 0, 2 * half);
    uint8_t *const short_ones[] = {out->p, out->q, out->dp, out->dq, out->qinv};
    for (size_t i = 0; i < OCT_ARRAY_LEN(short_ones); i++)
        memset(short_ones[i], 0, half);
}

/* One key after the other, since each fills all lanes. */
static int keygen_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane,
                     unsigned lanes, struct oct_lanes *result)
{
    const struct oct_rsa_generated *lane = vlane;
    const unsigned bits = oct_rsa_bits(operation->variant);
    *result = (struct oct_lanes){0};
    for (unsigned i = 0; i < lanes; i++)
        if (oct_rsa_generate_on(ops, &lane[i], bits, NULL) == OCT_OK)
            result->ok |= (uint8_t)(1u << i);
        else
            give_nothing(&lane[i], bits / 16);
    return OCT_OK;
}

static void flat_form(const struct oct_operation *operation, struct oct_flat_form *form)
{
    const size_t bytes = oct_rsa_bits(operation->variant) / 8;
    form->out = 2 * bytes + 5 * bytes / 2;
}

static void flat_lay(const struct oct_operation *operation, void *vlane, const struct oct_flat_lane *at)
{
    struct oct_rsa_generated *lane = vlane;
    const size_t half = oct_rsa_bits(operation->variant) / 16;
    uint8_t *p = at->out + 4 * half;
    *lane = (struct oct_rsa_generated){.n = at->out,
                                       .d = at->out + 2 * half,
                                       .p = p,
                                       .q = p + half,
                                       .dp = p + 2 * half,
                                       .dq = p + 3 * half,
                                       .qinv = p + 4 * half};
}

static const struct oct_flat flat = {.form = flat_form, .lay = flat_lay};

const struct oct_family oct_family_rsa_keygen = {.lane_bytes = sizeof(struct oct_rsa_generated),
                                                 .whole = false,
                                                 .check = keygen_check,
                                                 .run_x8 = keygen_x8,
                                                 .flat = &flat};
