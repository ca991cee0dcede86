/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: SOURCES tests/library/kat/vectors.c LINKS oct_rows_c oct_table_cs BY_HAND */
/*
 * The RSA private operation on the portable tables, in both of its forms, with its secrets marked: the private numbers
 * when the key is made, everything private inside the key, and the inputs. Also the ways in which it may fail: a bad
 * key, an input out of range, a fault. Results are compared with the vector's, so that what is checked is also what
 * works.
 *
 * usage: ctime_rsa VECTORS [brief]      (a file of tests/library/vectors with private keys and signatures; brief: what
 * works only)
 */
#include "secret.h"

#include "../kat/vectors.h"
#include "api/rsa_internal.h"
#include "depth.h"

#include <string.h>

#define MAX_BYTES 512

static const struct oct_ops *ops;

static struct oct_bytes secret_copy(uint8_t *to, struct kat_bytes from)
{
    REQUIRE(from.len <= MAX_BYTES);
    memcpy(to, from.data, from.len);
    OCT_SECRET(to, from.len);
    return (struct oct_bytes){to, from.len};
}

static int make_key(struct oct_rsa_key **key, const struct kat_key *k, int spoil)
{
    uint8_t copy[5][MAX_BYTES];
    struct oct_rsa_numbers numbers = {.n = {k->n.data, k->n.len}, .e = {k->e.data, k->e.len}};
    const struct kat_bytes from[5] = {k->p, k->q, k->dp, k->dq, k->qinv};
    struct oct_bytes *to[5] = {&numbers.p, &numbers.q, &numbers.dp, &numbers.dq, &numbers.qinv};
    for (int i = 0; i < 5; i++)
        *to[i] = secret_copy(copy[i], from[i]);
    if (spoil >= 0)
        copy[spoil][7] ^= 0x10;
    return oct_rsa_key_new(key, &numbers);
}

/* Nothing private in the key has lost its mark on the way, and now every byte has it. */
static void mark_key(struct oct_rsa_key *key)
{
    const size_t limbs = 8 * oct_rsa_prime_limbs(key->size);
    for (int i = 0; i < 2; i++) {
        struct oct_rsa_prime *p = &key->prime[i];
        REQUIRE(is_secret(&p->k0, 8) && is_secret(p->n, limbs) && is_secret(p->rr, limbs) && is_secret(p->exp, limbs));
        OCT_SECRET(p, sizeof *p);
    }
    REQUIRE(is_secret(key->qinv, limbs));
    OCT_SECRET(key->qinv, sizeof key->qinv);
    REQUIRE(!is_secret(key->n, sizeof key->n) && !is_secret(&key->is_private, sizeof key->is_private));
}

/* signature^e mod n is the encoded message whose private operation gives the signature. */
static void encoded_message(uint8_t *em, const struct oct_rsa_key *key, const struct kat_case *c)
{
    const struct oct_rsa_lane lane = {key, c->sig.data, em};
    struct oct_lanes result;
    REQUIRE(oct_rsa_public_on(ops, &lane, 1, &result) == OCT_OK && result.ok == 1);
}

struct batch {
    struct oct_rsa_lane lane[OCT_LANES];
    uint8_t in[OCT_LANES][MAX_BYTES], out[OCT_LANES][MAX_BYTES];
    struct oct_lanes result;
};

static void run(struct batch *b, const struct oct_rsa_key *key, const uint8_t *em, unsigned lanes, size_t len)
{
    for (unsigned i = 0; i < lanes; i++) {
        b->lane[i] = (struct oct_rsa_lane){key, b->in[i], b->out[i]};
        memcpy(b->in[i], em, len);
        OCT_SECRET(b->in[i], len);
    }
    REQUIRE(oct_rsa_private_on(ops, b->lane, lanes, &b->result) == OCT_OK);
    REQUIRE(!is_secret(&b->result, sizeof b->result));
}

static void check_good(const struct kat_case *c, const struct oct_rsa_key *key, const uint8_t *em, unsigned lanes)
{
    const size_t len = c->sig.len;
    struct batch b;
    run(&b, key, em, lanes, len);
    REQUIRE(b.result.ok == (1u << lanes) - 1 && b.result.invalid == 0);
    for (unsigned i = 0; i < lanes; i++) {
        REQUIRE(is_secret(b.out[i], len));
        OCT_DECLASSIFY(b.out[i], len);
        REQUIRE(memcmp(b.out[i], c->sig.data, len) == 0);
    }
}

/* An input that is n itself, and a key with a flipped bit inside: no result, and no word of why. */
static void check_bad(struct oct_rsa_key *key, const struct kat_key *k, const uint8_t *em)
{
    struct batch b;
    run(&b, key, k->n.data, 1, k->n.len);
    REQUIRE(b.result.ok == 0 && b.result.invalid == 1);
    key->prime[1].exp[2] ^= 4;
    run(&b, key, em, 1, k->n.len);
    REQUIRE(b.result.ok == 0 && b.result.invalid == 0 && !is_secret(b.out[0], k->n.len) && b.out[0][9] == 0);
    key->prime[1].exp[2] ^= 4;
}

static void check_bad_keys(const struct kat_key *k)
{
    for (int spoil = 0; spoil < 5; spoil++) {
        struct oct_rsa_key *key = NULL;
        REQUIRE(make_key(&key, k, spoil) == OCT_ERR_KEY && key == NULL);
    }
}

/* Without the ways to fail: under valgrind, which is slow, a quick run has none. */
static int is_brief(int argc)
{
#if defined(OCT_CHECKMEM_VALGRIND)
    if (depth_is_quick())
        return 1;
#endif
    return argc == 3;
}

/* Five operations: a vector of lanes that is full (four, both primes) and one that is not. Briefly only the latter.
 * What fails is alone in one. */
static void check_case(const struct kat_case *c, int brief)
{
    struct oct_rsa_key *key = NULL;
    uint8_t em[MAX_BYTES];
    REQUIRE(make_key(&key, c->key, -1) == OCT_OK);
    mark_key(key);
    encoded_message(em, key, c);
    check_good(c, key, em, brief ? 1 : 5);
    if (!brief) {
        check_bad(key, c->key, em);
        check_bad_keys(c->key);
    }
    oct_rsa_key_free(key);
    printf("rsa%zu, %s: clean\n", 8 * c->sig.len, ops->name);
}

int main(int argc, char **argv)
{
    struct kat_file file;
    REQUIRE(OCT_CHECKMEM_ON() && (argc == 2 || (argc == 3 && strcmp(argv[2], "brief") == 0)));
    kat_load(&file, argv[1]);
    REQUIRE(file.kind == KAT_PKCS1_SIGN);
    for (int rows = 0; rows < 2; rows++) {
        ops = rows ? &oct_ops_cs : &oct_ops_c;
        check_case(&file.cases[0], rows || is_brief(argc));
    }
    kat_unload(&file);
    return 0;
}
