/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The bound proof: every kernel once on intervals (src/vec/vec_bound.h). Its control flow does not depend on data, so
 * this run visits every operation, and a clean one proves for all inputs that no lane overflows 64 bits and no
 * multiplicand exceeds 52. Each function entered is printed by its address, for tests/library/bound/prove.py to name,
 * and to see that none was left out.
 */
#include "bound_aead.h"
#include "bound_mldsa.h"
#include "bound_mlkem.h"
#include "kernels/curve25519/curve25519.h"
#include "kernels/ec/ec.h"
#include "kernels/curve25519/ed25519.h"
#include "kernels/rsa/rsa.h"
#include "kernels/hash/sha512.h"
#include "kernels/hash/sm3.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t oct_bound_checked;

__attribute__((no_instrument_function)) void oct_bound_failed(const char *operation, __int128 lo, __int128 hi);
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void oct_bound_failed(const char *operation, __int128 lo, __int128 hi)
{
    printf("FAILED: %s leaves its bounds: -%#lx%016lx .. %#lx%016lx\n", operation, (long)(-lo >> 64), (long)-lo,
           (long)(hi >> 64), (long)hi);
    fflush(stdout);
    abort();
}

static void *seen[4096];

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller)
{
    size_t i = 0;
    (void)caller;
    while (seen[i] && seen[i] != function)
        i++;
    seen[i] = function;
    if (i + 1 >= sizeof seen / sizeof seen[0])
        abort();
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function, (void)caller;
}

static oct_limb8 numbers[160] OCT_ALIGN64;

static void *workspace_of(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!p)
        abort();
    return p;
}

/* For each family of ops.def: one row's kernel, its name, what it takes of memory, and its size. */
static void prove_rsa_crt(const char *name, oct_rsa_crt_fn *run, size_t workspace, int size)
{
    (void)size;
    for (unsigned vectors = 1; vectors <= 2; vectors++) {
        struct oct_rsa_crt_args args = {
            .workspace = workspace_of(workspace), .vectors = vectors, .qinv = numbers, .out = numbers};
        for (int side = 0; side < 2; side++) {
            args.side[side].n = args.side[side].rr = args.side[side].k0 = numbers;
            args.side[side].exp = args.side[side].c = numbers;
        }
        oct_bound_checked = 0;
        run(&args);
        printf("kernel %s, %u vector%s: %lu bounds hold\n", name, vectors, vectors == 2 ? "s" : "", oct_bound_checked);
        free(args.workspace);
    }
}

static void prove_rsa_keygen(const char *name, oct_rsa_strong_fn *run, size_t workspace, int size)
{
    (void)size;
    for (unsigned vectors = 1; vectors <= 2; vectors++) {
        struct oct_rsa_strong_args args = {.crt = {.workspace = workspace_of(workspace), .vectors = vectors}};
        for (int side = 0; side < 2; side++) {
            args.crt.side[side].n = args.crt.side[side].rr = args.crt.side[side].k0 = numbers;
            args.crt.side[side].exp = args.crt.side[side].c = numbers;
            args.result[side].power = args.result[side].strong = numbers;
        }
        oct_bound_checked = 0;
        run(&args);
        printf("kernel %s, %u vector%s: %lu bounds hold\n", name, vectors, vectors == 2 ? "s" : "", oct_bound_checked);
        free(args.crt.workspace);
    }
}

static void prove_rsa_public(const char *name, oct_rsa_public_fn *run, size_t workspace, int size)
{
    (void)size;
    for (int all_f4 = 0; all_f4 < 2; all_f4++) {
        const struct oct_rsa_public_args args = {.workspace = workspace_of(workspace),
                                                 .all_f4 = all_f4,
                                                 .n = numbers,
                                                 .rr = numbers,
                                                 .k0 = numbers,
                                                 .e = numbers,
                                                 .x = numbers,
                                                 .out = numbers};
        oct_bound_checked = 0;
        run(&args);
        printf("kernel %s, %s: %lu bounds hold\n", name, all_f4 ? "e = 65537" : "any e", oct_bound_checked);
        free(args.workspace);
    }
}

static void prove_x25519_derive(const char *name, oct_x25519_fn *run, size_t workspace, int size)
{
    static uint64_t comb[OCT_COMB25519_WORDS] OCT_ALIGN64;
    const struct oct_x25519_args args = {
        .workspace = workspace_of(workspace), .comb = comb, .scalar = numbers, .peer = numbers, .out = numbers};
    (void)size;
    oct_bound_checked = 0;
    run(&args);
    printf("kernel %s: %lu bounds hold\n", name, oct_bound_checked);
    free(args.workspace);
}

static void prove_x25519_public(const char *name, oct_x25519_fn *run, size_t workspace, int size)
{
    prove_x25519_derive(name, run, workspace, size);
}

static void prove_comb25519_make(void)
{
    static oct_comb25519_made made[OCT_COMB25519_VECTORS] OCT_ALIGN64;
    const struct oct_comb25519_args args = {.workspace = workspace_of(oct_bound_comb25519_make_workspace),
                                            .made = made};
    oct_bound_checked = 0;
    oct_bound_comb25519_make(&args);
    printf("kernel comb25519_make: %lu bounds hold\n", oct_bound_checked);
    free(args.workspace);
}

static uint64_t comb25519[OCT_COMB25519_WORDS] OCT_ALIGN64;

static void prove_ed25519_base(const char *name, oct_ed25519_base_fn *run, size_t workspace, int size)
{
    const struct oct_ed25519_base_args args = {
        .workspace = workspace_of(workspace), .comb = comb25519, .wide = numbers, .scalar = numbers, .point = numbers};
    (void)size;
    oct_bound_checked = 0;
    (void)run(&args);
    printf("kernel %s: %lu bounds hold\n", name, oct_bound_checked);
    free(args.workspace);
}

static void prove_ed25519_verify(const char *name, oct_ed25519_verify_fn *run, size_t workspace, int size)
{
    const struct oct_ed25519_verify_args args = {.workspace = workspace_of(workspace),
                                                 .comb = comb25519,
                                                 .wide = numbers,
                                                 .s = numbers,
                                                 .a = numbers,
                                                 .r = numbers};
    (void)size;
    oct_bound_checked = 0;
    (void)run(&args);
    printf("kernel %s: %lu bounds hold\n", name, oct_bound_checked);
    free(args.workspace);
}

static void prove_ed25519_parts(void)
{
    static uint8_t block[128];
    const struct oct_ed25519_scalar_args scalar = {.wide = numbers, .r = numbers, .a = numbers, .s = numbers};
    const struct oct_sha512_args hash = {.state = numbers,
                                         .block = {block, block, block, block, block, block, block, block}};
    oct_bound_checked = 0;
    oct_bound_ed25519_scalar(&scalar);
    printf("kernel ed25519_scalar: %lu bounds hold\n", oct_bound_checked);
    oct_bound_checked = 0;
    oct_bound_sha512(&hash);
    printf("kernel sha512: %lu operations on words, which have no bounds\n", oct_bound_checked);
}

static void prove_sm3(const char *name, oct_sm3_fn *run, size_t workspace, int size)
{
    static uint8_t block[64];
    struct oct_sm3_args args = {.state = workspace_of(workspace), .blocks = 1};
    (void)size;
    for (int i = 0; i < OCT_SM3_KERNEL_LANES; i++)
        args.block[i] = block;
    oct_bound_checked = 0;
    run(&args);
    printf("kernel %s: %lu operations on words, which have no bounds\n", name, oct_bound_checked);
    free(args.state);
}

#define COMB_BYTES(with, place, curve, bytes, limbs) oct_bound_##curve##_comb_bytes,

/* The fixed-base table of a curve. */
static uint64_t *ec_comb(int curve)
{
    const size_t bytes[] = {OCT_EC_ROWS(COMB_BYTES, )};
    return workspace_of(bytes[curve]);
}

/* Runs one kernel of a curve, whose arguments may name `own` and `comb`. */
#define PROVE_EC(name, run, workspace, curve, ...)                                                                     \
    do {                                                                                                               \
        void *own = workspace_of(workspace);                                                                           \
        uint64_t *comb = ec_comb(curve);                                                                               \
        oct_bound_checked = 0;                                                                                         \
        (void)run(&__VA_ARGS__);                                                                                       \
        printf("kernel %s: %lu bounds hold\n", name, oct_bound_checked);                                               \
        free(comb);                                                                                                    \
        free(own);                                                                                                     \
    } while (0)

static void prove_ec_derive(const char *name, oct_ec_derive_fn *run, size_t workspace, int curve)
{
    PROVE_EC(
        name, run, workspace, curve,
        (struct oct_ec_derive_args){.workspace = own, .scalar = numbers, .x = numbers, .y = numbers, .out = numbers});
}

static void prove_ec_public(const char *name, oct_ec_public_fn *run, size_t workspace, int curve)
{
    PROVE_EC(
        name, run, workspace, curve,
        (struct oct_ec_public_args){.workspace = own, .comb = comb, .scalar = numbers, .x = numbers, .y = numbers});
}

static void prove_ec_sign(const char *name, oct_ec_sign_fn *run, size_t workspace, int curve)
{
    PROVE_EC(name, run, workspace, curve,
             (struct oct_ec_sign_args){.workspace = own,
                                       .comb = comb,
                                       .d = numbers,
                                       .nonce = numbers,
                                       .digest = numbers,
                                       .r = numbers,
                                       .s = numbers});
}

static void prove_ec_verify(const char *name, oct_ec_verify_fn *run, size_t workspace, int curve)
{
    PROVE_EC(
        name, run, workspace, curve,
        (struct oct_ec_verify_args){
            .workspace = own, .comb = comb, .x = numbers, .y = numbers, .digest = numbers, .r = numbers, .s = numbers});
}

#define PROVE_COMB(with, place, curve, bytes, limbs)                                                                   \
    PROVE_EC(#curve "_comb", oct_bound_##curve##_comb, oct_bound_##curve##_comb_workspace, place,                      \
             (struct oct_ec_comb_args){.workspace = own, .comb = comb});

int main(void)
{
#define OCT_OPERATION(enumerator, name, family, size, kernel, answer)                                                  \
    prove_##family(#kernel, oct_bound_##kernel, oct_bound_##kernel##_workspace, size);
#include "ops/ops.def"
#undef OCT_OPERATION
    prove_comb25519_make();
    prove_ed25519_parts();
    OCT_EC_ROWS(PROVE_COMB, )
    prove_chacha20poly1305();
    prove_mlkem();
    prove_mldsa();
    oct_bound_clear_registers();
    for (size_t i = 0; seen[i]; i++)
        printf("entered %p\n", seen[i]);
    return 0;
}
