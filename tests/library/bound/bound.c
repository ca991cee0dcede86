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

static void prove_crt(const char *name, oct_rsa_crt_fn *run, size_t workspace)
{
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

static void prove_strong(const char *name, oct_rsa_strong_fn *run, size_t workspace)
{
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

static void prove_public(const char *name, oct_rsa_public_fn *run, size_t workspace)
{
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

static void prove_x25519(const char *name, oct_x25519_fn *run, size_t workspace)
{
    static uint64_t comb[OCT_COMB25519_WORDS] OCT_ALIGN64;
    const struct oct_x25519_args args = {
        .workspace = workspace_of(workspace), .comb = comb, .scalar = numbers, .peer = numbers, .out = numbers};
    oct_bound_checked = 0;
    run(&args);
    printf("kernel %s: %lu bounds hold\n", name, oct_bound_checked);
    free(args.workspace);
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

static void prove_ed25519(void)
{
    static uint64_t comb[OCT_COMB25519_WORDS] OCT_ALIGN64;
    static uint8_t block[128];
    const struct oct_ed25519_base_args base = {.workspace = workspace_of(oct_bound_ed25519_base_workspace),
                                               .comb = comb,
                                               .wide = numbers,
                                               .scalar = numbers,
                                               .point = numbers};
    const struct oct_ed25519_scalar_args scalar = {.wide = numbers, .r = numbers, .a = numbers, .s = numbers};
    const struct oct_ed25519_verify_args verify = {.workspace = workspace_of(oct_bound_ed25519_verify_workspace),
                                                   .comb = comb,
                                                   .wide = numbers,
                                                   .s = numbers,
                                                   .a = numbers,
                                                   .r = numbers};
    const struct oct_sha512_args hash = {.state = numbers,
                                         .block = {block, block, block, block, block, block, block, block}};
    oct_bound_checked = 0;
    (void)oct_bound_ed25519_base(&base);
    printf("kernel ed25519_base: %lu bounds hold\n", oct_bound_checked);
    oct_bound_checked = 0;
    oct_bound_ed25519_scalar(&scalar);
    printf("kernel ed25519_scalar: %lu bounds hold\n", oct_bound_checked);
    oct_bound_checked = 0;
    (void)oct_bound_ed25519_verify(&verify);
    printf("kernel ed25519_verify: %lu bounds hold\n", oct_bound_checked);
    oct_bound_checked = 0;
    oct_bound_sha512(&hash);
    printf("kernel sha512: %lu operations on words, which have no bounds\n", oct_bound_checked);
    free(base.workspace);
    free(verify.workspace);
}

static void prove_sm3(void)
{
    static uint8_t block[64];
    struct oct_sm3_args args = {.state = workspace_of(oct_bound_sm3_workspace), .blocks = 1};
    for (int i = 0; i < OCT_SM3_KERNEL_LANES; i++)
        args.block[i] = block;
    oct_bound_checked = 0;
    oct_bound_sm3(&args);
    printf("kernel sm3: %lu operations on words, which have no bounds\n", oct_bound_checked);
    free(args.state);
}

static uint64_t *ec_comb;

#define PROVE_EC(kernel, ...)                                                                                          \
    do {                                                                                                               \
        void *workspace_ = workspace_of(oct_bound_##kernel##_workspace);                                               \
        oct_bound_checked = 0;                                                                                         \
        (void)oct_bound_##kernel(&__VA_ARGS__);                                                                        \
        printf("kernel " #kernel ": %lu bounds hold\n", oct_bound_checked);                                            \
        free(workspace_);                                                                                              \
    } while (0)

#define PROVE_CURVE(curve)                                                                                             \
    do {                                                                                                               \
        ec_comb = workspace_of(oct_bound_##curve##_comb_bytes);                                                        \
        PROVE_EC(curve##_derive,                                                                                       \
                 (struct oct_ec_derive_args){                                                                          \
                     .workspace = workspace_, .scalar = numbers, .x = numbers, .y = numbers, .out = numbers});         \
        PROVE_EC(curve##_public,                                                                                       \
                 (struct oct_ec_public_args){                                                                          \
                     .workspace = workspace_, .comb = ec_comb, .scalar = numbers, .x = numbers, .y = numbers});        \
        PROVE_EC(curve##_sign, (struct oct_ec_sign_args){.workspace = workspace_,                                      \
                                                         .comb = ec_comb,                                              \
                                                         .d = numbers,                                                 \
                                                         .nonce = numbers,                                             \
                                                         .digest = numbers,                                            \
                                                         .r = numbers,                                                 \
                                                         .s = numbers});                                               \
        PROVE_EC(curve##_verify, (struct oct_ec_verify_args){.workspace = workspace_,                                  \
                                                             .comb = ec_comb,                                          \
                                                             .x = numbers,                                             \
                                                             .y = numbers,                                             \
                                                             .digest = numbers,                                        \
                                                             .r = numbers,                                             \
                                                             .s = numbers});                                           \
        PROVE_EC(curve##_comb, (struct oct_ec_comb_args){.workspace = workspace_, .comb = ec_comb});                   \
        free(ec_comb);                                                                                                 \
    } while (0)

int main(void)
{
    prove_crt("rsa20_crt", oct_bound_rsa20_crt, oct_bound_rsa20_crt_workspace);
    prove_crt("rsa30_crt", oct_bound_rsa30_crt, oct_bound_rsa30_crt_workspace);
    prove_crt("rsa40_crt", oct_bound_rsa40_crt, oct_bound_rsa40_crt_workspace);
    prove_strong("rsa20_strong", oct_bound_rsa20_strong, oct_bound_rsa20_crt_workspace);
    prove_strong("rsa30_strong", oct_bound_rsa30_strong, oct_bound_rsa30_crt_workspace);
    prove_strong("rsa40_strong", oct_bound_rsa40_strong, oct_bound_rsa40_crt_workspace);
    prove_public("rsa40_public", oct_bound_rsa40_public, oct_bound_rsa40_public_workspace);
    prove_public("rsa60_public", oct_bound_rsa60_public, oct_bound_rsa60_public_workspace);
    prove_public("rsa80_public", oct_bound_rsa80_public, oct_bound_rsa80_public_workspace);
    prove_x25519("x25519_derive", oct_bound_x25519_derive, oct_bound_x25519_derive_workspace);
    prove_x25519("x25519_public", oct_bound_x25519_public, oct_bound_x25519_public_workspace);
    prove_comb25519_make();
    prove_ed25519();
    PROVE_CURVE(p256);
    PROVE_CURVE(p384);
    PROVE_CURVE(sm2);
    prove_sm3();
    prove_chacha20poly1305();
    prove_mlkem();
    prove_mldsa();
    oct_bound_clear_registers();
    for (size_t i = 0; seen[i]; i++)
        printf("entered %p\n", seen[i]);
    return 0;
}
