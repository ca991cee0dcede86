/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * NIST's vectors (ACVP) of everything but ML-KEM and ML-DSA, whose kernels other programs run: by the C API, eight
 * cases at a time, good beside bad. What is random where Octuple does it (ECDSA's nonces, the salt of PSS) is held to
 * vectors by verification.
 *
 * usage: kat_acvp VECTORS...      (OCTUPLE_TABLE says on which table)
 */
#include "ec_peer.h"
#include "padding.h"

#include "api/sha512_lanes.h"
#include "ops/ops.h"

#include <octuple/octuple.h>

#include <openssl/ecdsa.h>
#include <openssl/evp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cases that run together, and memory for what they hold until they have. */
struct batch {
    const struct rec_file *file;
    const struct rec_case *c[OCT_LANES];
    unsigned lanes;
    uint8_t *held[16 * OCT_LANES];
    unsigned count;
    uint8_t out[OCT_LANES][1024];
    struct oct_lanes result;
};

static struct rec_bytes field(struct batch *b, unsigned i, const char *name)
{
    struct rec_bytes bytes = rec_field(b->c[i], name);
    REC_REQUIRE(b->count < sizeof b->held / sizeof b->held[0]);
    b->held[b->count++] = bytes.data;
    return bytes;
}

/* ... of exactly this length. */
static uint8_t *exact(struct batch *b, unsigned i, const char *name, size_t len)
{
    struct rec_bytes bytes = field(b, i, name);
    REC_REQUIRE(bytes.len == len);
    return bytes.data;
}

static void check(struct batch *b, unsigned i, int good, const char *what)
{
    rec_check(b->file, b->c[i], good, what);
}

static void same(struct batch *b, unsigned i, const uint8_t *got, size_t len, const char *name)
{
    struct rec_bytes want = field(b, i, name);
    check(b, i, want.len == len && memcmp(got, want.data, len) == 0, name);
}

/* What a call says of a lane, and the vector of its case. */
static void judge(struct batch *b, unsigned i)
{
    const int ok = b->result.ok >> i & 1;
    check(b, i, ok == rec_is(b->c[i], "valid"), "result");
    check(b, i, ok != (b->result.invalid >> i & 1), "one of both");
}

static int curve_of(struct batch *b)
{
    return ec_peer_curve(b->c[0]);
}

static const uint8_t *point(struct batch *b, unsigned i, int curve, const char *name)
{
    return exact(b, i, name, 1 + 2 * oct_ec_bytes(curve)) + 1;
}

/* --- curves */

static void ec_keygen(struct batch *b)
{
    struct oct_ec_public_lane lane[OCT_LANES];
    const int curve = curve_of(b);
    const size_t bytes = oct_ec_bytes(curve);
    for (unsigned i = 0; i < b->lanes; i++)
        lane[i] = (struct oct_ec_public_lane){exact(b, i, "scalar", bytes), b->out[i]};
    REC_REQUIRE(oct_ec_public_x8(curve, lane, b->lanes, &b->result) == OCT_OK);
    for (unsigned i = 0; i < b->lanes; i++) {
        judge(b, i);
        check(b, i, memcmp(b->out[i], point(b, i, curve, "point"), 2 * bytes) == 0, "public key");
    }
}

/* A public key is checked where it is used: as a peer, for the private key 1, and what comes out is its x. */
static void ec_keyver(struct batch *b)
{
    static uint8_t one[OCT_EC_MAX_BYTES];
    struct oct_ec_derive_lane lane[OCT_LANES];
    const int curve = curve_of(b);
    const size_t bytes = oct_ec_bytes(curve);
    memset(one, 0, sizeof one);
    one[bytes - 1] = 1;
    for (unsigned i = 0; i < b->lanes; i++)
        lane[i] = (struct oct_ec_derive_lane){one, point(b, i, curve, "point"), b->out[i]};
    REC_REQUIRE(oct_ec_derive_x8(curve, lane, b->lanes, &b->result) == OCT_OK);
    for (unsigned i = 0; i < b->lanes; i++) {
        judge(b, i);
        check(b, i, !rec_is(b->c[i], "valid") || memcmp(b->out[i], lane[i].peer, bytes) == 0, "x");
    }
}

/* Where the vector's secret has been changed, another one has to come out. */
static void ecdh(struct batch *b)
{
    struct oct_ec_derive_lane lane[OCT_LANES];
    const int curve = curve_of(b);
    const size_t bytes = oct_ec_bytes(curve);
    for (unsigned i = 0; i < b->lanes; i++)
        lane[i] = (struct oct_ec_derive_lane){exact(b, i, "scalar", bytes), point(b, i, curve, "peer"), b->out[i]};
    REC_REQUIRE(oct_ec_derive_x8(curve, lane, b->lanes, &b->result) == OCT_OK);
    for (unsigned i = 0; i < b->lanes; i++) {
        const int fits = (b->result.ok >> i & 1) && memcmp(b->out[i], exact(b, i, "shared", bytes), bytes) == 0;
        check(b, i, fits == rec_is(b->c[i], "valid"), "secret");
    }
}

/* The name of a case's digest: OpenSSL's. */
static const char *sha_of(struct batch *b, unsigned i)
{
    static const char *const names[] = {"sha-1",    "sha-224",  "sha-256",  "sha-384",    "sha-512",   "sha3-224",
                                        "sha3-256", "sha3-384", "sha3-512", "sha512-224", "sha512-256"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (rec_says(b->c[i], "sha", names[n]))
            return names[n];
    rec_die("no such digest here", __FILE__, __LINE__);
}

static size_t digest_of(struct batch *b, unsigned i, uint8_t *to)
{
    struct rec_bytes msg = field(b, i, "msg");
    if (!rec_says(b->c[i], "sha", "none"))
        return kat_digest(to, sha_of(b, i), (struct kat_bytes){msg.data, msg.len}, (struct kat_bytes){msg.data, 0});
    REC_REQUIRE(msg.len <= OCT_EC_MAX_DIGEST);
    memcpy(to, msg.data, msg.len);
    return msg.len;
}

static void ecdsa_verify(struct batch *b)
{
    static uint8_t digest[OCT_LANES][OCT_EC_MAX_DIGEST];
    struct oct_ecdsa_verify_lane lane[OCT_LANES];
    const int curve = curve_of(b);
    const int bytes = (int)oct_ec_bytes(curve);
    for (unsigned i = 0; i < b->lanes; i++) {
        struct rec_bytes sig = field(b, i, "sig");
        const uint8_t *at = sig.data;
        ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &at, (long)sig.len);
        REC_REQUIRE(pair && BN_bn2binpad(ECDSA_SIG_get0_r(pair), b->out[i], bytes) == bytes &&
                    BN_bn2binpad(ECDSA_SIG_get0_s(pair), b->out[i] + bytes, bytes) == bytes);
        ECDSA_SIG_free(pair);
        const size_t len = digest_of(b, i, digest[i]);
        lane[i] = (struct oct_ecdsa_verify_lane){point(b, i, curve, "point"), digest[i], len, b->out[i]};
    }
    REC_REQUIRE(oct_ecdsa_verify_x8(curve, lane, b->lanes, &b->result) == OCT_OK);
    for (unsigned i = 0; i < b->lanes; i++)
        judge(b, i);
}

static void x25519_keygen(struct batch *b)
{
    struct oct_x25519_lane lane[OCT_LANES];
    for (unsigned i = 0; i < b->lanes; i++)
        lane[i] = (struct oct_x25519_lane){exact(b, i, "scalar", 32), NULL, b->out[i]};
    REC_REQUIRE(oct_x25519_public_x8(lane, b->lanes, &b->result) == OCT_OK);
    for (unsigned i = 0; i < b->lanes; i++)
        same(b, i, b->out[i], 32, "point");
}

static void x25519_derive(struct batch *b)
{
    struct oct_x25519_lane lane[OCT_LANES];
    for (unsigned i = 0; i < b->lanes; i++)
        lane[i] = (struct oct_x25519_lane){exact(b, i, "scalar", 32), exact(b, i, "peer", 32), b->out[i]};
    REC_REQUIRE(oct_x25519_derive_x8(lane, b->lanes, &b->result) == OCT_OK);
    for (unsigned i = 0; i < b->lanes; i++)
        check(b, i, (memcmp(b->out[i], exact(b, i, "shared", 32), 32) == 0) == rec_is(b->c[i], "valid"), "secret");
}

/* --- Ed25519 */

static void ed25519_keygen(struct batch *b)
{
    for (unsigned i = 0; i < b->lanes; i++) {
        struct oct_ed25519_key *key;
        REC_REQUIRE(oct_ed25519_key_new(&key, exact(b, i, "seed", OCT_ED25519_SEED_BYTES)) == OCT_OK);
        same(b, i, oct_ed25519_key_public(key), OCT_ED25519_PUBLIC_BYTES, "pk");
        oct_ed25519_key_free(key);
    }
}

static void ed25519_sign(struct batch *b)
{
    struct oct_ed25519_key *key[OCT_LANES];
    struct oct_ed25519_sign_lane lane[OCT_LANES];
    for (unsigned i = 0; i < b->lanes; i++) {
        struct rec_bytes msg = field(b, i, "msg");
        REC_REQUIRE(oct_ed25519_key_new(&key[i], exact(b, i, "seed", OCT_ED25519_SEED_BYTES)) == OCT_OK);
        lane[i] = (struct oct_ed25519_sign_lane){key[i], msg.data, msg.len, b->out[i]};
    }
    REC_REQUIRE(oct_ed25519_sign_x8(lane, b->lanes, &b->result) == OCT_OK);
    for (unsigned i = 0; i < b->lanes; i++) {
        judge(b, i);
        same(b, i, oct_ed25519_key_public(key[i]), OCT_ED25519_PUBLIC_BYTES, "pk");
        same(b, i, b->out[i], OCT_ED25519_SIGNATURE_BYTES, "sig");
        oct_ed25519_key_free(key[i]);
    }
}

static void ed25519_verify(struct batch *b)
{
    struct oct_ed25519_verify_lane lane[OCT_LANES];
    for (unsigned i = 0; i < b->lanes; i++) {
        struct rec_bytes msg = field(b, i, "msg");
        lane[i] = (struct oct_ed25519_verify_lane){exact(b, i, "pk", OCT_ED25519_PUBLIC_BYTES), msg.data, msg.len,
                                                   exact(b, i, "sig", OCT_ED25519_SIGNATURE_BYTES)};
    }
    REC_REQUIRE(oct_ed25519_verify_x8(lane, b->lanes, &b->result) == OCT_OK);
    for (unsigned i = 0; i < b->lanes; i++)
        judge(b, i);
}

/* --- RSA */

static struct oct_bytes part(struct batch *b, unsigned i, const char *name)
{
    struct rec_bytes bytes = field(b, i, name);
    return (struct oct_bytes){bytes.data, bytes.len};
}

/* The keys of a group are of one size, as those of a call have to be. A number that is not below the modulus is
 * refused. */
static void rsa_private(struct batch *b)
{
    struct oct_rsa_lane lane[OCT_LANES];
    struct oct_rsa_key *key[OCT_LANES];
    for (unsigned i = 0; i < b->lanes; i++) {
        const struct oct_rsa_numbers numbers = {part(b, i, "n"),  part(b, i, "e"),  part(b, i, "p"),   part(b, i, "q"),
                                                part(b, i, "dp"), part(b, i, "dq"), part(b, i, "qinv")};
        REC_REQUIRE(oct_rsa_key_new(&key[i], &numbers) == OCT_OK);
        lane[i] = (struct oct_rsa_lane){key[i], exact(b, i, "msg", oct_rsa_key_bits(key[i]) / 8), b->out[i]};
    }
    REC_REQUIRE(oct_rsa_private_x8(lane, b->lanes, &b->result) == OCT_OK);
    for (unsigned i = 0; i < b->lanes; i++) {
        judge(b, i);
        if (b->result.ok >> i & 1)
            same(b, i, b->out[i], oct_rsa_key_bits(key[i]) / 8, "sig");
        oct_rsa_key_free(key[i]);
    }
}

/* The salt's length is in one or two decimal digits. */
static size_t salt_of(struct batch *b, unsigned i)
{
    char digits[8];
    for (size_t salt = 0; salt <= 64; salt++) {
        snprintf(digits, sizeof digits, "%zu", salt);
        if (rec_says(b->c[i], "salt", digits))
            return salt;
    }
    rec_die("no such salt", __FILE__, __LINE__);
}

static int pads(struct batch *b, unsigned i, size_t k)
{
    const struct rec_bytes msg = field(b, i, "msg");
    const struct kat_bytes text = {msg.data, msg.len};
    const char *sha = sha_of(b, i);
    uint8_t want[1024];
    if (strcmp(b->file->kind, "acvp-rsa-pss") == 0)
        return kat_emsa_pss_verify(b->out[i], k, sha, sha, salt_of(b, i), text);
    kat_emsa_pkcs1(want, k, sha, text);
    return memcmp(want, b->out[i], k) == 0;
}

static void rsa_verify(struct batch *b)
{
    for (unsigned i = 0; i < b->lanes; i++) {
        const struct oct_rsa_numbers numbers = {.n = part(b, i, "n"), .e = part(b, i, "e")};
        struct oct_rsa_key *key;
        REC_REQUIRE(oct_rsa_key_new(&key, &numbers) == OCT_OK);
        const size_t k = oct_rsa_key_bits(key) / 8;
        struct rec_bytes sig = field(b, i, "sig");
        int good = sig.len == k;
        const struct oct_rsa_lane lane = {key, sig.data, b->out[i]};
        if (good)
            REC_REQUIRE(oct_rsa_public_x8(&lane, 1, &b->result) == OCT_OK);
        good = good && b->result.ok && pads(b, i, k);
        check(b, i, good == rec_is(b->c[i], "valid"), "result");
        oct_rsa_key_free(key);
    }
}

/* --- AES-GCM, and SHA-512 as keys and nonces need it */

static void gcm(struct batch *b)
{
    for (unsigned i = 0; i < b->lanes; i++) {
        struct rec_bytes secret = field(b, i, "secret"), iv = field(b, i, "iv"), aad = field(b, i, "aad");
        struct rec_bytes msg = field(b, i, "msg"), ct = field(b, i, "ct"), tag = field(b, i, "tag");
        const int valid = rec_is(b->c[i], "valid");
        const int aead = secret.len == 16   ? OCT_AEAD_AES_128_GCM
                         : secret.len == 24 ? OCT_AEAD_AES_192_GCM
                                            : OCT_AEAD_AES_256_GCM;
        uint8_t made[16];
        struct oct_aead_key *key;
        struct oct_aead_stream stream;
        REC_REQUIRE(msg.len <= sizeof b->out[i] && ct.len <= sizeof b->out[i]);
        REC_REQUIRE(oct_aead_key_new(&key, aead, secret.data, secret.len) == OCT_OK);
        if (valid) {
            REC_REQUIRE(oct_aead_stream_init(&stream, key, iv.data, iv.len, 1) == OCT_OK &&
                        oct_aead_stream_aad(&stream, aad.data, aad.len) == OCT_OK &&
                        oct_aead_stream_update(&stream, msg.data, msg.len, b->out[i]) == OCT_OK &&
                        oct_aead_stream_finish_seal(&stream, made) == OCT_OK);
            check(b, i, memcmp(b->out[i], ct.data, ct.len) == 0, "ciphertext");
            check(b, i, memcmp(made, tag.data, tag.len) == 0, "tag");
        }
        REC_REQUIRE(oct_aead_stream_init(&stream, key, iv.data, iv.len, 0) == OCT_OK &&
                    oct_aead_stream_aad(&stream, aad.data, aad.len) == OCT_OK &&
                    oct_aead_stream_update(&stream, ct.data, ct.len, b->out[i]) == OCT_OK);
        check(b, i, (oct_aead_stream_finish_open(&stream, tag.data, tag.len) == OCT_OK) == valid, "opening");
        check(b, i, !valid || memcmp(b->out[i], msg.data, msg.len) == 0, "text");
        oct_aead_key_free(key);
    }
}

static void sha512(struct batch *b)
{
    static struct oct_sha512_space space __attribute__((aligned(64)));
    struct oct_hash_message message[OCT_LANES] = {{0}};
    uint8_t digest[OCT_SHA512_BYTES];
    for (unsigned i = 0; i < b->lanes; i++) {
        struct rec_bytes msg = field(b, i, "msg");
        message[i] = (struct oct_hash_message){NULL, msg.data, 0, msg.len};
        oct_sha512(digest, msg.data, msg.len);
        same(b, i, digest, sizeof digest, "digest");
    }
    oct_sha512_lanes(oct_ops_selected(), &space, message, b->lanes);
    for (unsigned i = 0; i < b->lanes; i++)
        same(b, i, space.digest[i], OCT_SHA512_BYTES, "digest");
}

static const struct kind {
    const char *name;
    void (*run)(struct batch *b);
} kinds[] = {{"acvp-aes-gcm", gcm},
             {"sha512", sha512},
             {"ec-keygen", ec_keygen},
             {"ec-keyver", ec_keyver},
             {"acvp-ecdh", ecdh},
             {"acvp-ecdsa-verify", ecdsa_verify},
             {"x25519-keygen", x25519_keygen},
             {"acvp-x25519", x25519_derive},
             {"ed25519-keygen", ed25519_keygen},
             {"ed25519-sign", ed25519_sign},
             {"acvp-ed25519-verify", ed25519_verify},
             {"rsa-private", rsa_private},
             {"acvp-rsa-pkcs1", rsa_verify},
             {"acvp-rsa-pss", rsa_verify}};

static void flush(struct batch *b, const struct kind *kind)
{
    if (b->lanes > 0)
        kind->run(b);
    while (b->count > 0)
        free(b->held[--b->count]);
    b->lanes = 0;
}

/* Lanes of a call share their group: curve and hash. */
static void run_file(const char *path)
{
    static struct batch b;
    struct rec_file file;
    const struct kind *kind = NULL;
    rec_load(&file, path);
    b.file = &file;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        kind = strcmp(kinds[i].name, file.kind) == 0 ? &kinds[i] : kind;
    REC_REQUIRE(kind);
    for (size_t i = 0; i < file.count; i++) {
        const struct rec_case *c = &file.cases[i];
        if (b.lanes == OCT_LANES || (b.lanes > 0 && strcmp(b.c[0]->line[1], c->line[1]) != 0))
            flush(&b, kind);
        b.c[b.lanes++] = c;
    }
    flush(&b, kind);
    rec_unload(&file);
}

int main(int argc, char **argv)
{
    struct oct_cpu_info info;
    REC_REQUIRE(argc >= 2);
    oct_cpu_info_get(&info);
    if (!oct_op_is_on(OCT_OP_X25519_DERIVE) || !oct_op_is_on(OCT_OP_ED25519_SIGN)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_X25519_DERIVE));
        return 77;
    }
    for (int i = 1; i < argc; i++)
        run_file(argv[i]);
    printf("table %s: %d files\n", info.table, argc - 1);
    return rec_end();
}
