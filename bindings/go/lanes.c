/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "lanes.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#define FUNCTIONS(F)                                                                                                   \
    F(oct_counters_note_batch)                                                                                         \
    F(oct_op_is_on)                                                                                                    \
    F(oct_rsa_key_new)                                                                                                 \
    F(oct_rsa_key_free)                                                                                                \
    F(oct_rsa_private_x8)                                                                                              \
    F(oct_ecdsa_sign_x8)                                                                                               \
    F(oct_ecdsa_verify_x8)                                                                                             \
    F(oct_ed25519_key_new)                                                                                             \
    F(oct_ed25519_key_free)                                                                                            \
    F(oct_ed25519_key_public)                                                                                          \
    F(oct_ed25519_sign_x8)                                                                                             \
    F(oct_ed25519_verify_x8)

/* The library's functions, by their own names and types. */
static struct {
#define MEMBER(name) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
    __typeof__(oct_rsa_generate) *generate; /* NULL in a library from before it */
} lib;

/* One batch as octuple_run() gets it. */
struct batch {
    unsigned lanes;
    void *const *key;
    const uint8_t *in;
    const size_t *in_len;
    uint8_t *out;
    size_t out_len;
};

/* ISO C has no conversion of dlsym()'s pointer to one of a function; POSIX has it by the bytes. */
static int find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

/* The soname says that the ABI is the one of api.h. The library stays for the life of the process. */
int octuple_load(void)
{
    void *handle = dlopen("liboctuple.so.0", RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL)
        find(handle, "oct_rsa_generate", &lib.generate);
#define FIND(name) &&find(handle, #name, &lib.name)
    return handle != NULL FUNCTIONS(FIND);
}

int octuple_is_on(int op)
{
    return lib.oct_op_is_on(op);
}

struct oct_rsa_key *octuple_rsa_key(const uint8_t *numbers, size_t modulus)
{
    const size_t half = modulus / 2;
    const uint8_t *p = numbers + modulus;
    const struct oct_rsa_numbers parts = {.n = {numbers, modulus},
                                          .p = {p, half},
                                          .q = {p + half, half},
                                          .dp = {p + 2 * half, half},
                                          .dq = {p + 3 * half, half},
                                          .qinv = {p + 4 * half, half},
                                          .e = {p + 5 * half, 8}};
    struct oct_rsa_key *key = NULL;

    return lib.oct_rsa_key_new(&key, &parts) == 0 ? key : NULL;
}

void octuple_rsa_key_free(struct oct_rsa_key *key)
{
    lib.oct_rsa_key_free(key);
}

int octuple_rsa_generate(uint8_t *numbers, size_t modulus)
{
    const size_t half = modulus / 2;
    uint8_t *p = numbers + 2 * modulus, rest[3 * 256]; /* what Go computes by itself */
    const struct oct_rsa_generated out = {
        .n = numbers, .d = numbers + modulus, .p = p, .q = p + half, .dp = rest, .dq = rest + 256, .qinv = rest + 512};
    const int made = lib.generate != NULL && lib.generate(&out, (unsigned)(8 * modulus), NULL) == 0;

    explicit_bzero(rest, sizeof(rest));
    return made;
}

/* A seed whose public key is another than the caller's would sign otherwise than Go does. */
struct oct_ed25519_key *octuple_ed25519_key(const uint8_t *seed, const uint8_t *public_key)
{
    struct oct_ed25519_key *key = NULL;

    if (lib.oct_ed25519_key_new(&key, seed) != 0)
        return NULL;
    if (memcmp(lib.oct_ed25519_key_public(key), public_key, OCT_ED25519_PUBLIC_BYTES) == 0)
        return key;
    lib.oct_ed25519_key_free(key);
    return NULL;
}

void octuple_ed25519_key_free(struct oct_ed25519_key *key)
{
    lib.oct_ed25519_key_free(key);
}

static unsigned rsa_private(const struct batch *b)
{
    struct oct_rsa_lane lane[OCT_LANES];
    struct oct_lanes result;
    const uint8_t *in = b->in;

    for (unsigned i = 0; i < b->lanes; in += b->in_len[i++])
        lane[i] = (struct oct_rsa_lane){.key = b->key[i], .in = in, .out = b->out + i * b->out_len};
    return lib.oct_rsa_private_x8(lane, b->lanes, &result) == 0 ? result.ok : 0;
}

static unsigned ecdsa_sign(const struct batch *b, int curve, size_t bytes)
{
    struct oct_ecdsa_sign_lane lane[OCT_LANES];
    struct oct_lanes result;
    const uint8_t *in = b->in;

    for (unsigned i = 0; i < b->lanes; in += b->in_len[i++])
        lane[i] = (struct oct_ecdsa_sign_lane){.private_key = in,
                                               .digest = in + bytes,
                                               .digest_len = b->in_len[i] - bytes,
                                               .signature = b->out + i * b->out_len};
    return lib.oct_ecdsa_sign_x8(curve, lane, b->lanes, &result) == 0 ? result.ok : 0;
}

static unsigned ecdsa_verify(const struct batch *b, int curve, size_t bytes)
{
    struct oct_ecdsa_verify_lane lane[OCT_LANES];
    struct oct_lanes result;
    const uint8_t *in = b->in;

    for (unsigned i = 0; i < b->lanes; in += b->in_len[i++])
        lane[i] = (struct oct_ecdsa_verify_lane){.public_key = in,
                                                 .signature = in + 2 * bytes,
                                                 .digest = in + 4 * bytes,
                                                 .digest_len = b->in_len[i] - 4 * bytes};
    return lib.oct_ecdsa_verify_x8(curve, lane, b->lanes, &result) == 0 ? result.ok : 0;
}

static unsigned ed25519_sign(const struct batch *b)
{
    struct oct_ed25519_sign_lane lane[OCT_LANES];
    struct oct_lanes result;
    const uint8_t *in = b->in;

    for (unsigned i = 0; i < b->lanes; in += b->in_len[i++])
        lane[i] = (struct oct_ed25519_sign_lane){
            .key = b->key[i], .message = in, .message_len = b->in_len[i], .signature = b->out + i * b->out_len};
    return lib.oct_ed25519_sign_x8(lane, b->lanes, &result) == 0 ? result.ok : 0;
}

static unsigned ed25519_verify(const struct batch *b)
{
    const size_t head = OCT_ED25519_PUBLIC_BYTES + OCT_ED25519_SIGNATURE_BYTES;
    struct oct_ed25519_verify_lane lane[OCT_LANES];
    struct oct_lanes result;
    const uint8_t *in = b->in;

    for (unsigned i = 0; i < b->lanes; in += b->in_len[i++])
        lane[i] = (struct oct_ed25519_verify_lane){.public_key = in,
                                                   .signature = in + OCT_ED25519_PUBLIC_BYTES,
                                                   .message = in + head,
                                                   .message_len = b->in_len[i] - head};
    return lib.oct_ed25519_verify_x8(lane, b->lanes, &result) == 0 ? result.ok : 0;
}

static unsigned run(int op, const struct batch *b)
{
    switch (op) {
    case OCT_OP_RSA2048_PRIVATE:
    case OCT_OP_RSA3072_PRIVATE:
    case OCT_OP_RSA4096_PRIVATE:
        return rsa_private(b);
    case OCT_OP_P256_SIGN:
        return ecdsa_sign(b, OCT_EC_P256, 32);
    case OCT_OP_P384_SIGN:
        return ecdsa_sign(b, OCT_EC_P384, 48);
    case OCT_OP_P256_VERIFY:
        return ecdsa_verify(b, OCT_EC_P256, 32);
    case OCT_OP_P384_VERIFY:
        return ecdsa_verify(b, OCT_EC_P384, 48);
    case OCT_OP_ED25519_SIGN:
        return ed25519_sign(b);
    case OCT_OP_ED25519_VERIFY:
        return ed25519_verify(b);
    default:
        return 0;
    }
}

static uint64_t nanoseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

unsigned octuple_run(int op, unsigned lanes, void *const key[], const uint8_t *in, const size_t in_len[], uint8_t *out,
                     size_t out_len)
{
    const struct batch b = {lanes, key, in, in_len, out, out_len};
    const uint64_t begin = nanoseconds();
    const unsigned ok = run(op, &b);

    lib.oct_counters_note_batch(op, lanes, (unsigned)__builtin_popcount(ok), nanoseconds() - begin);
    return ok;
}
