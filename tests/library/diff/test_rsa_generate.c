/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA key generation: every number of a key against libcrypto's own tests of primes and its own arithmetic, on every
 * table; all tables make the same key of the same random bytes. Callbacks that give up or fork, random bytes that
 * are none, and faults put into the kernels: a composite never leaves.
 */
#include "api/rsa_internal.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/bn.h>

#define MAX_PRIMES 2048

static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;
static BN_CTX *ctx;

struct made {
    uint8_t n[512], d[512], p[256], q[256], dp[256], dq[256], qinv[256];
};

static struct oct_rsa_generated places(struct made *m)
{
    return (struct oct_rsa_generated){m->n, m->d, m->p, m->q, m->dp, m->dq, m->qinv};
}

static int generate(const struct oct_ops *ops, struct made *m, unsigned bits, const struct oct_rsa_generation *how)
{
    const struct oct_rsa_generated out = places(m);
    memset(m, 0xaa, sizeof *m);
    return oct_rsa_generate_on(ops, &out, bits, how);
}

static void assert_untouched(const struct made *m)
{
    const uint8_t *byte = (const uint8_t *)m;
    for (size_t i = 0; i < sizeof *m; i++)
        assert_int_equal(byte[i], 0xaa);
}

static BIGNUM *number(const uint8_t *bytes, size_t len)
{
    BIGNUM *bn = BN_bin2bn(bytes, (int)len, NULL);
    assert_non_null(bn);
    return bn;
}

/* Every prime of this run, and that it is new. */
static void assert_new(const BIGNUM *prime)
{
    static BIGNUM *seen[MAX_PRIMES];
    static unsigned count;
    for (unsigned i = 0; i < count; i++)
        assert_int_not_equal(BN_cmp(seen[i], prime), 0);
    assert_true(count < MAX_PRIMES);
    seen[count++] = BN_dup(prime);
}

/* p^2 >= 2^(2*half - 1), which is p >= sqrt(2) * 2^(half - 1); and p has no bit too many. */
static void assert_good_prime(const BIGNUM *p, unsigned half)
{
    BIGNUM *square = BN_new(), *less_one = BN_dup(p);
    assert_int_equal(BN_check_prime(p, ctx, NULL), 1);
    assert_true(BN_sqr(square, p, ctx));
    assert_int_equal(BN_num_bits(p), half);
    assert_int_equal(BN_num_bits(square), 2 * half);
    assert_true(BN_sub_word(less_one, 1));
    assert_int_not_equal(BN_mod_word(less_one, 65537), 0);
    BN_free(square);
    BN_free(less_one);
}

static void assert_far_apart(const BIGNUM *p, const BIGNUM *q, unsigned half)
{
    BIGNUM *difference = BN_new();
    assert_true(BN_cmp(p, q) > 0 && BN_sub(difference, p, q));
    assert_true((unsigned)BN_num_bits(difference) > half - 100);
    BN_free(difference);
}

/* d = 1/e mod lcm(p-1, q-1), and as long as it should be; then exp = d mod (prime - 1). */
static void assert_good_exponents(const struct made *m, const BIGNUM *p, const BIGNUM *q, unsigned half)
{
    BIGNUM *p1 = BN_dup(p), *q1 = BN_dup(q), *e = BN_new(), *x = BN_new(), *lcm = BN_new();
    BIGNUM *d = number(m->d, half / 4), *dp = number(m->dp, half / 8), *dq = number(m->dq, half / 8);
    BIGNUM *qinv = number(m->qinv, half / 8);
    assert_true(BN_sub_word(p1, 1) && BN_sub_word(q1, 1) && BN_set_word(e, 65537));
    assert_true(BN_gcd(x, p1, q1, ctx) && BN_mul(lcm, p1, q1, ctx) && BN_div(lcm, NULL, lcm, x, ctx));
    assert_non_null(BN_mod_inverse(x, e, lcm, ctx));
    assert_int_equal(BN_cmp(x, d), 0);
    assert_true((unsigned)BN_num_bits(d) > half);
    assert_true(BN_mod(x, d, p1, ctx));
    assert_int_equal(BN_cmp(x, dp), 0);
    assert_true(BN_mod(x, d, q1, ctx));
    assert_int_equal(BN_cmp(x, dq), 0);
    assert_non_null(BN_mod_inverse(x, q, p, ctx));
    assert_int_equal(BN_cmp(x, qinv), 0);
    BIGNUM *all[] = {p1, q1, e, x, lcm, d, dp, dq, qinv};
    for (size_t i = 0; i < OCT_ARRAY_LEN(all); i++)
        BN_free(all[i]);
}

static void assert_good(const struct made *m, unsigned bits)
{
    const unsigned half = bits / 2;
    BIGNUM *n = number(m->n, bits / 8), *p = number(m->p, half / 8), *q = number(m->q, half / 8), *x = BN_new();
    assert_good_prime(p, half);
    assert_good_prime(q, half);
    assert_far_apart(p, q, half);
    assert_int_equal(BN_num_bits(n), bits);
    assert_true(BN_mul(x, p, q, ctx));
    assert_int_equal(BN_cmp(x, n), 0);
    assert_good_exponents(m, p, q, half);
    assert_new(p);
    assert_new(q);
    BN_free(n);
    BN_free(p);
    BN_free(q);
    BN_free(x);
}

static void test_keys(void **state)
{
    static const unsigned full[OCT_RSA_SIZES] = {60, 20, 10}, some[OCT_RSA_SIZES] = {4, 1, 1}, few[] = {1, 1, 1};
    struct made m;
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned size = 0; size < OCT_RSA_SIZES; size++) {
            /* In brief the key on which all tables agree is enough of the slowest. */
            const unsigned keys =
                table[t] == &oct_ops_c ? size == 0 && !depth_is_quick() : amount(full[size], some[size], few[size]);
            for (unsigned i = 0; i < keys; i += tables_stride(table[t])) {
                assert_int_equal(generate(table[t], &m, oct_rsa_bits(size), NULL), OCT_OK);
                assert_good(&m, oct_rsa_bits(size));
            }
        }
}

/* splitmix64, and what the callbacks have seen. */
struct caller {
    uint64_t state;
    unsigned drawn, give_up_at; /* 0: never */
    unsigned told, stop_at, rounds, found;
    int constant; /* -1: none */
    pid_t fork_at_round;
    pid_t child;
};

static int random_of_caller(void *arg, uint8_t *out, size_t len)
{
    struct caller *c = arg;
    for (size_t i = 0; i < len; i++) {
        uint64_t z = c->state += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        out[i] = c->constant >= 0 ? (uint8_t)c->constant : (uint8_t)(z ^ z >> 31);
    }
    return ++c->drawn != c->give_up_at;
}

static int progress_of_caller(void *arg, int potential, int iteration)
{
    struct caller *c = arg;
    if (potential == 0)
        assert_int_equal(iteration, c->told);
    else if (potential == 1)
        c->rounds++;
    else
        assert_int_equal(iteration, c->found++);
    if (potential == 1 && c->fork_at_round > 0 && (int)c->rounds == c->fork_at_round)
        c->child = fork();
    return ++c->told != c->stop_at;
}

static struct oct_rsa_generation how_of(struct caller *c)
{
    return (struct oct_rsa_generation){random_of_caller, c, progress_of_caller, c};
}

/* What a caller sees who does not give up. */
static struct caller whole;

/* The same bytes make the same key on every table. */
static void test_tables_agree(void **state)
{
    struct made m[OCT_OPS_TABLES];
    (void)state;
    for (unsigned t = 0; t < tables; t++) {
        whole = (struct caller){.state = 7, .constant = -1};
        const struct oct_rsa_generation how = how_of(&whole);
        assert_int_equal(generate(table[t], &m[t], 2048, &how), OCT_OK);
        assert_int_equal(whole.rounds, 15);
        assert_int_equal(whole.found, 2);
        assert_true(whole.told > 17);
    }
    for (unsigned t = 1; t < tables; t++)
        assert_memory_equal(&m[0], &m[t], sizeof m[0]);
    assert_good(&m[0], 2048);
}

static const struct oct_ops *fastest(void)
{
    return table[tables - 1];
}

static void test_giving_up(void **state)
{
    struct made m;
    (void)state;
    const unsigned steps = fastest() == &oct_ops_c ? amount(2, 2, 1) : amount(12, 6, 3);
    for (unsigned i = 0; i <= steps; i++) {
        struct caller c = {.state = 7, .constant = -1, .stop_at = 1 + i * (whole.told - 1) / steps};
        const struct oct_rsa_generation how = how_of(&c);
        assert_int_equal(generate(fastest(), &m, 2048, &how), OCT_ERR_STOPPED);
        assert_int_equal(c.told, c.stop_at);
        assert_untouched(&m);
        c = (struct caller){.state = 7, .constant = -1, .give_up_at = 1 + i * (whole.drawn - 1) / steps};
        assert_int_equal(generate(fastest(), &m, 2048, &how), OCT_ERR_STOPPED);
        assert_int_equal(c.drawn, c.give_up_at);
        assert_untouched(&m);
    }
}

/* Bytes that are all the same: an error, and no endless search. */
static void test_bad_random(void **state)
{
    static const int constants[] = {0x00, 0xff, 0xb5, 0xd3};
    struct made m;
    (void)state;
    for (size_t i = 0; i < OCT_ARRAY_LEN(constants); i++) {
        struct caller c = {.constant = constants[i]};
        const struct oct_rsa_generation how = how_of(&c);
        assert_int_equal(generate(fastest(), &m, 2048, &how), OCT_ERR_FAULT);
        assert_untouched(&m);
    }
}

/* A child gets no key that its parent may have, too; its parent goes on. */
static void test_fork(void **state)
{
    struct made m;
    int status;
    (void)state;
    struct caller c = {.state = 9, .constant = -1, .fork_at_round = 10};
    const struct oct_rsa_generation how = how_of(&c);
    const pid_t parent = getpid();
    const int made = generate(fastest(), &m, 2048, &how);
    if (getpid() != parent)
        _exit(made == OCT_ERR_STATE && m.p[0] == 0xaa ? 0 : 1);
    assert_true(c.child > 0);
    assert_int_equal(waitpid(c.child, &status, 0), c.child);
    assert_int_equal(status, 0);
    assert_int_equal(made, OCT_OK);
    assert_good(&m, 2048);
}

static void test_arguments(void **state)
{
    static const unsigned other[] = {0, 1, 1024, 2047, 2049, 2560, 8192, ~0u};
    struct made m;
    (void)state;
    for (size_t i = 0; i < OCT_ARRAY_LEN(other); i++)
        assert_int_equal(generate(fastest(), &m, other[i], NULL), OCT_ERR_UNSUPPORTED);
    assert_int_equal(generate(NULL, &m, 2048, NULL), OCT_ERR_UNSUPPORTED);
    assert_int_equal(oct_rsa_generate(NULL, 2048, NULL), OCT_ERR_ARGUMENT);
    for (int i = 0; i < 7; i++) {
        struct oct_rsa_generated out = places(&m);
        ((uint8_t **)&out)[i] = NULL;
        assert_int_equal(oct_rsa_generate(&out, 2048, NULL), OCT_ERR_ARGUMENT);
    }
    assert_untouched(&m);
}

/* Each number begins right behind a page that nobody may touch, or ends right before one: each in turn. */
static void test_guard(void **state)
{
    const size_t page = 4096;
    (void)state;
    for (unsigned size = 0; size < (fastest() == &oct_ops_c ? 1 : OCT_RSA_SIZES); size++)
        for (int turn = 0; turn < (size == 0 || depth_is_exhaustive() ? 2 : 1); turn++) {
            struct oct_rsa_generated out;
            uint8_t **place = (uint8_t **)&out, *room[7];
            struct made m;
            for (int i = 0; i < 7; i++) {
                const size_t len = oct_rsa_bits(size) / (i < 2 ? 8 : 16);
                room[i] = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                assert_ptr_not_equal(room[i], MAP_FAILED);
                assert_int_equal(mprotect(room[i] + page, page, PROT_READ | PROT_WRITE), 0);
                const int at_end = (i + turn) % 2;
                place[i] = room[i] + (at_end ? 2 * page - len : page);
            }
            assert_int_equal(oct_rsa_generate_on(fastest(), &out, oct_rsa_bits(size), NULL), OCT_OK);
            uint8_t *const copy[7] = {m.n, m.d, m.p, m.q, m.dp, m.dq, m.qinv};
            for (int i = 0; i < 7; i++)
                memcpy(copy[i], place[i], oct_rsa_bits(size) / (i < 2 ? 8 : 16));
            assert_good(&m, oct_rsa_bits(size));
            for (int i = 0; i < 7; i++)
                munmap(room[i], 3 * page);
        }
}

static struct {
    oct_rsa_strong_fn *strong;
    oct_rsa_crt_fn *crt;
    unsigned calls, faults;
    uint64_t state;
    int kind;
} fault;

static uint64_t fault_bits(void)
{
    fault.state ^= fault.state << 13, fault.state ^= fault.state >> 7, fault.state ^= fault.state << 17;
    return fault.state;
}

/* 0: all lanes pass, by both of the kernel's results. 1: by one of them. 2: a third of all numbers pass, so that primes
 * meet composites. 3: only 1/q mod p is wrong, or rather any of the powers. 4: everything may be. */
static void faulty_strong(const struct oct_rsa_strong_args *args)
{
    fault.strong(args);
    for (unsigned i = 0; i < 16; i++) {
        oct_limb8 *power = args->result[i / 8].power, *strong = args->result[i / 8].strong;
        const bool now = fault.kind < 2 || (fault.kind == 2 ? fault_bits() % 3 == 0 : fault_bits() % 64 == 0);
        if (!now)
            continue;
        fault.faults++;
        if (fault.kind < 3)
            strong[0][i % 8] = 1;
        if (fault.kind == 0 || fault.kind == 2)
            for (unsigned j = 0; j < 20; j++)
                power[j][i % 8] = j == 0;
        if (fault.kind >= 3)
            power[fault_bits() % 20][i % 8] ^= (uint64_t)1 << fault_bits() % 40;
        if (fault.kind == 4)
            strong[0][i % 8] = fault_bits() % 2;
    }
}

static void faulty_crt(const struct oct_rsa_crt_args *args)
{
    fault.crt(args);
    args->out[3][0] ^= 4;
}

/* Either an error and nothing written, or a good key. */
static void run_faulty(const struct oct_ops *ops, unsigned *refused)
{
    struct made m;
    const int status = generate(ops, &m, 2048, NULL);
    if (status == OCT_OK) {
        assert_good(&m, 2048);
        return;
    }
    assert_int_equal(status, OCT_ERR_FAULT);
    assert_untouched(&m);
    ++*refused;
}

static void test_faults(void **state)
{
    struct oct_ops ops = *fastest();
    const unsigned runs = fastest() == &oct_ops_c ? 1 : amount(40, 4, 2);
    (void)state;
    fault.strong = ops.rsa_keygen[0].run;
    fault.crt = ops.rsa_crt[0].run;
    fault.state = 1;
    ops.rsa_keygen[0].run = faulty_strong;
    for (fault.kind = 0; fault.kind < 5; fault.kind++) {
        unsigned refused = 0;
        fault.faults = 0;
        for (unsigned i = 0; i < runs; i++)
            run_faulty(&ops, &refused);
        print_message("kind %d: %u faults, %u of %u refused\n", fault.kind, fault.faults, refused, runs);
        assert_true(fault.faults > 0);
        /* By chance both numbers are primes in spite of all, which is a good key. */
        if (fault.kind == 0 || fault.kind == 2)
            assert_true(refused >= runs / 2);
    }
    unsigned refused = 0;
    ops = *fastest();
    ops.rsa_crt[0].run = faulty_crt;
    run_faulty(&ops, &refused);
    assert_int_equal(refused, 1);
}

static int make(void **state)
{
    (void)state;
    tables = oct_ops_runnable(table);
    ctx = BN_CTX_new();
    return ctx == NULL;
}

static int unmake(void **state)
{
    (void)state;
    BN_CTX_free(ctx);
    return 0;
}

int main(void)
{
    return RUN_TESTS(make, unmake, test_arguments, test_keys, test_tables_agree, test_giving_up, test_bad_random,
                     test_fork, test_guard, test_faults);
}
