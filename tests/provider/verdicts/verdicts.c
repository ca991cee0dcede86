/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See verdicts.h. */
#include "verdicts.h"

#include <stdbool.h>
#include <openssl/err.h>
#include <openssl/params.h>

/* What a case gave: its value, and the first and the last error. */
struct verdict {
    int value;
    unsigned long first, last;
};

static struct fixture ours, theirs;

static void pair(EVP_PKEY *key[2], EVP_PKEY *public_key[2], const char *type, const char *group)
{
    key[0] = group == NULL ? EVP_PKEY_Q_keygen(plain_ctx, NULL, type) : EVP_PKEY_Q_keygen(plain_ctx, NULL, type, group);
    key[1] = copy_key(octuple_ctx, NULL, key[0], EVP_PKEY_KEYPAIR);
    public_key[0] = copy_key(plain_ctx, NULL, key[0], EVP_PKEY_PUBLIC_KEY);
    public_key[1] = copy_key(octuple_ctx, NULL, key[0], EVP_PKEY_PUBLIC_KEY);
    assert_true(is_ours(key[1]) && is_ours(public_key[1]) && !is_ours(key[0]));
}

int open_fixture(void **state)
{
    EVP_PKEY *key[2], *public_key[2];

    open_contexts(state);
    ours.rsa = load_key(octuple_ctx, "2048a");
    theirs.rsa = load_key(plain_ctx, "2048a");
    ours.rsa_public = load_public_key(octuple_ctx, "2048a");
    theirs.rsa_public = load_public_key(plain_ctx, "2048a");
    pair(key, public_key, "EC", "P-256");
    theirs.ec = key[0], ours.ec = key[1], theirs.ec_public = public_key[0], ours.ec_public = public_key[1];
    pair(key, public_key, "ED25519", NULL);
    theirs.ed25519 = key[0], ours.ed25519 = key[1];
    theirs.ed25519_public = public_key[0], ours.ed25519_public = public_key[1];
    pair(key, public_key, "X25519", NULL);
    theirs.x25519 = key[0], ours.x25519 = key[1];
    theirs.x25519_public = public_key[0], ours.x25519_public = public_key[1];
    return 0;
}

static void close_one(struct fixture *f)
{
    EVP_PKEY *const keys[] = {f->rsa,     f->rsa_public,     f->ec,     f->ec_public,
                              f->ed25519, f->ed25519_public, f->x25519, f->x25519_public};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        EVP_PKEY_free(keys[i]);
}

int close_fixture(void **state)
{
    close_one(&ours);
    close_one(&theirs);
    return close_contexts(state);
}

EVP_PKEY_CTX *start(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(is_ours(key) ? octuple_ctx : plain_ctx, key, NULL);

    assert_int_equal(init(ctx), 1);
    return ctx;
}

int sign_with(EVP_PKEY_CTX *ctx, size_t len, size_t tbs_len)
{
    uint8_t out[MAX_BYTES] = {0}, tbs[MAX_BYTES] = {0};
    const int value = EVP_PKEY_sign(ctx, out, &len, tbs, tbs_len);

    EVP_PKEY_CTX_free(ctx);
    return value;
}

static struct verdict verdict_of(int (*run)(const struct fixture *f), const struct fixture *f)
{
    struct verdict v;

    ERR_clear_error();
    v.value = run(f);
    v.first = ERR_peek_error();
    v.last = ERR_peek_last_error();
    ERR_clear_error();
    return v;
}

/* From 3.4 on EVP adds an error of its own where a provider's function for a whole message has raised none. OpenSSL's
 * own ECDSA has no such function, so its verdicts come without: that is all the difference. */
static bool is_same(const struct verdict *a, const struct verdict *b)
{
    const bool added = a->value <= 0 && b->first == 0 && a->first == a->last && ERR_GET_LIB(a->first) == ERR_LIB_EVP &&
                       OPENSSL_version_major() == 3 && OPENSSL_version_minor() >= 4;
    return a->value == b->value && (added || (a->first == b->first && a->last == b->last));
}

void expect_same_verdicts(const struct verdict_case cases[], size_t count)
{
    int wrong = 0;

    for (size_t i = 0; i < count; i++) {
        const struct verdict a = verdict_of(cases[i].run, &ours), b = verdict_of(cases[i].run, &theirs);

        if (is_same(&a, &b))
            continue;
        print_error("%s: ours %d %lx %lx, OpenSSL's %d %lx %lx\n", cases[i].name, a.value, a.first, a.last, b.value,
                    b.first, b.last);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}
