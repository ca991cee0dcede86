/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See kdf_peer.h. */
#include "kdf_peer.h"

#include <string.h>

struct kdf_pair kdf_pair_open(const char *name)
{
    OSSL_LIB_CTX *const libctx[2] = {octuple_ctx, plain_ctx};
    struct kdf_pair pair;

    for (int side = 0; side < 2; side++) {
        pair.kdf[side] = EVP_KDF_fetch(libctx[side], name, NULL);
        assert_non_null(pair.kdf[side]);
        pair.ctx[side] = EVP_KDF_CTX_new(pair.kdf[side]);
        assert_non_null(pair.ctx[side]);
    }
    assert_string_equal(OSSL_PROVIDER_get0_name(EVP_KDF_get0_provider(pair.kdf[OURS])), "octuple");
    return pair;
}

void kdf_pair_close(struct kdf_pair *pair)
{
    for (int side = 0; side < 2; side++) {
        EVP_KDF_CTX_free(pair->ctx[side]);
        EVP_KDF_free(pair->kdf[side]);
    }
}

static void add(struct kdf_params *params, OSSL_PARAM param)
{
    assert_true(params->count < MAX_PARAMS);
    params->list[params->count++] = param;
    params->list[params->count] = OSSL_PARAM_construct_end();
}

void add_mode(struct kdf_params *params, int mode)
{
    params->mode = mode;
    add(params, OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &params->mode));
}

void add_text(struct kdf_params *params, const char *name, const char *text)
{
    add(params, OSSL_PARAM_construct_utf8_string(name, (char *)text, 0));
}

void add_octets(struct kdf_params *params, const char *name, const void *data, size_t len)
{
    add(params, OSSL_PARAM_construct_octet_string(name, (void *)data, len));
}

/* The last error, and an empty queue. */
static unsigned long take_error(void)
{
    const unsigned long error = ERR_peek_last_error();
    ERR_clear_error();
    return error;
}

/* A list that nobody has begun has an end all the same. */
static const OSSL_PARAM *list_of(struct kdf_params *params)
{
    if (params == NULL)
        return NULL;
    if (params->count == 0)
        params->list[0] = OSSL_PARAM_construct_end();
    return params->list;
}

int both_set(struct kdf_pair *pair, struct kdf_params *params)
{
    unsigned long error[2];
    int ok[2];

    for (int side = 0; side < 2; side++) {
        ERR_clear_error();
        ok[side] = EVP_KDF_CTX_set_params(pair->ctx[side], list_of(params)) > 0;
        error[side] = take_error();
    }
    assert_int_equal(ok[OURS], ok[STOCK]);
    if (!ok[OURS])
        assert_int_equal(error[OURS], error[STOCK]);
    return ok[OURS];
}

int both_derive(struct kdf_pair *pair, struct kdf_params *params, uint8_t *out, size_t len)
{
    static uint8_t derived[2][MAX_DERIVED + 1];
    unsigned long error[2];
    int ok[2];

    assert_true(len <= MAX_DERIVED);
    for (int side = 0; side < 2; side++) {
        memset(derived[side], 0xa5, len + 1);
        ERR_clear_error();
        ok[side] = EVP_KDF_derive(pair->ctx[side], derived[side], len, list_of(params)) > 0;
        error[side] = take_error();
    }
    assert_int_equal(ok[OURS], ok[STOCK]);
    if (ok[OURS])
        assert_memory_equal(derived[OURS], derived[STOCK], len + 1);
    else
        assert_int_equal(error[OURS], error[STOCK]);
    assert_int_equal(derived[OURS][len], 0xa5);
    if (out != NULL)
        memcpy(out, derived[OURS], len);
    return ok[OURS];
}

unsigned draw(unsigned n)
{
    static uint64_t x = 0x9e3779b97f4a7c15u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (unsigned)((x >> 20) % n);
}
