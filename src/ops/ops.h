/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The table of operations: what a backend offers, as constant function pointers. One indirect call runs eight
 * operations, so nothing is gained by anything cleverer.
 */
#ifndef OCT_OPS_OPS_H
#define OCT_OPS_OPS_H

#include "kernels/curve25519/curve25519.h"
#include "kernels/ec/ec.h"
#include "kernels/curve25519/ed25519.h"
#include "kernels/rsa/rsa.h"
#include "kernels/hash/sha512.h"
#include "kernels/hash/sm3.h"

#include <octuple/op.h>

struct oct_ops {
    const char *name;
    struct {
        oct_rsa_crt_fn *run;
        const size_t *workspace;
    } rsa_crt[OCT_RSA_SIZES];
    struct {
        oct_rsa_public_fn *run;
        const size_t *workspace;
    } rsa_public[OCT_RSA_SIZES];
    struct {
        oct_rsa_strong_fn *run;
        const size_t *workspace;
    } rsa_keygen[OCT_RSA_SIZES];
    struct {
        oct_x25519_fn *run;
        const size_t *workspace;
    } x25519_derive[1], x25519_public[1];
    struct {
        oct_comb25519_make_fn *run;
        const size_t *workspace;
    } comb25519_make;
    struct {
        oct_ec_sign_fn *run;
        const size_t *workspace;
    } ec_sign[OCT_EC_TABLES];
    struct {
        oct_ec_public_fn *run;
        const size_t *workspace;
    } ec_public[OCT_EC_TABLES];
    struct {
        oct_ec_derive_fn *run;
        const size_t *workspace;
    } ec_derive[OCT_EC_TABLES];
    struct {
        oct_ec_verify_fn *run;
        const size_t *workspace;
    } ec_verify[OCT_EC_TABLES];
    struct {
        oct_ec_comb_fn *run;
        const size_t *workspace, *bytes;
    } ec_comb[OCT_EC_TABLES];
    struct {
        oct_ed25519_base_fn *run;
        const size_t *workspace;
    } ed25519_base[1];
    struct {
        oct_ed25519_verify_fn *run;
        const size_t *workspace;
    } ed25519_verify[1];
    struct {
        oct_ed25519_scalar_fn *run;
    } ed25519_scalar;
    struct {
        oct_sha512_fn *run;
    } sha512;
    struct {
        oct_sm3_fn *run;
        const size_t *workspace;
    } sm3[1];
    void (*clear_registers)(void);
};

/* The tables: that of every CPU, and those of vectors. */
#define OCT_OPS_TABLES 6
#if defined(__x86_64__)
extern const struct oct_ops oct_ops_avx512, oct_ops_avx512s, oct_ops_avx512f, oct_ops_ifma256, oct_ops_avx2;
#endif
extern const struct oct_ops oct_ops_c;
/* The portable twin of avx512s, which tests alone have. */
extern const struct oct_ops oct_ops_cs;

/* The table of this process, chosen once by CPU and by OCTUPLE_TABLE (octuple/op.h); NULL if there is none. */
const struct oct_ops *oct_ops_selected(void);
/* Why that one, in plain words; static. */
const char *oct_ops_selected_reason(void);

/* Every table that this CPU can run, or the portable one alone by OCTUPLE_TABLE=c: for tests. Returns how many were
 * written to `table`: the portable one first, then the others, the one that would be chosen last. */
unsigned oct_ops_runnable(const struct oct_ops *table[OCT_OPS_TABLES]);

/* The fixed-base table of 2^255-19, OCT_COMB25519_WORDS words, made by the first call; NULL without memory. Read-only,
 * for the life of the process. */
const uint64_t *oct_comb25519(const struct oct_ops *ops);
/* The comb of a curve, made by `ops` at the first call and shared read-only from then on; NULL without memory. */
const uint64_t *oct_ops_ec_comb(const struct oct_ops *ops, unsigned curve);

/* Makes such a table into memory of the caller's: OCT_COMB25519_WORDS words, 64-byte aligned. 0, or -1 without memory.
 */
int oct_comb25519_make(const struct oct_ops *ops, uint64_t *comb);

/* Runs the known-answer test of an operation on a table: 0 if it passed. */
int oct_ops_known_answer(const struct oct_ops *ops, int op);

#endif
