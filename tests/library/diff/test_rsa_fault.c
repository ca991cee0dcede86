/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Fault injection: results of the private kernel and the numbers of keys are corrupted on purpose. Whatever happens,
 * what leaves a lane is the right result or zeros, the masks say which, and neighbours come to no harm. One faulty CRT
 * result with a right half would give the private key away (Boneh, DeMillo, Lipton 1997).
 */
#include "api/rsa_internal.h"
#include "depth.h"
#include "rsa_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define KEYS    4
#define SAMPLES 16
#define BYTES   256
#define LIMBS   40

static struct test_rsa keys[KEYS];
static struct oct_rsa_key *made[KEYS];
static struct {
    uint8_t in[BYTES], want[BYTES];
} sample[KEYS][SAMPLES];
static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;

/* What the corrupting kernel does to its next results. */
static struct {
    oct_rsa_crt_fn *real;
    unsigned lanes;       /* corrupt these lanes of a batch */
    unsigned retry_lanes; /* operations whose second computation is corrupted too, in the order of the retries */
    unsigned retries, calls;
} fault;

static uint64_t random_bits(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

/* One bit, one limb, all limbs, another lane's result, or half a result: the same mod one prime, wrong mod the other.
 */
static void corrupt_somehow(oct_limb8 *out, unsigned lane)
{
    const unsigned limb = random_bits() % LIMBS;
    switch (random_bits() % 5) {
    case 0:
        out[limb][lane] ^= (uint64_t)1 << random_bits() % (limb == LIMBS - 1 ? 20 : 52);
        break;
    case 1:
        out[limb][lane] = (out[limb][lane] + 1 + random_bits() % 1000) & 0xfffffffffffff;
        break;
    case 2:
        for (unsigned i = 0; i < LIMBS; i++)
            out[i][lane] = random_bits() & 0xfffffffffffff;
        break;
    case 3:
        for (unsigned i = 0; i < LIMBS; i++)
            out[i][lane] = out[i][lane ^ 1] ^ (i == limb);
        break;
    default: { /* + q would be right mod q and wrong mod p */
        uint64_t carry = 0;
        for (unsigned i = 0; i < LIMBS; i++) {
            const uint64_t q = i < LIMBS / 2 ? made[0]->prime[1].n[i] : 0;
            carry += out[i][lane] + q;
            out[i][lane] = carry & 0xfffffffffffff;
            carry >>= 52;
        }
    }
    }
}

/* Two corruptions can undo each other: whatever happened, the result is not what it was. */
static void corrupt(oct_limb8 *out, unsigned lane)
{
    uint64_t before[LIMBS], difference = 0;
    for (unsigned i = 0; i < LIMBS; i++)
        before[i] = out[i][lane];
    corrupt_somehow(out, lane);
    for (unsigned i = 0; i < LIMBS; i++)
        difference |= out[i][lane] ^ before[i];
    out[1][lane] ^= difference == 0;
}

static void faulty_crt(const struct oct_rsa_crt_args *args)
{
    fault.real(args);
    if (fault.calls++ == 0) {
        for (unsigned lane = 0; lane < OCT_LANES; lane++)
            if (fault.lanes >> lane & 1)
                corrupt(args->out, lane);
    } else if (fault.retry_lanes >> fault.retries++ & 1) {
        corrupt(args->out, 0);
    }
}

static int make(void **state)
{
    (void)state;
    tables = oct_ops_runnable(table);
    for (unsigned k = 0; k < KEYS; k++) {
        test_rsa_make(&keys[k], 2048, 65537);
        assert_int_equal(oct_rsa_key_new(&made[k], &keys[k].numbers), OCT_OK);
        for (unsigned i = 0; i < SAMPLES; i++) {
            test_rsa_below_n(sample[k][i].in, BYTES, &keys[k]);
            test_rsa_private(sample[k][i].want, sample[k][i].in, BYTES, &keys[k]);
        }
    }
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KEYS; k++) {
        test_rsa_free(&keys[k]);
        oct_rsa_key_free(made[k]);
    }
    return 0;
}

struct run {
    struct oct_rsa_lane lane[OCT_LANES];
    const uint8_t *want[OCT_LANES];
    uint8_t out[OCT_LANES][BYTES];
    struct oct_lanes result;
    unsigned lanes;
};

static void fill(struct run *r, unsigned lanes)
{
    memset(r, 0xaa, sizeof *r);
    r->lanes = lanes;
    for (unsigned i = 0; i < lanes; i++) {
        const unsigned k = random_bits() % KEYS, s = random_bits() % SAMPLES;
        r->lane[i] = (struct oct_rsa_lane){made[k], sample[k][s].in, r->out[i]};
        r->want[i] = sample[k][s].want;
    }
}

/* Right or zero, as the mask says. */
static void assert_nothing_wrong_left(const struct run *r)
{
    static const uint8_t zero[BYTES];
    for (unsigned i = 0; i < r->lanes; i++)
        assert_memory_equal(r->out[i], r->result.ok >> i & 1 ? r->want[i] : zero, BYTES);
    assert_int_equal(r->result.ok >> r->lanes, 0);
}

static unsigned inject_results(const struct oct_ops *real, unsigned corrupted_wanted)
{
    struct oct_ops ops = *real;
    static struct run r;
    unsigned corrupted = 0;
    fault.real = real->rsa_crt[0].run;
    ops.rsa_crt[0].run = faulty_crt;
    while (corrupted < corrupted_wanted) {
        fill(&r, 1 + random_bits() % OCT_LANES);
        fault.lanes = random_bits() & ((1u << r.lanes) - 1);
        fault.retry_lanes = random_bits() & 0xff;
        fault.calls = fault.retries = 0;
        assert_int_equal(oct_rsa_private_on(&ops, r.lane, r.lanes, &r.result), OCT_OK);
        assert_nothing_wrong_left(&r);
        assert_int_equal(r.result.invalid, 0);
        /* Exactly the lanes that were corrupted twice are lost; each retry was one lane. */
        unsigned want_ok = (1u << r.lanes) - 1, nth = 0;
        for (unsigned i = 0; i < r.lanes; i++)
            if (fault.lanes >> i & 1) {
                if (fault.retry_lanes >> nth++ & 1)
                    want_ok &= ~(1u << i);
                corrupted++;
            }
        assert_int_equal(fault.retries, nth);
        assert_int_equal(r.result.ok, want_ok);
    }
    return corrupted;
}

/* What there is to do, shared by the tables of vectors: what finds faults is the same code above them all. */
static unsigned share(const struct oct_ops *ops, unsigned portable, unsigned full)
{
    const unsigned vectors = amount(full, full / 6, full / 16);
    return ops == &oct_ops_c ? portable : vectors / (tables - 1) + 1;
}

static void test_results(void **state)
{
    unsigned n = 0;
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        n += inject_results(table[t], share(table[t], amount(30, 30, 8), 8000));
    print_message("%u corrupted results, none left\n", n);
}

/* Flips one bit of one number of a copy of the key. */
static void corrupt_key(struct oct_rsa_key *key)
{
    struct oct_rsa_prime *prime = &key->prime[random_bits() % 2];
    uint64_t *const part[] = {prime->n, prime->rr, prime->exp, key->qinv, key->n, key->rr};
    const unsigned which = random_bits() % 8;
    if (which == 6) {
        prime->k0 ^= (uint64_t)1 << random_bits() % 52;
    } else if (which == 7) {
        key->k0 ^= (uint64_t)1 << random_bits() % 52;
    } else {
        const unsigned limbs = which < 4 ? LIMBS / 2 : LIMBS, limb = random_bits() % limbs;
        const unsigned top = which < 4 ? 1024 - 52 * 19 : 2048 - 52 * 39;
        part[which][limb] ^= (uint64_t)1 << random_bits() % (limb == limbs - 1 ? top : 52);
    }
}

static void test_key_material(void **state)
{
    static struct run r;
    static struct oct_rsa_key broken[OCT_LANES];
    unsigned corrupted = 0, lost = 0;
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned round = 0; round < share(table[t], amount(12, 12, 4), 2200); round++) {
            fill(&r, 1 + random_bits() % OCT_LANES);
            unsigned bad = random_bits() & ((1u << r.lanes) - 1);
            for (unsigned i = 0; i < r.lanes; i++)
                if (bad >> i & 1) {
                    memcpy(&broken[i], r.lane[i].key, sizeof broken[i]);
                    corrupt_key(&broken[i]);
                    r.lane[i].key = &broken[i];
                }
            assert_int_equal(oct_rsa_private_on(table[t], r.lane, r.lanes, &r.result), OCT_OK);
            assert_nothing_wrong_left(&r);
            assert_int_equal(r.result.ok & ~bad, ((1u << r.lanes) - 1) & ~bad);
            corrupted += (unsigned)__builtin_popcount(bad);
            lost += r.lanes - (unsigned)__builtin_popcount(r.result.ok);
        }
    print_message("%u corrupted keys, %u operations refused, the others right all the same\n", corrupted, lost);
    /* A flipped bit of an exponent or a prime cannot go unnoticed; only a few flips change no result. */
    assert_true(lost > corrupted * 9 / 10);
}

int main(void)
{
    return RUN_TESTS(make, unmake, test_results, test_key_material);
}
