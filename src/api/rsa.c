/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA batch calls: bytes into lanes, the kernel, the check of every private result, lanes into bytes.
 */
#include "api/flat_internal.h"
#include "api/operation.h"
#include "api/rsa_internal.h"
#include "api/workspace.h"
#include "base/big.h"
#include "base/checkmem.h"
#include "trace/counters.h"

#include <string.h>

#define MAX_WORDS 64

/* One batch in its workspace. Lane i of `c` and `s` belongs to operation i; lanes without one repeat operation 0. */
struct batch {
    const struct oct_ops *ops;
    const struct oct_rsa_lane *lane;
    unsigned lanes, size, limbs;
    struct oct_workspace *workspace;
    oct_limb8 *c;      /* [limbs] inputs; an invalid one is replaced by zero */
    oct_limb8 *s;      /* [limbs] results */
    oct_limb8 *retry;  /* [2*limbs] the same two, for one operation that is computed again */
    oct_limb8 *side;   /* [2*limbs for c + 3*prime_limbs + 1] for each side of the private operation */
    oct_limb8 *qinv;   /* [prime_limbs] */
    oct_limb8 *public; /* [3*limbs + 2]: n, rr, result, k0, e */
    void *kernel;      /* the kernels' own workspace */
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The workspace of a batch; also lays out its parts. */
static int batch_open(struct batch *b, int private)
{
    const size_t prime_limbs = b->limbs / 2, limb = sizeof(oct_limb8);
    const size_t side = (b->limbs + 3 * prime_limbs + 1) * limb, public = (3 * b->limbs + 2) * limb;
    const size_t kernel =
        larger(*b->ops->rsa_public[b->size].workspace, private ? *b->ops->rsa_crt[b->size].workspace : 0);
    const size_t total = 4 * b->limbs * limb + 2 * side + prime_limbs * limb + public + kernel + 64;
    b->workspace = oct_workspace_open(total);
    if (!b->workspace)
        return OCT_ERR_MEMORY;
    b->c = oct_workspace_take(b->workspace, b->limbs * limb);
    b->s = oct_workspace_take(b->workspace, b->limbs * limb);
    b->public = oct_workspace_take(b->workspace, public);
    b->kernel = oct_workspace_take(b->workspace, kernel);
    if (private) {
        b->retry = oct_workspace_take(b->workspace, 2 * b->limbs * limb);
        b->side = oct_workspace_take(b->workspace, 2 * side);
        b->qinv = oct_workspace_take(b->workspace, prime_limbs * limb);
    }
    return OCT_OK;
}

static void batch_close(struct batch *b)
{
    b->ops->clear_registers();
    oct_workspace_close(b->workspace);
    oct_scrub_stack();
}

/* x[0..limbs-1] in one lane. */
static void spread(oct_limb8 *x, unsigned lane, const uint64_t *limb, size_t limbs)
{
    for (size_t i = 0; i < limbs; i++)
        x[i][lane] = limb[i];
}

/* Reads operation i's input into lanes of c: its own, and with i = 0 all that have no operation. Returns whether it
 * is below n; an input that is not becomes zero. */
static unsigned read_input(struct batch *b, unsigned i)
{
    const struct oct_rsa_key *key = b->lane[i].key;
    const size_t words = oct_rsa_bits(b->size) / 64;
    uint64_t in[MAX_WORDS], limb[OCT_RSA_MAX_LIMBS];
    (void)oct_big_from_bytes(in, words, b->lane[i].in, 8 * words);
    oct_big_to_limbs52(limb, b->limbs, in, words);
    uint64_t valid = oct_big_less(limb, key->n, b->limbs);
    for (size_t j = 0; j < b->limbs; j++)
        limb[j] &= valid;
    spread(b->c, i, limb, b->limbs);
    if (i == 0)
        for (unsigned rest = b->lanes; rest < OCT_LANES; rest++)
            spread(b->c, rest, limb, b->limbs);
    oct_cleanse(in, sizeof in);
    oct_cleanse(limb, sizeof limb);
    /* Whether an input is in range shows in the status. */
    OCT_DECLASSIFY(&valid, sizeof valid);
    return valid & 1;
}

static unsigned read_inputs(struct batch *b)
{
    unsigned valid = 0;
    for (unsigned i = 0; i < b->lanes; i++)
        valid |= read_input(b, i) << i;
    return valid;
}

static const struct oct_rsa_key *key_of(const struct batch *b, unsigned lane)
{
    return b->lane[lane < b->lanes ? lane : 0].key;
}

/* s = x^e mod n in all lanes. */
static void run_public(struct batch *b, const oct_limb8 *x, oct_limb8 *out)
{
    const size_t limbs = b->limbs;
    oct_limb8 *n = b->public, *rr = n + limbs, *k0 = rr + limbs, *e = k0 + 1;
    struct oct_rsa_public_args args = {
        .workspace = b->kernel, .all_f4 = 1, .n = n, .rr = rr, .k0 = k0, .e = e, .x = x, .out = out};
    for (unsigned lane = 0; lane < OCT_LANES; lane++) {
        const struct oct_rsa_key *key = key_of(b, lane);
        spread(n, lane, key->n, limbs);
        spread(rr, lane, key->rr, limbs);
        k0[0][lane] = key->k0;
        e[0][lane] = key->e;
        args.all_f4 &= key->e == 65537;
    }
    b->ops->rsa_public[b->size].run(&args);
}

/* One prime of one operation into one lane of one side. */
static void spread_prime(struct batch *b, struct oct_rsa_crt_args *args, oct_limb8 *base, int side, unsigned lane,
                         unsigned operation, int prime)
{
    const size_t prime_limbs = b->limbs / 2;
    oct_limb8 *n = base, *rr = n + prime_limbs, *exp = rr + prime_limbs, *k0 = exp + prime_limbs, *c = k0 + 1;
    const struct oct_rsa_prime *from = &key_of(b, operation)->prime[prime];
    spread(n, lane, from->n, prime_limbs);
    spread(rr, lane, from->rr, prime_limbs);
    spread(exp, lane, from->exp, prime_limbs);
    k0[0][lane] = from->k0;
    for (size_t i = 0; i < b->limbs; i++)
        c[i][lane] = b->c[i][operation];
    args->side[side].n = n;
    args->side[side].rr = rr;
    args->side[side].exp = exp;
    args->side[side].k0 = k0;
    args->side[side].c = c;
}

/* s = c^d mod n in all lanes: up to four operations are one vector of (operation, prime) lanes, more are two. */
static void run_private(struct batch *b)
{
    const size_t prime_limbs = b->limbs / 2;
    struct oct_rsa_crt_args args = {
        .workspace = b->kernel, .vectors = b->lanes <= 4 ? 1 : 2, .qinv = b->qinv, .out = b->s};
    oct_limb8 *side[2] = {b->side, b->side + b->limbs + 3 * prime_limbs + 1};
    for (unsigned i = 0; i < 4 * args.vectors; i++) {
        spread_prime(b, &args, side[0], 0, i, i, 0);
        if (args.vectors == 2)
            spread_prime(b, &args, side[1], 1, i, i, 1);
        else
            spread_prime(b, &args, side[0], 0, i + 4, i, 1);
    }
    for (unsigned lane = 0; lane < OCT_LANES; lane++)
        spread(b->qinv, lane, key_of(b, lane)->qinv, prime_limbs);
    b->ops->rsa_crt[b->size].run(&args);
}

/* s < n and s^e = c mod n, for one lane; `again` is s^e mod n. */
static uint64_t lane_is_good(const struct batch *b, unsigned lane, const oct_limb8 *again)
{
    uint64_t s[OCT_RSA_MAX_LIMBS], difference = 0;
    for (size_t i = 0; i < b->limbs; i++) {
        s[i] = b->s[i][lane];
        difference |= again[i][lane] ^ b->c[i][lane];
    }
    uint64_t good = ~oct_mask_nonzero(difference) & oct_big_less(s, b->lane[lane].key->n, b->limbs);
    oct_cleanse(s, sizeof s);
    /* Whether the check failed is reported. */
    OCT_DECLASSIFY(&good, sizeof good);
    return good;
}

/* Runs the private operation and checks every result: the mask of the good ones. */
static unsigned run_private_checked(struct batch *b)
{
    oct_limb8 *again = b->public + 2 * b->limbs + 2;
    unsigned good = 0;
    run_private(b);
    /* A single vector leaves other things than results in its upper lanes: repeat lane 0 in whatever is idle. */
    for (unsigned lane = b->lanes; lane < OCT_LANES; lane++)
        for (size_t i = 0; i < b->limbs; i++)
            b->s[i][lane] = b->s[i][0];
    run_public(b, b->s, again);
    for (unsigned lane = 0; lane < b->lanes; lane++)
        good |= (unsigned)(lane_is_good(b, lane, again) & 1) << lane;
    return good;
}

/* Computes operation i once more, alone. Returns whether the result is good this time. */
static unsigned retry(struct batch *b, unsigned i)
{
    struct batch one = *b;
    one.lane = &b->lane[i];
    one.lanes = 1;
    one.c = b->retry;
    one.s = b->retry + b->limbs;
    oct_count_recomputed(oct_rsa_private_op(one.lane->key), 1);
    for (size_t j = 0; j < b->limbs; j++)
        for (unsigned lane = 0; lane < OCT_LANES; lane++)
            one.c[j][lane] = b->c[j][i];
    if (!run_private_checked(&one))
        return 0;
    for (size_t j = 0; j < b->limbs; j++)
        b->s[j][i] = one.s[j][0];
    return 1;
}

static void write_output(const struct batch *b, unsigned i)
{
    const size_t words = oct_rsa_bits(b->size) / 64;
    uint64_t limb[OCT_RSA_MAX_LIMBS], word[MAX_WORDS];
    for (size_t j = 0; j < b->limbs; j++)
        limb[j] = b->s[j][i];
    oct_big_from_limbs52(word, words, limb, b->limbs);
    oct_big_to_bytes(b->lane[i].out, 8 * words, word, words);
    oct_cleanse(limb, sizeof limb);
    oct_cleanse(word, sizeof word);
}

/* Inputs have all been read by now: out may be in. */
static void write_outputs(const struct batch *b, unsigned ok)
{
    for (unsigned i = 0; i < b->lanes; i++)
        if (ok >> i & 1)
            write_output(b, i);
        else
            memset(b->lane[i].out, 0, oct_rsa_bits(b->size) / 8);
}

static int public_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_rsa_lane *lane = vlane;
    if (!lane->key || !lane->in || !lane->out || lane->key->size != operation->variant)
        return OCT_ERR_ARGUMENT;
    return OCT_OK;
}

static int private_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_rsa_lane *lane = vlane;
    const int status = public_check(operation, lane);
    return status == OCT_OK && !lane->key->is_private ? OCT_ERR_ARGUMENT : status;
}

/* Everything that the two operations share: workspace, inputs, outputs. */
static int run_on(const struct oct_ops *ops, const struct oct_rsa_lane lane[], unsigned lanes, struct oct_lanes *result,
                  int private)
{
    struct batch b = {.ops = ops, .lane = lane, .lanes = lanes, .size = lane[0].key->size};
    b.limbs = oct_rsa_limbs(b.size);
    const int status = batch_open(&b, private);
    if (status != OCT_OK)
        return status;
    const unsigned all = (1u << lanes) - 1, valid = read_inputs(&b);
    unsigned good = all;
    if (private) {
        good = run_private_checked(&b);
        for (unsigned i = 0; i < lanes; i++)
            if ((valid & ~good) >> i & 1)
                good |= retry(&b, i) << i;
    } else {
        run_public(&b, b.c, b.s);
    }
    result->ok = (uint8_t)(good & valid);
    result->invalid = (uint8_t)(all & ~valid);
    write_outputs(&b, result->ok);
    batch_close(&b);
    return OCT_OK;
}

static int private_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *lane,
                      unsigned lanes, struct oct_lanes *result)
{
    (void)operation;
    return run_on(ops, lane, lanes, result, 1);
}

static int public_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *lane, unsigned lanes,
                     struct oct_lanes *result)
{
    (void)operation;
    return run_on(ops, lane, lanes, result, 0);
}

#define FLAT_EXPONENT_BYTES 8

static void flat_form(const struct oct_operation *operation, struct oct_flat_form *form)
{
    const size_t bytes = oct_rsa_bits(operation->variant) / 8;
    form->key = bytes + 5 * bytes / 2 + FLAT_EXPONENT_BYTES;
    form->in = bytes;
    form->out = bytes;
}

static void flat_lay(const struct oct_operation *operation, void *vlane, const struct oct_flat_lane *at)
{
    struct oct_rsa_lane *lane = vlane;
    (void)operation;
    *lane = (struct oct_rsa_lane){at->key, at->in, at->out};
}

static int flat_key_new(const struct oct_operation *operation, void **key, const uint8_t *bytes)
{
    const size_t whole = oct_rsa_bits(operation->variant) / 8, half = whole / 2;
    const uint8_t *p = bytes + whole;
    const struct oct_rsa_numbers numbers = {.n = {bytes, whole},
                                            .p = {p, half},
                                            .q = {p + half, half},
                                            .dp = {p + 2 * half, half},
                                            .dq = {p + 3 * half, half},
                                            .qinv = {p + 4 * half, half},
                                            .e = {p + 5 * half, FLAT_EXPONENT_BYTES}};
    struct oct_rsa_key *made;
    const int status = oct_rsa_key_new(&made, &numbers);
    if (status == OCT_OK)
        *key = made;
    return status;
}

static void flat_key_free(void *key)
{
    oct_rsa_key_free(key);
}

static const struct oct_flat flat = {
    .form = flat_form, .lay = flat_lay, .key_new = flat_key_new, .key_free = flat_key_free};

const struct oct_family oct_family_rsa_crt = {.lane_bytes = sizeof(struct oct_rsa_lane),
                                              .whole = false,
                                              .check = private_check,
                                              .run_x8 = private_x8,
                                              .flat = &flat};
const struct oct_family oct_family_rsa_public = {
    .lane_bytes = sizeof(struct oct_rsa_lane), .whole = true, .check = public_check, .run_x8 = public_x8};

/* The first key says which size is meant; all lanes are held against it. -1: there is none. */
static int private_op(const struct oct_rsa_lane *lane)
{
    return lane && lane->key ? oct_rsa_private_op(lane->key) : -1;
}

static int public_op(const struct oct_rsa_lane *lane)
{
    return lane && lane->key ? oct_rsa_public_op(lane->key) : -1;
}

int oct_rsa_private_on(const struct oct_ops *ops, const struct oct_rsa_lane lane[], unsigned lanes,
                       struct oct_lanes *result)
{
    return oct_operation_on(private_op(lane), ops, lane, lanes, result);
}

int oct_rsa_public_on(const struct oct_ops *ops, const struct oct_rsa_lane lane[], unsigned lanes,
                      struct oct_lanes *result)
{
    return oct_operation_on(public_op(lane), ops, lane, lanes, result);
}

int oct_rsa_private_x8(const struct oct_rsa_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(private_op(lane), lane, lanes, result);
}

int oct_rsa_public_x8(const struct oct_rsa_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(public_op(lane), lane, lanes, result);
}
