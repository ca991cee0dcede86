/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See kdf.h. */
#include "kdf.h"

#include "provider/core/dispatch.h"
#include "provider/core/provider.h"
#include "provider/core/spares.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <stdbool.h>
#include <string.h>

static EVP_KDF *fallback_kdf(struct oct_prov *prov, const struct oct_kdf_type *type);

/* --- contexts, of which a few are kept, cleansed, for next derivations */

static struct oct_spares spares;

static void kdf_clear(void)
{
    struct oct_kdf *kdf;
    while ((kdf = oct_spares_take(&spares)) != NULL)
        OPENSSL_free(kdf);
}

static struct oct_kdf *kdf_new(struct oct_prov *prov, const struct oct_kdf_type *type)
{
    struct oct_kdf *kdf = oct_spares_take(&spares);

    if (kdf == NULL)
        kdf = OPENSSL_zalloc(sizeof *kdf);
    if (kdf == NULL) {
        OCT_RAISE(prov, OCT_REASON_MEMORY);
        return NULL;
    }
    kdf->prov = prov;
    kdf->type = type;
    return kdf;
}

static void kdf_free(void *vk)
{
    struct oct_kdf *kdf = vk;

    if (kdf == NULL)
        return;
    EVP_KDF_CTX_free(kdf->fallback);
    explicit_bzero(kdf, sizeof *kdf);
    if (!oct_spares_put(&spares, kdf))
        OPENSSL_free(kdf);
}

static void kdf_reset(void *vk)
{
    struct oct_kdf *kdf = vk;
    struct oct_prov *prov = kdf->prov;
    const struct oct_kdf_type *type = kdf->type;

    EVP_KDF_CTX_free(kdf->fallback);
    explicit_bzero(kdf, sizeof *kdf);
    kdf->prov = prov;
    kdf->type = type;
}

static void *kdf_dup(void *vk)
{
    const struct oct_kdf *kdf = vk;
    struct oct_kdf *copy = kdf_new(kdf->prov, kdf->type);

    if (copy == NULL)
        return NULL;
    *copy = *kdf;
    if (kdf->fallback == NULL || (copy->fallback = EVP_KDF_CTX_dup(kdf->fallback)) != NULL)
        return copy;
    kdf_free(copy);
    return NULL;
}

/* --- what is unusual */

/* OpenSSL's own implementation takes over, with what has been set. */
static int hand_over(struct oct_kdf *kdf)
{
    EVP_KDF *fallback = fallback_kdf(kdf->prov, kdf->type);
    OSSL_PARAM params[OCT_KDF_PARAMS];

    if (fallback == NULL)
        return 0;
    kdf->fallback = EVP_KDF_CTX_new(fallback);
    if (kdf->fallback == NULL)
        return OCT_RAISE(kdf->prov, OCT_REASON_MEMORY);
    if (oct_kdf_params_get(kdf, params) > 0 && EVP_KDF_CTX_set_params(kdf->fallback, params) <= 0) {
        EVP_KDF_CTX_free(kdf->fallback);
        kdf->fallback = NULL;
        return OCT_RAISE(kdf->prov, OCT_REASON_INTERNAL);
    }
    return 1;
}

static bool is_handed_over(struct oct_kdf *kdf)
{
    return kdf->fallback != NULL || hand_over(kdf);
}

/* --- the functions that OpenSSL calls */

static int kdf_set_params(void *vk, const OSSL_PARAM params[])
{
    struct oct_kdf *kdf = vk;

    /* No list at all is an error to TLS13-KDF of OpenSSL 3.6 as long as there is no mode, and was none before. */
    if (kdf->fallback == NULL &&
        (params != NULL ? oct_kdf_params_set(kdf, params) : kdf->type->kind != OCT_KDF_TLS13 || kdf->mode != 0))
        return 1;
    return is_handed_over(kdf) ? EVP_KDF_CTX_set_params(kdf->fallback, params) : 0;
}

static int kdf_derive(void *vk, unsigned char *out, size_t len, const OSSL_PARAM params[])
{
    struct oct_kdf *kdf = vk;

    if (kdf_set_params(kdf, params) <= 0)
        return 0;
    if (kdf->fallback == NULL && kdf->type->run(kdf, out, len))
        return 1;
    return is_handed_over(kdf) ? EVP_KDF_derive(kdf->fallback, out, len, NULL) : 0;
}

/* The lists are those of the OpenSSL that runs. */
static const OSSL_PARAM *gettable(struct oct_prov *prov, const struct oct_kdf_type *type)
{
    const EVP_KDF *fallback = fallback_kdf(prov, type);
    return fallback == NULL ? NULL : EVP_KDF_gettable_ctx_params(fallback);
}

static const OSSL_PARAM *settable(struct oct_prov *prov, const struct oct_kdf_type *type)
{
    const EVP_KDF *fallback = fallback_kdf(prov, type);
    return fallback == NULL ? NULL : EVP_KDF_settable_ctx_params(fallback);
}

/* True if the OpenSSL that runs would tell them. */
static bool are_gettable(const struct oct_kdf *kdf, const OSSL_PARAM params[])
{
    const OSSL_PARAM *list = gettable(kdf->prov, kdf->type);

    for (; list != NULL && params->key != NULL; params++)
        if (OSSL_PARAM_locate_const(list, params->key) == NULL)
            return false;
    return list != NULL;
}

static int kdf_get_params(void *vk, OSSL_PARAM params[])
{
    struct oct_kdf *kdf = vk;

    if (kdf->fallback == NULL && are_gettable(kdf, params) && oct_kdf_params_answer(kdf, params))
        return 1;
    return is_handed_over(kdf) ? EVP_KDF_CTX_get_params(kdf->fallback, params) : 0;
}

static const struct oct_kdf_type tls13 = {
    OCT_KDF_TLS13,
    {OSSL_KDF_PARAM_KEY, OSSL_KDF_PARAM_DATA, OSSL_KDF_PARAM_SALT, OSSL_KDF_PARAM_PREFIX, OSSL_KDF_PARAM_LABEL},
    1,
    oct_kdf_tls13_run,
};
static const struct oct_kdf_type tls1_prf = {
    OCT_KDF_TLS1_PRF,
    {OSSL_KDF_PARAM_SECRET, OSSL_KDF_PARAM_SEED, NULL, NULL, NULL},
    0,
    oct_kdf_tls1_prf_run,
};
static const struct oct_kdf_type hkdf = {
    OCT_KDF_HKDF,
    {OSSL_KDF_PARAM_KEY, OSSL_KDF_PARAM_INFO, OSSL_KDF_PARAM_SALT, NULL, NULL},
    1,
    oct_kdf_hkdf_run,
};

/* A context learns from its maker which derivation it is, so each has a table of its own. */
#define KDF_TABLE(name)                                                                                                \
    static void *name##_new(void *provctx)                                                                             \
    {                                                                                                                  \
        return kdf_new(provctx, &name);                                                                                \
    }                                                                                                                  \
    static const OSSL_PARAM *name##_gettable(void *kdf, void *provctx)                                                 \
    {                                                                                                                  \
        (void)kdf;                                                                                                     \
        return gettable(provctx, &name);                                                                               \
    }                                                                                                                  \
    static const OSSL_PARAM *name##_settable(void *kdf, void *provctx)                                                 \
    {                                                                                                                  \
        (void)kdf;                                                                                                     \
        return settable(provctx, &name);                                                                               \
    }                                                                                                                  \
    static const OSSL_DISPATCH name##_table[] = {                                                                      \
        OCT_KDF_ENTRY(NEWCTX, newctx, name##_new),                                                                     \
        OCT_KDF_ENTRY(DUPCTX, dupctx, kdf_dup),                                                                        \
        OCT_KDF_ENTRY(FREECTX, freectx, kdf_free),                                                                     \
        OCT_KDF_ENTRY(RESET, reset, kdf_reset),                                                                        \
        OCT_KDF_ENTRY(DERIVE, derive, kdf_derive),                                                                     \
        OCT_KDF_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, name##_gettable),                                      \
        OCT_KDF_ENTRY(GET_CTX_PARAMS, get_ctx_params, kdf_get_params),                                                 \
        OCT_KDF_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, name##_settable),                                      \
        OCT_KDF_ENTRY(SET_CTX_PARAMS, set_ctx_params, kdf_set_params),                                                 \
        OCT_DISPATCH_END,                                                                                              \
    }

KDF_TABLE(tls13);
KDF_TABLE(tls1_prf);
KDF_TABLE(hkdf);

/* They use no lanes, but are here for the handshakes that do: where no operation is on, neither are they. X25519 is the
 * first that is asked, because its known answer takes least. */
#define OFFER(name, table)                                                                                             \
    {                                                                                                                  \
        OSSL_OP_KDF, {(name), OCT_PROPERTIES, (table), NULL}, OCT_PROV_SWITCH_kdf, OCT_OP_X25519_DERIVE,               \
            OCT_OP_COUNT - 1                                                                                           \
    }

static const struct oct_offer *offers(void)
{
    static const struct oct_offer all[] = {
        OFFER("TLS13-KDF", tls13_table),
        OFFER("TLS1-PRF", tls1_prf_table),
        OFFER("HKDF", hkdf_table),
        {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
    };
    return all;
}

/* OpenSSL's own derivations, by their kind. */
struct part {
    EVP_KDF *kdf[OCT_KDF_KINDS];
};

static void close_part(void *vpart)
{
    struct part *part = vpart;

    for (int kind = 0; kind < OCT_KDF_KINDS; kind++)
        EVP_KDF_free(part->kdf[kind]);
    OPENSSL_free(part);
}

static void *open_part(const struct oct_fallback *fallback)
{
    struct part *part = OPENSSL_zalloc(sizeof *part);

    if (part == NULL)
        return NULL;
    part->kdf[OCT_KDF_TLS13] = EVP_KDF_fetch(fallback->ctx, "TLS13-KDF", NULL);
    part->kdf[OCT_KDF_TLS1_PRF] = EVP_KDF_fetch(fallback->ctx, "TLS1-PRF", NULL);
    part->kdf[OCT_KDF_HKDF] = EVP_KDF_fetch(fallback->ctx, "HKDF", NULL);
    for (int kind = 0; kind < OCT_KDF_KINDS; kind++) {
        if (part->kdf[kind] != NULL)
            continue;
        close_part(part);
        return NULL;
    }
    return part;
}

static EVP_KDF *fallback_kdf(struct oct_prov *prov, const struct oct_kdf_type *type)
{
    const struct part *part = oct_fallback_part(prov, OCT_FAMILY_kdf);
    return part == NULL ? NULL : part->kdf[type->kind];
}

const struct oct_prov_family oct_prov_family_kdf = {
    .offers = offers,
    .open = open_part,
    .close = close_part,
    .clear = kdf_clear,
};
