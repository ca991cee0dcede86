/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Writing EC keys. OpenSSL's own encoders take a key of another provider by its parameters, and refuse the curve of SM2
 * then. These get our keys first, and let OpenSSL's own write them: an SM2 curve in the private context, where its key
 * is; any other in the application's, whose ciphers encrypt it.
 */
#include "ec.h"
#include "provider/core/dispatch.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/encoder.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

/* A form that keys can have. */
struct form {
    const char *output, *structure; /* NULL: it has none */
    int selection;                  /* what it can show */
};

/* What is asked for besides is kept until there is a key. */
struct encoder {
    struct oct_prov *prov;
    OSSL_PARAM *params; /* NULL: none */
};

static void *encoder_new(void *provctx)
{
    struct encoder *encoder = OPENSSL_zalloc(sizeof *encoder);

    if (encoder != NULL)
        encoder->prov = provctx;
    else
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
    return encoder;
}

static void encoder_free(void *vencoder)
{
    struct encoder *encoder = vencoder;

    if (encoder == NULL)
        return;
    OSSL_PARAM_free(encoder->params);
    OPENSSL_free(encoder);
}

static const OSSL_PARAM *encoder_settable(void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_ENCODER_PARAM_CIPHER, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ENCODER_PARAM_PROPERTIES, NULL, 0),
        OSSL_PARAM_int("save-parameters", NULL),
        OSSL_PARAM_END,
    };
    (void)provctx;
    return params;
}

static const char *text_of(const OSSL_PARAM params[], const char *name)
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, name);
    const char *text = NULL;

    return p != NULL && OSSL_PARAM_get_utf8_string_ptr(p, &text) ? text : NULL;
}

static int encoder_set_params(void *vencoder, const OSSL_PARAM params[])
{
    struct encoder *encoder = vencoder;
    const char *name;
    EVP_CIPHER *cipher;
    OSSL_PARAM *merged;

    if (params == NULL || params[0].key == NULL)
        return 1;
    name = text_of(params, OSSL_ENCODER_PARAM_CIPHER);
    if (name != NULL) {
        /* A cipher that there is not is refused here, as OpenSSL's own encoders do it. */
        cipher = EVP_CIPHER_fetch(oct_app_ctx(encoder->prov), name, text_of(params, OSSL_ENCODER_PARAM_PROPERTIES));
        EVP_CIPHER_free(cipher);
        if (cipher == NULL)
            return 0;
    }
    merged = encoder->params == NULL ? OSSL_PARAM_dup(params) : OSSL_PARAM_merge(encoder->params, params);
    if (merged == NULL)
        return 0;
    OSSL_PARAM_free(encoder->params);
    encoder->params = merged;
    return 1;
}

/* The most that is asked for decides: the private key, the public one, or the curve. */
static int selects(const struct form *form, int selection)
{
    static const int parts[] = {OSSL_KEYMGMT_SELECT_PRIVATE_KEY, OSSL_KEYMGMT_SELECT_PUBLIC_KEY,
                                OSSL_KEYMGMT_SELECT_ALL_PARAMETERS};

    if (selection == 0)
        return 1;
    for (int i = 0; i < 3; i++)
        if ((selection & parts[i]) != 0)
            return (form->selection & parts[i]) != 0;
    return 0;
}

/* The key as one of another provider of the application's; NULL if it has none for that. */
static EVP_PKEY *hand_over(struct oct_prov *prov, EVP_PKEY *fallback, int selection)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(oct_app_ctx(prov), "EC", "provider!=octuple");
    OSSL_PARAM *params = NULL;
    EVP_PKEY *key = NULL;

    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0)
        selection |= OSSL_KEYMGMT_SELECT_PUBLIC_KEY;
    if (ctx == NULL || EVP_PKEY_fromdata_init(ctx) <= 0 || !EVP_PKEY_todata(fallback, selection, &params) ||
        EVP_PKEY_fromdata(ctx, &key, selection, params) <= 0)
        key = NULL;
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* A reference to what is written. */
static EVP_PKEY *find_key(struct oct_prov *prov, const struct oct_prov_ec *key, int selection)
{
    EVP_PKEY *fallback = oct_prov_ec_fallback(key), *theirs = NULL;
    char name[16];

    if (fallback == NULL)
        return NULL;
    if (!EVP_PKEY_get_utf8_string_param(fallback, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof name, NULL) ||
        strcmp(name, "SM2") != 0) {
        ERR_set_mark();
        theirs = hand_over(prov, fallback, selection);
        ERR_pop_to_mark();
    }
    if (theirs != NULL)
        return theirs;
    return EVP_PKEY_up_ref(fallback) ? fallback : NULL;
}

static int encode(const struct form *form, struct encoder *encoder, OSSL_CORE_BIO *out, const void *key, int selection,
                  OSSL_PASSPHRASE_CALLBACK *passphrase, void *arg)
{
    EVP_PKEY *theirs = key == NULL ? NULL : find_key(encoder->prov, key, selection);
    OSSL_ENCODER_CTX *ctx =
        theirs == NULL ? NULL : OSSL_ENCODER_CTX_new_for_pkey(theirs, selection, form->output, form->structure, NULL);
    unsigned char *data = NULL;
    size_t len = 0, written = 0;
    int ok = ctx != NULL;

    if (ok && passphrase != NULL)
        ok = OSSL_ENCODER_CTX_set_passphrase_cb(ctx, passphrase, arg);
    if (ok && encoder->params != NULL)
        ok = OSSL_ENCODER_CTX_set_params(ctx, encoder->params);
    ok = ok && OSSL_ENCODER_to_data(ctx, &data, &len) && encoder->prov->write != NULL &&
         encoder->prov->write(out, data, len, &written) && written == len;
    OPENSSL_clear_free(data, len);
    OSSL_ENCODER_CTX_free(ctx);
    EVP_PKEY_free(theirs);
    return ok;
}

/* One encoder for each form, whose functions get no other sign of which it is. Objects of other providers are left to
 * OpenSSL's own: there is no import. */
#define ENCODER(name, out, form_of, parts)                                                                             \
    static const struct form form_##name = {out, form_of, parts};                                                      \
    static int selects_##name(void *provctx, int selection)                                                            \
    {                                                                                                                  \
        (void)provctx;                                                                                                 \
        return selects(&form_##name, selection);                                                                       \
    }                                                                                                                  \
    static int encode_##name(void *encoder, OSSL_CORE_BIO *bio, const void *key, const OSSL_PARAM abstract[],          \
                             int selection, OSSL_PASSPHRASE_CALLBACK *passphrase, void *arg)                           \
    {                                                                                                                  \
        return abstract == NULL && encode(&form_##name, encoder, bio, key, selection, passphrase, arg);                \
    }                                                                                                                  \
    const OSSL_DISPATCH oct_ec_encoder_##name[] = {                                                                    \
        OCT_ENCODER_ENTRY(NEWCTX, newctx, encoder_new),                                                                \
        OCT_ENCODER_ENTRY(FREECTX, freectx, encoder_free),                                                             \
        OCT_ENCODER_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, encoder_settable),                                 \
        OCT_ENCODER_ENTRY(SET_CTX_PARAMS, set_ctx_params, encoder_set_params),                                         \
        OCT_ENCODER_ENTRY(DOES_SELECTION, does_selection, selects_##name),                                             \
        OCT_ENCODER_ENTRY(ENCODE, encode, encode_##name),                                                              \
        OCT_DISPATCH_END,                                                                                              \
    };
#define FALLBACK_ENCODER(name, out, parts) ENCODER(name, out, NULL, parts)
#include "encoders.def"
