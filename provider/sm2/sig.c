/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM2 signature contexts, with the rules of OpenSSL's default provider: the digest is SM3, and before a message comes
 * Z, of the signer's identifier and key. Z is made when the identifier is set, or before the first piece of a message
 * with the default one: none, and from OpenSSL 4.0 on that of GB/T 35276. TLS 1.3 has its own (RFC 8998, 3.2.1).
 */
#include "sm2.h"
#include "provider/contexts/sig.h"
#include "provider/core/dispatch.h"
#include "provider/core/param.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>
#include <string.h>

#define DIGEST      "SM3"
#define TLS_ID      "TLSv1.3+GM+Cipher+Suite"
#define TLS_VERSION "tls-version" /* headers before 4.0 have no name for it */

struct sm2_sig {
    struct oct_sig base;
    bool has_z, has_begun; /* z is of an identifier that was set; z was digested */
    uint8_t z[OCT_SM2_BYTES];
};

static int sig_start(struct oct_sig *sig)
{
    ((struct sm2_sig *)sig)->has_begun = false;
    return ((const struct oct_prov_sm2 *)sig->key)->fallback != NULL;
}

static int takes_digest(const struct oct_sig *sig, const struct oct_sig_digest *digest)
{
    if (EVP_MD_is_a(digest->md, DIGEST))
        return 1;
    return OCT_RAISE_DATA(sig->prov, OCT_REASON_DIGEST_INVALID, "digest=%s", digest->name);
}

static size_t signature_size(const struct oct_sig *sig)
{
    (void)sig;
    return OCT_SM2_MAX_SIGNATURE;
}

static EVP_PKEY *fallback_key(const struct oct_sig *sig)
{
    return ((const struct oct_prov_sm2 *)sig->key)->fallback;
}

static int copy_settings(EVP_PKEY_CTX *ctx, const struct oct_sig *sig)
{
    (void)ctx, (void)sig;
    return 1;
}

/* Z = SM3(bits of the identifier in two bytes || identifier || a || b || G || public key). */
static int make_z(struct sm2_sig *sig, const uint8_t *id, size_t len)
{
    const struct oct_sm2_part *part = oct_fallback_part(sig->base.prov, OCT_FAMILY_sm2);
    const struct oct_prov_sm2 *key = sig->base.key;
    const uint8_t bits[2] = {(uint8_t)(len >> 5), (uint8_t)(len << 3)};
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int ok = part != NULL && sig->base.digest.md != NULL && key->has_numbers && key->base.has_public &&
             len <= OCT_SM2_MAX_ID;

    if (ctx == NULL)
        return OCT_RAISE(sig->base.prov, OCT_REASON_MEMORY);
    ok = ok && EVP_DigestInit_ex2(ctx, sig->base.digest.md, NULL) && EVP_DigestUpdate(ctx, bits, sizeof bits) &&
         EVP_DigestUpdate(ctx, id, len) && EVP_DigestUpdate(ctx, part->curve, sizeof part->curve) &&
         EVP_DigestUpdate(ctx, key->public_key, sizeof key->public_key) && EVP_DigestFinal_ex(ctx, sig->z, NULL);
    EVP_MD_CTX_free(ctx);
    return ok;
}

/* OpenSSL's own says no more of it either. */
static int set_id(struct sm2_sig *sig, const OSSL_PARAM *p)
{
    if (p->data_type != OSSL_PARAM_OCTET_STRING || sig->has_begun || !make_z(sig, p->data, p->data_size))
        return 0;
    sig->has_z = true;
    return 1;
}

static bool has_tls(void)
{
    return OPENSSL_version_major() >= 4;
}

/* libssl's way to ask for the identifier of TLS 1.3; other versions have none. */
static int set_tls_version(struct sm2_sig *sig, const OSSL_PARAM *p)
{
    unsigned version;
    const OSSL_PARAM id = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_DIST_ID, (char *)TLS_ID, sizeof TLS_ID - 1);

    if (!OSSL_PARAM_get_uint(p, &version))
        return 0;
    return version != TLS1_3_VERSION || set_id(sig, &id);
}

static int set_ids(struct sm2_sig *sig, const OSSL_PARAM params[])
{
    const OSSL_PARAM *id = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_DIST_ID);
    const OSSL_PARAM *version = has_tls() ? OSSL_PARAM_locate_const(params, TLS_VERSION) : NULL;

    return (id == NULL || set_id(sig, id)) && (version == NULL || set_tls_version(sig, version));
}

static int sig_set_params(void *vsig, const OSSL_PARAM params[])
{
    struct sm2_sig *sig = vsig;
    struct oct_param_choice digest;
    const OSSL_PARAM *p;
    size_t size;

    if (sig == NULL)
        return 0;
    if (params == NULL)
        return 1;
    if (!set_ids(sig, params))
        return 0;
    p = OSSL_PARAM_locate_const(params, OCT_SIG_PARAM_DIGEST_SIZE);
    if (p != NULL && (!OSSL_PARAM_get_size_t(p, &size) || size != OCT_SM2_BYTES))
        return 0;
    if (!oct_param_choice_get(&digest, params, OSSL_SIGNATURE_PARAM_DIGEST, OSSL_SIGNATURE_PARAM_PROPERTIES))
        return 0;
    return digest.name == NULL || oct_sig_set_digest(&sig->base, digest.name, digest.props);
}

static const OSSL_PARAM *sig_settable_params(void *vsig, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_uint(TLS_VERSION, NULL),
        OSSL_PARAM_size_t(OCT_SIG_PARAM_DIGEST_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_DIST_ID, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)vsig, (void)provctx;
    return has_tls() ? params : params + 1;
}

/* OpenSSL's own makes it where a message is to come. */
static int give_algorithm_id(const struct sm2_sig *sig, OSSL_PARAM params[])
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID);
    EVP_MD_CTX *ctx = p == NULL ? NULL : EVP_MD_CTX_new();
    EVP_PKEY_CTX *fallback = NULL;
    OSSL_PARAM ask[] = {p == NULL ? OSSL_PARAM_construct_end() : *p, OSSL_PARAM_construct_end()};
    const int ok = p == NULL || (ctx != NULL &&
                                 EVP_DigestVerifyInit_ex(ctx, &fallback, DIGEST, oct_fallback_ctx(sig->base.prov), NULL,
                                                         fallback_key(&sig->base), NULL) > 0 &&
                                 EVP_PKEY_CTX_get_params(fallback, ask) > 0);

    if (p != NULL)
        p->return_size = ask[0].return_size;
    EVP_MD_CTX_free(ctx);
    return ok;
}

static int sig_get_params(void *vsig, OSSL_PARAM params[])
{
    const struct sm2_sig *sig = vsig;
    const EVP_MD *md = sig == NULL ? NULL : sig->base.digest.md;

    if (sig == NULL || sig->base.key == NULL)
        return 0;
    return give_algorithm_id(sig, params) && oct_param_give_size(params, OCT_SIG_PARAM_DIGEST_SIZE, OCT_SM2_BYTES) &&
           oct_param_give_text(params, OSSL_SIGNATURE_PARAM_DIGEST, md == NULL ? DIGEST : EVP_MD_get0_name(md));
}

static const OSSL_PARAM *sig_gettable_params(void *vsig, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0),
        OSSL_PARAM_size_t(OCT_SIG_PARAM_DIGEST_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)vsig, (void)provctx;
    return params;
}

static int sig_sign(void *vsig, unsigned char *out, size_t *len, size_t size, const unsigned char *tbs, size_t tbs_len)
{
    const struct oct_sig *sig = vsig;
    struct oct_prov_sm2 *key = sig == NULL ? NULL : sig->key;

    if (key == NULL)
        return 0;
    if (out == NULL) {
        *len = OCT_SM2_MAX_SIGNATURE;
        return 1;
    }
    if (size < OCT_SM2_MAX_SIGNATURE || tbs_len != OCT_SM2_BYTES)
        return 0;
    if (!key->base.has_private)
        return OCT_RAISE(sig->prov, OCT_REASON_NOT_PRIVATE_EC);
    *len = size;
    return oct_sm2_sign(key, out, len, tbs);
}

static int sig_verify(void *vsig, const unsigned char *in, size_t in_len, const unsigned char *tbs, size_t tbs_len)
{
    const struct oct_sig *sig = vsig;

    if (sig == NULL || sig->key == NULL || tbs_len != OCT_SM2_BYTES)
        return 0;
    return oct_sm2_verify(sig->key, in, in_len, tbs);
}

static const struct oct_sig_family family = {
    .context_size = sizeof(struct sm2_sig),
    .start = sig_start,
    .takes_digest = takes_digest,
    .signature_size = signature_size,
    .fallback_key = fallback_key,
    .copy_settings = copy_settings,
    .set_params = sig_set_params,
    .sign = sig_sign,
    .verify = sig_verify,
};

static void *sig_new(void *provctx, const char *props)
{
    return oct_sig_new(provctx, &family, props);
}

/* The digest comes first: an identifier among the parameters needs it. */
static int message_init(struct oct_sig *sig, const char *name, void *key, const OSSL_PARAM params[],
                        OSSL_FUNC_signature_digest_sign_init_fn *init)
{
    if (sig == NULL)
        return 0;
    sig->digest_is_fixed = 0;
    if (sig->digest.md == NULL && !oct_sig_set_digest(sig, DIGEST, NULL))
        return 0;
    return init(sig, name, key, params);
}

static int sig_message_sign_init(void *vsig, const char *name, void *key, const OSSL_PARAM params[])
{
    return message_init(vsig, name, key, params, oct_sig_message_sign_init);
}

static int sig_message_verify_init(void *vsig, const char *name, void *key, const OSSL_PARAM params[])
{
    return message_init(vsig, name, key, params, oct_sig_message_verify_init);
}

static int begin(struct sm2_sig *sig)
{
    if (sig == NULL || sig->base.md_ctx == NULL)
        return 0;
    if (sig->has_begun)
        return 1;
    if (!sig->has_z && !make_z(sig, (const uint8_t *)OCT_SM2_DEFAULT_ID, has_tls() ? sizeof OCT_SM2_DEFAULT_ID - 1 : 0))
        return 0;
    return sig->has_begun = oct_sig_message_update(&sig->base, sig->z, sizeof sig->z);
}

static int sig_message_update(void *vsig, const unsigned char *data, size_t len)
{
    return begin(vsig) && oct_sig_message_update(vsig, data, len);
}

static int sig_message_sign_final(void *vsig, unsigned char *out, size_t *len, size_t size)
{
    return (out == NULL || begin(vsig)) && oct_sig_message_sign_final(vsig, out, len, size);
}

static int sig_message_verify_final(void *vsig, const unsigned char *in, size_t in_len)
{
    return begin(vsig) ? oct_sig_message_verify_final(vsig, in, in_len) : 0;
}

static int sig_message_sign(void *vsig, unsigned char *out, size_t *len, size_t size, const unsigned char *tbs,
                            size_t tbs_len)
{
    return (out == NULL || begin(vsig)) && oct_sig_message_sign(vsig, out, len, size, tbs, tbs_len);
}

static int sig_message_verify(void *vsig, const unsigned char *in, size_t in_len, const unsigned char *tbs,
                              size_t tbs_len)
{
    return begin(vsig) ? oct_sig_message_verify(vsig, in, in_len, tbs, tbs_len) : 0;
}

const OSSL_DISPATCH oct_sm2_signature_table[] = {
    OCT_SIGNATURE_ENTRY(NEWCTX, newctx, sig_new),
    OCT_SIGNATURE_ENTRY(FREECTX, freectx, oct_sig_free),
    OCT_SIGNATURE_ENTRY(DUPCTX, dupctx, oct_sig_dup),
    OCT_SIGNATURE_ENTRY(SIGN_INIT, sign_init, oct_sig_sign_init),
    OCT_SIGNATURE_ENTRY(SIGN, sign, sig_sign),
    OCT_SIGNATURE_ENTRY(VERIFY_INIT, verify_init, oct_sig_verify_init),
    OCT_SIGNATURE_ENTRY(VERIFY, verify, sig_verify),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_INIT, digest_sign_init, sig_message_sign_init),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_UPDATE, digest_sign_update, sig_message_update),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN_FINAL, digest_sign_final, sig_message_sign_final),
    OCT_SIGNATURE_ENTRY(DIGEST_SIGN, digest_sign, sig_message_sign),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_INIT, digest_verify_init, sig_message_verify_init),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_UPDATE, digest_verify_update, sig_message_update),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY_FINAL, digest_verify_final, sig_message_verify_final),
    OCT_SIGNATURE_ENTRY(DIGEST_VERIFY, digest_verify, sig_message_verify),
    OCT_SIGNATURE_ENTRY(GET_CTX_PARAMS, get_ctx_params, sig_get_params),
    OCT_SIGNATURE_ENTRY(GETTABLE_CTX_PARAMS, gettable_ctx_params, sig_gettable_params),
    OCT_SIGNATURE_ENTRY(SET_CTX_PARAMS, set_ctx_params, sig_set_params),
    OCT_SIGNATURE_ENTRY(SETTABLE_CTX_PARAMS, settable_ctx_params, sig_settable_params),
    OCT_SIGNATURE_ENTRY(GET_CTX_MD_PARAMS, get_ctx_md_params, oct_sig_get_md_params),
    OCT_SIGNATURE_ENTRY(GETTABLE_CTX_MD_PARAMS, gettable_ctx_md_params, oct_sig_gettable_md_params),
    OCT_SIGNATURE_ENTRY(SET_CTX_MD_PARAMS, set_ctx_md_params, oct_sig_set_md_params),
    OCT_SIGNATURE_ENTRY(SETTABLE_CTX_MD_PARAMS, settable_ctx_md_params, oct_sig_settable_md_params),
    OCT_DISPATCH_END,
};
