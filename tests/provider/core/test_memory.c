/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Memory runs out once, in the first operation of a key: at each of its allocations in turn. That operation fails, or
 * does without; the next ones with the same key succeed, and are right by OpenSSL's own code.
 */
#include "common.h"
#include "scarce.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ALLOCATIONS 10000 /* of first operations */
#define AGAIN           2     /* Ed25519 and public RSA keys get ready for lanes at the second operation */

/* --- operations: each has a key that it is about, in three places, and bytes that it makes */

static const uint8_t digest[32] = "thirty-two bytes that are signed";

struct subject {
    EVP_PKEY *source;         /* OpenSSL's own in octuple_ctx, which hands its numbers to our provider at first use */
    EVP_PKEY *plain, *other;  /* the same key, and another one, in plain_ctx */
    uint8_t fixed[MAX_BYTES]; /* what is decrypted, or the secret that is derived */
    size_t fixed_len;
};

#define MAX_OUTPUT 4096 /* a signature of ML-DSA-44 has 2420 bytes */

struct output {
    uint8_t bytes[MAX_OUTPUT];
    size_t len;
};

struct operation {
    const char *name;
    EVP_PKEY *(*make)(OSSL_LIB_CTX *ctx); /* a new key of OpenSSL's own */
    void (*prepare)(struct subject *s);   /* NULL: nothing */
    int (*run)(const struct subject *s, EVP_PKEY *key, struct output *out);
    int (*check)(const struct subject *s, const struct output *out);
};

static EVP_PKEY *generate(OSSL_LIB_CTX *ctx, const char *type, const char *curve)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, type, "provider=default");
    EVP_PKEY *key = NULL;

    assert_non_null(pctx);
    assert_int_equal(EVP_PKEY_keygen_init(pctx), 1);
    if (curve != NULL)
        assert_int_equal(EVP_PKEY_CTX_set_group_name(pctx, curve), 1);
    assert_int_equal(EVP_PKEY_generate(pctx, &key), 1);
    EVP_PKEY_CTX_free(pctx);
    return key;
}

static EVP_PKEY *make_rsa(OSSL_LIB_CTX *ctx)
{
    (void)ctx;
    return decode_key("2048a");
}

static EVP_PKEY *make_p256(OSSL_LIB_CTX *ctx)
{
    return generate(ctx, "EC", "P-256");
}

static EVP_PKEY *make_p384(OSSL_LIB_CTX *ctx)
{
    return generate(ctx, "EC", "P-384");
}

static EVP_PKEY *make_p521(OSSL_LIB_CTX *ctx)
{
    return generate(ctx, "EC", "P-521");
}

static EVP_PKEY *make_sm2(OSSL_LIB_CTX *ctx)
{
    return generate(ctx, "SM2", NULL);
}

static EVP_PKEY *make_ed25519(OSSL_LIB_CTX *ctx)
{
    return generate(ctx, "ED25519", NULL);
}

static EVP_PKEY *make_x25519(OSSL_LIB_CTX *ctx)
{
    return generate(ctx, "X25519", NULL);
}

static EVP_PKEY *make_mldsa(OSSL_LIB_CTX *ctx)
{
    return generate(ctx, "ML-DSA-44", NULL);
}

/* --- signatures of digests and of messages */

static int pad(EVP_PKEY_CTX *pctx, int pad_mode)
{
    return pad_mode == 0 ||
           (EVP_PKEY_CTX_set_rsa_padding(pctx, pad_mode) > 0 && EVP_PKEY_CTX_set_signature_md(pctx, EVP_sha256()) > 0);
}

static int sign(EVP_PKEY *key, struct output *out, int pad_mode)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    int ok;

    out->len = sizeof out->bytes;
    ok = pctx != NULL && EVP_PKEY_sign_init(pctx) > 0 && pad(pctx, pad_mode) &&
         EVP_PKEY_sign(pctx, out->bytes, &out->len, digest, sizeof digest) > 0;
    EVP_PKEY_CTX_free(pctx);
    return ok;
}

static int verify(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const struct output *out, int pad_mode)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(ctx, key, NULL);
    const int ok = pctx != NULL && EVP_PKEY_verify_init(pctx) > 0 && pad(pctx, pad_mode) &&
                   EVP_PKEY_verify(pctx, out->bytes, out->len, digest, sizeof digest) > 0;

    EVP_PKEY_CTX_free(pctx);
    return ok;
}

static int run_sign(const struct subject *s, EVP_PKEY *key, struct output *out)
{
    (void)s;
    return sign(key, out, 0);
}

static int check_sign(const struct subject *s, const struct output *out)
{
    return verify(plain_ctx, s->plain, out, 0);
}

static int run_pkcs1(const struct subject *s, EVP_PKEY *key, struct output *out)
{
    (void)s;
    return sign(key, out, RSA_PKCS1_PADDING);
}

static int check_pkcs1(const struct subject *s, const struct output *out)
{
    return verify(plain_ctx, s->plain, out, RSA_PKCS1_PADDING);
}

static int run_pss(const struct subject *s, EVP_PKEY *key, struct output *out)
{
    (void)s;
    return sign(key, out, RSA_PKCS1_PSS_PADDING);
}

static int check_pss(const struct subject *s, const struct output *out)
{
    return verify(plain_ctx, s->plain, out, RSA_PKCS1_PSS_PADDING);
}

/* The signature of a message, by one call. NULL: the digest that the key has by itself. */
static int sign_message(OSSL_LIB_CTX *library, EVP_PKEY *key, struct output *out, const char *md)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int ok;

    out->len = sizeof out->bytes;
    ok = ctx != NULL && EVP_DigestSignInit_ex(ctx, NULL, md, library, NULL, key, NULL) > 0 &&
         EVP_DigestSign(ctx, out->bytes, &out->len, digest, sizeof digest) > 0;
    EVP_MD_CTX_free(ctx);
    return ok;
}

static int run_message(EVP_PKEY *key, struct output *out, const char *md)
{
    return sign_message(octuple_ctx, key, out, md);
}

static int check_message(EVP_PKEY *key, const struct output *out, const char *md)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const int ok = EVP_DigestVerifyInit_ex(ctx, NULL, md, plain_ctx, NULL, key, NULL) > 0 &&
                   EVP_DigestVerify(ctx, out->bytes, out->len, digest, sizeof digest) == 1;

    EVP_MD_CTX_free(ctx);
    return ok;
}

static int run_pure(const struct subject *s, EVP_PKEY *key, struct output *out)
{
    (void)s;
    return run_message(key, out, NULL);
}

static int check_pure(const struct subject *s, const struct output *out)
{
    return check_message(s->plain, out, NULL);
}

static int run_hashed(const struct subject *s, EVP_PKEY *key, struct output *out)
{
    (void)s;
    return run_message(key, out, "SHA2-256");
}

static int check_hashed(const struct subject *s, const struct output *out)
{
    return check_message(s->plain, out, "SHA2-256");
}

static int run_sm2(const struct subject *s, EVP_PKEY *key, struct output *out)
{
    (void)s;
    return run_message(key, out, "SM3");
}

static int check_sm2(const struct subject *s, const struct output *out)
{
    return check_message(s->plain, out, "SM3");
}

/* --- verification: what it says of a good signature is 1, once there is memory */

static void prepare_signature(struct subject *s, int pad_mode)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(plain_ctx, s->plain, NULL);

    s->fixed_len = sizeof s->fixed;
    assert_int_equal(EVP_PKEY_sign_init(pctx), 1);
    assert_true(pad(pctx, pad_mode));
    assert_int_equal(EVP_PKEY_sign(pctx, s->fixed, &s->fixed_len, digest, sizeof digest), 1);
    EVP_PKEY_CTX_free(pctx);
}

static void prepare_ec_signature(struct subject *s)
{
    prepare_signature(s, 0);
}

static void prepare_rsa_signature(struct subject *s)
{
    prepare_signature(s, RSA_PKCS1_PSS_PADDING);
}

static int run_verify(const struct subject *s, EVP_PKEY *key, struct output *out)
{
    out->len = s->fixed_len;
    memcpy(out->bytes, s->fixed, s->fixed_len);
    return verify(octuple_ctx, key, out, EVP_PKEY_is_a(key, "RSA") ? RSA_PKCS1_PSS_PADDING : 0);
}

/* --- what comes to the same bytes each time: decryption, and a shared secret */

static int check_fixed(const struct subject *s, const struct output *out)
{
    return out->len == s->fixed_len && memcmp(out->bytes, s->fixed, s->fixed_len) == 0;
}

/* The plain key has encrypted the digest. */
static void prepare_encrypted(struct subject *s)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(plain_ctx, s->plain, NULL);

    s->fixed_len = sizeof s->fixed;
    assert_int_equal(EVP_PKEY_encrypt_init(pctx), 1);
    assert_int_equal(EVP_PKEY_encrypt(pctx, s->fixed, &s->fixed_len, digest, sizeof digest), 1);
    EVP_PKEY_CTX_free(pctx);
}

static int run_decrypt(const struct subject *s, EVP_PKEY *key, struct output *out)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    int ok;

    out->len = sizeof out->bytes;
    ok = pctx != NULL && EVP_PKEY_decrypt_init(pctx) > 0 &&
         EVP_PKEY_decrypt(pctx, out->bytes, &out->len, s->fixed, s->fixed_len) > 0;
    EVP_PKEY_CTX_free(pctx);
    return ok;
}

static int check_decrypt(const struct subject *s, const struct output *out)
{
    (void)s;
    return out->len == sizeof digest && memcmp(out->bytes, digest, sizeof digest) == 0;
}

static void prepare_secret(struct subject *s)
{
    s->fixed_len = sizeof s->fixed;
    assert_int_equal(derive_secret(plain_ctx, s->plain, s->other, s->fixed, &s->fixed_len), 1);
}

static int run_derive(const struct subject *s, EVP_PKEY *key, struct output *out)
{
    out->len = sizeof out->bytes;
    return derive_secret(octuple_ctx, key, s->other, out->bytes, &out->len);
}

/* --- the loop */

static const struct operation operations[] = {
    {"RSA, PKCS #1 signature", make_rsa, NULL, run_pkcs1, check_pkcs1},
    {"RSA, PSS signature", make_rsa, NULL, run_pss, check_pss},
    {"RSA, signature of a message", make_rsa, NULL, run_hashed, check_hashed},
    {"RSA, verification", make_rsa, prepare_rsa_signature, run_verify, check_fixed},
    {"RSA, decryption", make_rsa, prepare_encrypted, run_decrypt, check_decrypt},
    {"P-256, signature", make_p256, NULL, run_sign, check_sign},
    {"P-256, signature of a message", make_p256, NULL, run_hashed, check_hashed},
    {"P-256, verification", make_p256, prepare_ec_signature, run_verify, check_fixed},
    {"P-256, secret", make_p256, prepare_secret, run_derive, check_fixed},
    {"P-384, signature", make_p384, NULL, run_sign, check_sign},
    {"P-384, secret", make_p384, prepare_secret, run_derive, check_fixed},
    {"P-521, signature", make_p521, NULL, run_sign, check_sign},
    {"Ed25519, signature", make_ed25519, NULL, run_pure, check_pure},
    {"X25519, secret", make_x25519, prepare_secret, run_derive, check_fixed},
    {"SM2, signature", make_sm2, NULL, run_sm2, check_sm2},
    {"ML-DSA-44, signature", make_mldsa, NULL, run_pure, check_pure},
};

static struct subject subject_new(const struct operation *o)
{
    struct subject s = {.source = o->make(octuple_ctx)};
    EVP_PKEY *other = o->make(octuple_ctx);

    s.plain = copy_key(plain_ctx, "provider=default", s.source, EVP_PKEY_KEYPAIR);
    s.other = copy_key(plain_ctx, "provider=default", other, EVP_PKEY_KEYPAIR);
    EVP_PKEY_free(other);
    if (o->prepare != NULL)
        o->prepare(&s);
    return s;
}

static void subject_free(struct subject *s)
{
    EVP_PKEY_free(s->source);
    EVP_PKEY_free(s->plain);
    EVP_PKEY_free(s->other);
}

/* In EIGHT fibres at once, or in none: a key each that was never used. */
struct round {
    const struct operation *o;
    const struct subject *s;
    int count;
    long n; /* that allocation fails once the last fibre has started; negative: none does */
    EVP_PKEY *key[EIGHT];
    int ok[EIGHT];
    struct output out[EIGHT];
};

static int run_one(int i, void *arg)
{
    struct round *r = arg;

    r->out[i].len = 0;
    if (i == r->count - 1 && r->n >= 0)
        scarce_arm(r->n);
    r->ok[i] = r->o->run(r->s, r->key[i], &r->out[i]);
    return 1;
}

static bool run_all(struct round *r, long n)
{
    bool failed;

    r->n = n;
    if (r->count > 1)
        run_fibres(r->count, run_one, r);
    else
        run_one(0, r);
    failed = scarce_disarm();
    ERR_clear_error();
    return n >= 0 && failed;
}

/* The n-th allocation of their first operations fails, and none of the next ones. False: there is no n-th. */
static bool check_round(struct round *r, long n)
{
    const int count = r->count;
    bool failed;

    for (int i = 0; i < count; i++)
        assert_non_null(r->key[i] = EVP_PKEY_dup(r->s->source));
    failed = run_all(r, n);
    for (int i = 0; i < count; i++)
        if (!(r->ok[i] ? r->o->check(r->s, &r->out[i]) : failed))
            fail_msg("%s: wrong with allocation %ld failing", r->o->name, n);
    for (int again = 0; again < AGAIN; again++) {
        run_all(r, -1);
        for (int i = 0; i < count; i++)
            if (!r->ok[i] || !r->o->check(r->s, &r->out[i]))
                fail_msg("%s: wrong after allocation %ld has failed", r->o->name, n);
    }
    for (int i = 0; i < count; i++)
        EVP_PKEY_free(r->key[i]);
    return failed;
}

/* What OpenSSL makes once in a process or thread is there before. */
static void check_operation(const struct operation *o, int count, long step)
{
    struct subject s = subject_new(o);
    struct round r = {.o = o, .s = &s, .count = count};
    long n = 0;

    check_round(&r, -1);
    while (check_round(&r, n))
        assert_true((n += step) < MAX_ALLOCATIONS);
    assert_true(n > 3);
    subject_free(&s);
}

/* An operation alone, at each of its allocations in turn; `ours` says whose code runs. True: the process ends of it. */
static bool ends(const struct operation *o, bool ours)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        struct subject s = subject_new(o);
        struct output out;
        bool failed = true;
        (void)signal(SIGSEGV, SIG_DFL);
        for (long n = 0; failed; n++) {
            EVP_PKEY *key = EVP_PKEY_dup(ours ? s.source : s.plain);
            scarce_arm(n);
            (void)(ours ? o->run(&s, key, &out) : sign_message(plain_ctx, key, &out, "SM3"));
            failed = scarce_disarm();
            EVP_PKEY_free(key);
        }
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status);
}

/* OpenSSL 3.0.22 follows a null pointer where memory runs out in a signature with SM2, and where there are no lanes for
 * it, that code serves. */
static bool is_here(const struct operation *o)
{
    if (o->make == make_sm2 && ends(o, false) && ends(o, true)) {
        print_message("%s: this OpenSSL's own code does not bear it\n", o->name);
        return false;
    }
    return o->make != make_mldsa || OpenSSL_version_num() >= 0x30500000;
}

static void test_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (is_here(&operations[i]))
            check_operation(&operations[i], 1, 1);
}

/* Lane keys are made, and operations pause. There are many allocations. */
static void test_in_fibres(void **state)
{
    (void)state;
    if (is_slow())
        return;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (is_here(&operations[i]))
            check_operation(&operations[i], EIGHT, 37);
}

/* OpenSSL takes a modulus of zero. A key has no bits then, and no place for any padding. */
static void test_no_bits(void **state)
{
    uint8_t zero = 0, three = 3;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_N, &zero, 1),
        OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_E, &three, 1),
        OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_D, &three, 1),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(octuple_ctx, "RSA", "provider=octuple");
    struct output out = {.len = 0};
    EVP_PKEY *key = NULL;

    (void)state;
    assert_int_equal(EVP_PKEY_fromdata_init(pctx), 1);
    const int taken = EVP_PKEY_fromdata(pctx, &key, EVP_PKEY_KEYPAIR, params);
    assert_true(taken == 1 || OpenSSL_version_num() >= 0x30200000); /* later releases refuse it */
    for (int mode = RSA_PKCS1_PADDING; taken == 1 && mode <= RSA_PKCS1_PSS_PADDING;
         mode += RSA_PKCS1_PSS_PADDING - RSA_PKCS1_PADDING) {
        assert_int_equal(sign(key, &out, mode), 0);
        out.len = 0;
        assert_int_equal(verify(octuple_ctx, key, &out, mode), 0);
    }
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(pctx);
}

int main(void)
{
    return scarce_begin() ? RUN_TESTS(open_contexts, close_contexts, test_alone, test_in_fibres, test_no_bits) : 1;
}
