/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Programs that speak QUIC derive the keys of packets themselves. For each of some forty in a connection they make a
 * context of HKDF, begin it, set four things one by one, derive and free it: four fetches and a dozen allocations.
 *
 * Each thread keeps one context that has begun. The program gets it, and what it sets is noted here. A context of
 * EVP_KDF, which the first one's provider would use too, derives from that at once, and is reset. Whatever else is done
 * with the context, or is set twice, or does not look right, is OpenSSL's: then it gets all that was noted, and is the
 * program's own from there on.
 */
#include "savings/hkdf.h"

#include "libssl/slots.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <string.h>

/* clang-format off */
/* Those that only this file calls. All are there since OpenSSL 3.0. */
#define OWN(X)                                                                                                         \
    X(EVP_KDF_CTX_new) X(EVP_KDF_CTX_free) X(EVP_KDF_CTX_reset) X(EVP_KDF_derive) X(EVP_PKEY_derive)                   \
    X(EVP_MD_get0_name) X(EVP_MD_get0_provider) X(EVP_MD_get_size) X(EVP_MD_get_type)                                  \
    X(EVP_PKEY_CTX_set_hkdf_mode) X(EVP_PKEY_CTX_set_hkdf_md) X(EVP_PKEY_CTX_set1_hkdf_key)                            \
    X(EVP_PKEY_CTX_set1_hkdf_salt) X(EVP_PKEY_CTX_add1_hkdf_info)

/* What else takes a context, and may find or change what is in it. */
#define OTHERS(X)                                                                                                      \
    X(int, EVP_PKEY_CTX_set_params, (EVP_PKEY_CTX * ctx, const OSSL_PARAM *p), (ctx, p))                               \
    X(int, EVP_PKEY_CTX_get_params, (EVP_PKEY_CTX * ctx, OSSL_PARAM * p), (ctx, p))                                    \
    X(int, EVP_PKEY_CTX_ctrl, (EVP_PKEY_CTX * ctx, int a, int b, int c, int d, void *p), (ctx, a, b, c, d, p))         \
    X(int, EVP_PKEY_CTX_ctrl_str, (EVP_PKEY_CTX * ctx, const char *name, const char *value), (ctx, name, value))       \
    X(int, EVP_PKEY_CTX_ctrl_uint64, (EVP_PKEY_CTX * ctx, int a, int b, int c, uint64_t d), (ctx, a, b, c, d))         \
    X(int, EVP_PKEY_CTX_str2ctrl, (EVP_PKEY_CTX * ctx, int cmd, const char *value), (ctx, cmd, value))                 \
    X(int, EVP_PKEY_CTX_hex2ctrl, (EVP_PKEY_CTX * ctx, int cmd, const char *value), (ctx, cmd, value))                 \
    X(int, EVP_PKEY_CTX_md, (EVP_PKEY_CTX * ctx, int op, int cmd, const char *md), (ctx, op, cmd, md))                 \
    X(int, EVP_PKEY_derive_init_ex, (EVP_PKEY_CTX * ctx, const OSSL_PARAM *p), (ctx, p))                               \
    X(EVP_PKEY_CTX *, EVP_PKEY_CTX_dup, (const EVP_PKEY_CTX *ctx), (ctx))
/* clang-format on */

static struct {
#define POINTER(name)                                 __typeof__(name) *name;
#define POINTER_OF(type, name, parameters, arguments) __typeof__(name) *name;
    OWN(POINTER) OTHERS(POINTER_OF)
} call;

static void forget(struct oct_hkdf *hkdf)
{
    explicit_bzero(&hkdf->set, sizeof hkdf->set);
    atomic_store_explicit(&hkdf->handed, NULL, memory_order_release);
}

/* The context is as if it had always been OpenSSL's alone. False if it could not take what had been set. */
static bool let_go(struct oct_hkdf *hkdf)
{
    const struct oct_hkdf_set *set = &hkdf->set;
    EVP_PKEY_CTX *ctx = hkdf->ctx;
    bool done = (!set->has_mode || call.EVP_PKEY_CTX_set_hkdf_mode(ctx, set->mode) > 0) &&
                (set->digest == NULL || call.EVP_PKEY_CTX_set_hkdf_md(ctx, set->digest) > 0);
    int (*const setters[])(EVP_PKEY_CTX *, const unsigned char *, int) = {
        [OCT_HKDF_KEY] = call.EVP_PKEY_CTX_set1_hkdf_key,
        [OCT_HKDF_SALT] = call.EVP_PKEY_CTX_set1_hkdf_salt,
        [OCT_HKDF_INFO] = call.EVP_PKEY_CTX_add1_hkdf_info,
    };

    for (int i = 0; done && i < OCT_HKDF_FIELDS; i++)
        done = set->len[i] == 0 || setters[i](ctx, set->field[i], (int)set->len[i]) > 0;
    hkdf->ctx = NULL;
    forget(hkdf);
    return done;
}

static void drop(struct oct_hkdf *hkdf)
{
    oct_ssl()->EVP_PKEY_CTX_free(hkdf->ctx);
    hkdf->ctx = NULL;
    if (hkdf->kdf != NULL)
        call.EVP_KDF_CTX_free(hkdf->kdf);
    hkdf->kdf = NULL;
}

void oct_hkdf_drop(struct oct_hkdf *hkdf)
{
    if (atomic_load_explicit(&hkdf->handed, memory_order_acquire) != NULL)
        return;
    drop(hkdf);
    hkdf->question = (struct oct_question){.epoch = 0};
}

/* Neither, if this OpenSSL has no HKDF. */
static void make(struct oct_hkdf *hkdf)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    EVP_KDF *kdf = hkdf->kdf == NULL ? ssl->EVP_KDF_fetch(NULL, "HKDF", NULL) : NULL;

    if (kdf != NULL)
        hkdf->kdf = call.EVP_KDF_CTX_new(kdf);
    ssl->EVP_KDF_free(kdf);
    hkdf->ctx = hkdf->kdf != NULL ? ssl->EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL) : NULL;
    if (hkdf->ctx == NULL || ssl->EVP_PKEY_derive_init(hkdf->ctx) <= 0)
        drop(hkdf);
}

static EVP_PKEY_CTX *met_new(int id, ENGINE *engine)
{
    struct oct_hkdf *hkdf = id == EVP_PKEY_HKDF && engine == NULL ? oct_hkdf_here() : NULL;
    struct oct_question q = {.provider = NULL};

    if (hkdf == NULL || atomic_load_explicit(&hkdf->handed, memory_order_acquire) != NULL ||
        !oct_question_ask(&q, NULL, "HKDF", NULL, NULL))
        return oct_ssl()->EVP_PKEY_CTX_new_id(id, engine);
    const bool is_new = !oct_question_is_same(&hkdf->question, &q);
    if (is_new)
        drop(hkdf);
    hkdf->question = q;
    if (is_new || (hkdf->ctx == NULL && hkdf->kdf != NULL)) {
        oct_ssl()->ERR_set_mark();
        make(hkdf);
        oct_ssl()->ERR_pop_to_mark();
    }
    if (hkdf->ctx == NULL)
        return oct_ssl()->EVP_PKEY_CTX_new_id(id, engine);
    hkdf->begun = false;
    atomic_store_explicit(&hkdf->handed, hkdf->ctx, memory_order_release);
    return hkdf->ctx;
}

/* One that another library has freed, and that another context has got the address of, has not begun. */
static int met_begin(EVP_PKEY_CTX *ctx)
{
    struct oct_hkdf *hkdf = oct_hkdf_of(ctx);

    if (hkdf != NULL && !hkdf->begun && oct_ssl()->EVP_PKEY_CTX_get_operation(ctx) == EVP_PKEY_OP_DERIVE) {
        hkdf->begun = true;
        return 1;
    }
    if (hkdf != NULL) {
        hkdf->ctx = NULL;
        forget(hkdf);
    }
    return oct_ssl()->EVP_PKEY_derive_init(ctx);
}

static void met_free(EVP_PKEY_CTX *ctx)
{
    struct oct_hkdf *hkdf = oct_hkdf_of(ctx);

    if (hkdf != NULL)
        forget(hkdf);
    else
        oct_ssl()->EVP_PKEY_CTX_free(ctx);
}

/* OpenSSL's objects of old are still there when something is derived; what was fetched may not be. */
static bool is_usual_digest(const EVP_MD *digest)
{
    const int type = digest != NULL && call.EVP_MD_get0_provider(digest) == NULL ? call.EVP_MD_get_type(digest) : 0;
    return type == NID_sha256 || type == NID_sha384 || type == NID_sha512;
}

static int met_mode(EVP_PKEY_CTX *ctx, int mode)
{
    struct oct_hkdf *hkdf = oct_hkdf_of(ctx);

    if (hkdf != NULL && hkdf->begun && !hkdf->set.has_mode && mode >= EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND &&
        mode <= EVP_KDF_HKDF_MODE_EXPAND_ONLY) {
        hkdf->set.has_mode = true;
        hkdf->set.mode = mode;
        return 1;
    }
    return hkdf == NULL || let_go(hkdf) ? call.EVP_PKEY_CTX_set_hkdf_mode(ctx, mode) : 0;
}

static int met_digest(EVP_PKEY_CTX *ctx, const EVP_MD *digest)
{
    struct oct_hkdf *hkdf = oct_hkdf_of(ctx);

    if (hkdf != NULL && hkdf->begun && hkdf->set.digest == NULL && is_usual_digest(digest)) {
        hkdf->set.digest = digest;
        return 1;
    }
    return hkdf == NULL || let_go(hkdf) ? call.EVP_PKEY_CTX_set_hkdf_md(ctx, digest) : 0;
}

static int set_octets(EVP_PKEY_CTX *ctx, enum oct_hkdf_field field, const unsigned char *data, int len,
                      int (*real)(EVP_PKEY_CTX *, const unsigned char *, int))
{
    struct oct_hkdf *hkdf = oct_hkdf_of(ctx);

    if (hkdf != NULL && hkdf->begun && hkdf->set.len[field] == 0 && data != NULL && len > 0 && len <= OCT_HKDF_ROOM) {
        memcpy(hkdf->set.field[field], data, (size_t)len);
        hkdf->set.len[field] = (size_t)len;
        return 1;
    }
    return hkdf == NULL || let_go(hkdf) ? real(ctx, data, len) : 0;
}

static int met_key(EVP_PKEY_CTX *ctx, const unsigned char *key, int len)
{
    return set_octets(ctx, OCT_HKDF_KEY, key, len, call.EVP_PKEY_CTX_set1_hkdf_key);
}

static int met_salt(EVP_PKEY_CTX *ctx, const unsigned char *salt, int len)
{
    return set_octets(ctx, OCT_HKDF_SALT, salt, len, call.EVP_PKEY_CTX_set1_hkdf_salt);
}

static int met_info(EVP_PKEY_CTX *ctx, const unsigned char *info, int len)
{
    return set_octets(ctx, OCT_HKDF_INFO, info, len, call.EVP_PKEY_CTX_add1_hkdf_info);
}

/* False if OpenSSL has to: it knows why, too. */
static bool derive(struct oct_hkdf *hkdf, unsigned char *out, size_t *len)
{
    static const char *const names[] = {OSSL_KDF_PARAM_KEY, OSSL_KDF_PARAM_SALT, OSSL_KDF_PARAM_INFO};
    struct oct_hkdf_set *set = &hkdf->set;
    OSSL_PARAM params[OCT_HKDF_FIELDS + 3], *p = params;

    if (out == NULL || len == NULL || !set->has_mode || set->digest == NULL || set->len[OCT_HKDF_KEY] == 0)
        return false;
    const bool extracts = set->mode == EVP_KDF_HKDF_MODE_EXTRACT_ONLY;
    const size_t size = (size_t)call.EVP_MD_get_size(set->digest), n = extracts ? size : *len;
    if (*len < n)
        return false;
    *p++ = (OSSL_PARAM)OSSL_PARAM_int(OSSL_KDF_PARAM_MODE, &set->mode);
    char *digest = (char *)call.EVP_MD_get0_name(set->digest);
    *p++ = (OSSL_PARAM)OSSL_PARAM_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, strlen(digest));
    for (int i = 0; i < OCT_HKDF_FIELDS; i++)
        if (set->len[i] != 0)
            *p++ = (OSSL_PARAM)OSSL_PARAM_octet_string(names[i], set->field[i], set->len[i]);
    *p = (OSSL_PARAM)OSSL_PARAM_END;
    oct_ssl()->ERR_set_mark();
    const bool done = call.EVP_KDF_derive(hkdf->kdf, out, n, params) > 0;
    call.EVP_KDF_CTX_reset(hkdf->kdf);
    oct_ssl()->ERR_pop_to_mark();
    if (done)
        *len = n;
    return done;
}

static int met_derive(EVP_PKEY_CTX *ctx, unsigned char *out, size_t *len)
{
    struct oct_hkdf *hkdf = oct_hkdf_of(ctx);

    if (hkdf != NULL && hkdf->begun && derive(hkdf, out, len))
        return 1;
    return hkdf == NULL || let_go(hkdf) ? call.EVP_PKEY_derive(ctx, out, len) : 0;
}

#define MET_OTHER(type, name, parameters, arguments)                                                                   \
    static type met_##name parameters                                                                                  \
    {                                                                                                                  \
        struct oct_hkdf *hkdf = oct_hkdf_of(ctx);                                                                      \
        return hkdf == NULL || let_go(hkdf) ? call.name arguments : 0;                                                 \
    }
OTHERS(MET_OTHER)

/* The function that makes contexts comes last: all others are met by then. */
void oct_hkdf_setup(const void *program)
{
    bool found = true;

#define FIND(name)                found = found && (call.name = oct_symbol(oct_ssl()->handle, #name)) != NULL;
#define FIND_OF(type, name, a, b) FIND(name)
    OWN(FIND)
    OTHERS(FIND_OF)
    if (!found || !oct_slot_set(program, "EVP_PKEY_CTX_free", (void *)met_free) ||
        !oct_slot_set(program, "EVP_PKEY_derive_init", (void *)met_begin) ||
        !oct_slot_set(program, "EVP_PKEY_derive", (void *)met_derive))
        return;
    /* What the program does not call needs not be met. */
    (void)oct_slot_set(program, "EVP_PKEY_CTX_set_hkdf_mode", (void *)met_mode);
    (void)oct_slot_set(program, "EVP_PKEY_CTX_set_hkdf_md", (void *)met_digest);
    (void)oct_slot_set(program, "EVP_PKEY_CTX_set1_hkdf_key", (void *)met_key);
    (void)oct_slot_set(program, "EVP_PKEY_CTX_set1_hkdf_salt", (void *)met_salt);
    (void)oct_slot_set(program, "EVP_PKEY_CTX_add1_hkdf_info", (void *)met_info);
#define MEET(type, name, a, b) (void)oct_slot_set(program, #name, (void *)met_##name);
    OTHERS(MEET)
    (void)oct_slot_set(program, "EVP_PKEY_CTX_new_id", (void *)met_new);
}
