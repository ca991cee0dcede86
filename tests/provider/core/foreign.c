/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See foreign.h. */
#include "foreign.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- digests: bytes added up, each place turned a little more than the one before */

struct fold {
    uint8_t sum[32];
    size_t count, size;
};

static struct fold *fold_new(size_t size)
{
    struct fold *fold = calloc(1, sizeof *fold);
    if (fold != NULL)
        fold->size = size;
    return fold;
}

static void *fold16_new(void *provctx)
{
    (void)provctx;
    return fold_new(16);
}

static void *fold32_new(void *provctx)
{
    (void)provctx;
    return fold_new(32);
}

static void fold_free(void *fold)
{
    free(fold);
}

static void *fold_dup(void *fold)
{
    struct fold *copy = malloc(sizeof *copy);
    return copy == NULL ? NULL : memcpy(copy, fold, sizeof *copy);
}

static int fold_init(void *vfold, const OSSL_PARAM params[])
{
    struct fold *fold = vfold;

    (void)params;
    memset(fold->sum, 0, sizeof fold->sum);
    fold->count = 0;
    return 1;
}

static int fold_update(void *vfold, const unsigned char *in, size_t len)
{
    struct fold *fold = vfold;

    for (size_t i = 0; i < len; i++, fold->count++)
        fold->sum[fold->count % fold->size] = (uint8_t)(fold->sum[fold->count % fold->size] * 3 + in[i] + 1);
    return 1;
}

static int fold_final(void *vfold, unsigned char *out, size_t *len, size_t size)
{
    const struct fold *fold = vfold;

    if (size < fold->size)
        return 0;
    memcpy(out, fold->sum, fold->size);
    *len = fold->size;
    return 1;
}

static int give_sizes(OSSL_PARAM params[], size_t size)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_DIGEST_PARAM_SIZE);

    if (p != NULL && !OSSL_PARAM_set_size_t(p, size))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_DIGEST_PARAM_BLOCK_SIZE);
    return p == NULL || OSSL_PARAM_set_size_t(p, 64);
}

static int fold16_params(OSSL_PARAM params[])
{
    return give_sizes(params, 16);
}

static int fold32_params(OSSL_PARAM params[])
{
    return give_sizes(params, 32);
}

#define ENTRY(id, function)                                                                                            \
    {                                                                                                                  \
        OSSL_FUNC_##id, (void (*)(void))(function)                                                                     \
    }
#define DIGEST_TABLE(make, params)                                                                                     \
    {                                                                                                                  \
        ENTRY(DIGEST_NEWCTX, make), ENTRY(DIGEST_FREECTX, fold_free), ENTRY(DIGEST_DUPCTX, fold_dup),                  \
            ENTRY(DIGEST_INIT, fold_init), ENTRY(DIGEST_UPDATE, fold_update), ENTRY(DIGEST_FINAL, fold_final),         \
            ENTRY(DIGEST_GET_PARAMS, params), {0, NULL},                                                               \
    }

static const OSSL_DISPATCH fold16[] = DIGEST_TABLE(fold16_new, fold16_params);
static const OSSL_DISPATCH fold32[] = DIGEST_TABLE(fold32_new, fold32_params);

static const OSSL_ALGORITHM digests[] = {
    {"MD4", "provider=foreign", fold16, NULL},
    {"MD2", "provider=foreign", fold16, NULL},
    {"MDC2", "provider=foreign", fold16, NULL},
    {"FOLD", "provider=foreign", fold16, NULL},
    {"SHA2-256:SHA-256:SHA256", "provider=foreign", fold32, NULL},
    {NULL, NULL, NULL, NULL},
};

/* --- the generator */

static void *rand_new(void *provctx, void *parent, const OSSL_DISPATCH *parent_calls)
{
    (void)provctx, (void)parent, (void)parent_calls;
    return calloc(1, 1);
}

static int rand_instantiate(void *r, unsigned strength, int resistant, const unsigned char *text, size_t len,
                            const OSSL_PARAM params[])
{
    (void)r, (void)strength, (void)resistant, (void)text, (void)len, (void)params;
    return 1;
}

static int rand_uninstantiate(void *r)
{
    (void)r;
    return 1;
}

static int rand_generate(void *r, unsigned char *out, size_t len, unsigned strength, int resistant,
                         const unsigned char *in, size_t in_len)
{
    (void)r, (void)strength, (void)resistant, (void)in, (void)in_len;
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)(i + 1);
    return 1;
}

static int rand_lock(void *r)
{
    (void)r;
    return 1;
}

static void rand_unlock(void *r)
{
    (void)r;
}

static int rand_params(void *r, OSSL_PARAM params[])
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STATE);

    (void)r;
    if (p != NULL && !OSSL_PARAM_set_int(p, EVP_RAND_STATE_READY))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_STRENGTH);
    if (p != NULL && !OSSL_PARAM_set_uint(p, 256))
        return 0;
    p = OSSL_PARAM_locate(params, OSSL_RAND_PARAM_MAX_REQUEST);
    return p == NULL || OSSL_PARAM_set_size_t(p, 1u << 16);
}

static const OSSL_PARAM *rand_gettable(void *r, void *provctx)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_int(OSSL_RAND_PARAM_STATE, NULL),
        OSSL_PARAM_uint(OSSL_RAND_PARAM_STRENGTH, NULL),
        OSSL_PARAM_size_t(OSSL_RAND_PARAM_MAX_REQUEST, NULL),
        OSSL_PARAM_END,
    };
    (void)r, (void)provctx;
    return list;
}

static const OSSL_DISPATCH rand_table[] = {
    ENTRY(RAND_NEWCTX, rand_new),
    ENTRY(RAND_FREECTX, fold_free),
    ENTRY(RAND_INSTANTIATE, rand_instantiate),
    ENTRY(RAND_UNINSTANTIATE, rand_uninstantiate),
    ENTRY(RAND_GENERATE, rand_generate),
    ENTRY(RAND_ENABLE_LOCKING, rand_lock),
    ENTRY(RAND_LOCK, rand_lock),
    ENTRY(RAND_UNLOCK, rand_unlock),
    ENTRY(RAND_GET_CTX_PARAMS, rand_params),
    ENTRY(RAND_GETTABLE_CTX_PARAMS, rand_gettable),
    {0, NULL},
};

static const OSSL_ALGORITHM rands[] = {
    {FOREIGN_RAND, "provider=foreign", rand_table, NULL},
    {NULL, NULL, NULL, NULL},
};

static const OSSL_ALGORITHM *query(void *provctx, int operation, int *no_cache)
{
    (void)provctx;
    *no_cache = 0;
    if (operation == OSSL_OP_DIGEST)
        return digests;
    return operation == OSSL_OP_RAND ? rands : NULL;
}

static const OSSL_DISPATCH table[] = {ENTRY(PROVIDER_QUERY_OPERATION, query), {0, NULL}};

int foreign_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out, void **provctx)
{
    (void)in;
    *out = table;
    *provctx = (void *)handle;
    return 1;
}
