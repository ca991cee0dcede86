/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Key management: what libssl asks of a group's keys, and no more. */
#include "keymgmt.h"

#include "hybrid.h"
#include "provider/core/dispatch.h"
#include "provider/core/param.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct generation {
    struct oct_prov *prov;
    const struct oct_prov_group *group;
    int selection;
};

/* libssl names the group once more, by the announcement's internal name, which is empty with OpenSSL 3.5. Nothing else
 * can be asked for. */
static bool is_own_name(const struct generation *gen, const OSSL_PARAM *p)
{
    return p->data_type == OSSL_PARAM_UTF8_STRING && p->data != NULL &&
           (*(const char *)p->data == '\0' || strcasecmp(p->data, gen->group->name) == 0);
}

static int gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    const struct generation *gen = genctx;
    const OSSL_PARAM *p = params == NULL ? NULL : OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_GROUP_NAME);

    if (gen == NULL)
        return 0;
    return p == NULL || is_own_name(gen, p) || OCT_RAISE(gen->prov, OCT_REASON_GROUP);
}

static const OSSL_PARAM *gen_settable_params(void *genctx, void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)genctx, (void)provctx;
    return params;
}

static void gen_cleanup(void *genctx)
{
    OPENSSL_free(genctx);
}

static void *gen_init(void *provctx, const struct oct_prov_group *group, int selection, const OSSL_PARAM params[])
{
    struct generation *gen = OPENSSL_zalloc(sizeof *gen);

    if (gen == NULL) {
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
        return NULL;
    }
    *gen = (struct generation){provctx, group, selection};
    if (gen_set_params(gen, params))
        return gen;
    gen_cleanup(gen);
    return NULL;
}

/* Without a key pair asked for, a key to be filled in: so a TLS server makes the place for its peer's share. */
static void *gen_run(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    const struct generation *gen = genctx;
    struct oct_prov_hybrid *key = gen == NULL ? NULL : oct_prov_hybrid_new(gen->prov, gen->group);

    (void)callback, (void)arg;
    if (key == NULL || (gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0 || oct_prov_hybrid_generate(key))
        return key;
    oct_prov_key_free(key);
    return NULL;
}

static int set_params(void *keydata, const OSSL_PARAM params[])
{
    struct oct_prov_hybrid *key = keydata;
    const OSSL_PARAM *p = params == NULL ? NULL : OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);

    if (key == NULL)
        return 0;
    if (p == NULL)
        return 1;
    if (p->data_type != OSSL_PARAM_OCTET_STRING || p->data == NULL)
        return OCT_RAISE(key->base.prov, OCT_REASON_INPUT_LENGTH);
    return oct_prov_hybrid_set_share(key, p->data, p->data_size);
}

static const OSSL_PARAM *settable_params(void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)provctx;
    return params;
}

/* Bits are as OpenSSL 3.5 has them: those of the security. The largest "signature" is a share back. */
static int get_params(void *keydata, OSSL_PARAM params[])
{
    const struct oct_prov_hybrid *key = keydata;
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);

    if (key == NULL)
        return 0;
    if (p != NULL &&
        (!key->base.has_public || !OSSL_PARAM_set_octet_string(p, key->share, oct_hybrid_share_size(key->group))))
        return 0;
    return oct_param_give_int(params, OSSL_PKEY_PARAM_BITS, key->group->security_bits) &&
           oct_param_give_int(params, OSSL_PKEY_PARAM_SECURITY_BITS, key->group->security_bits) &&
           oct_param_give_int(params, OSSL_PKEY_PARAM_MAX_SIZE, (int)oct_hybrid_reply_size(key->group));
}

static const OSSL_PARAM *gettable_params(void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)provctx;
    return params;
}

static int match(const void *keydata1, const void *keydata2, int selection)
{
    const struct oct_prov_hybrid *a = keydata1, *b = keydata2;

    if (a == NULL || b == NULL || a->group != b->group)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return 1;
    return a->base.has_public && b->base.has_public && memcmp(a->share, b->share, oct_hybrid_share_size(a->group)) == 0;
}

/* A key learns from its maker which group it is for, so each group has a table of its own. */
#define KEYMGMT(function, text, row)                                                                                   \
    static void *function##_new(void *provctx)                                                                         \
    {                                                                                                                  \
        return oct_prov_hybrid_new(provctx, &oct_prov_groups[row]);                                                    \
    }                                                                                                                  \
    static void *function##_gen_init(void *provctx, int selection, const OSSL_PARAM params[])                          \
    {                                                                                                                  \
        return gen_init(provctx, &oct_prov_groups[row], selection, params);                                            \
    }                                                                                                                  \
    static const char *function##_operation(int operation)                                                             \
    {                                                                                                                  \
        (void)operation;                                                                                               \
        return text;                                                                                                   \
    }                                                                                                                  \
    const OSSL_DISPATCH oct_##function##_keymgmt[] = {                                                                 \
        OCT_KEYMGMT_ENTRY(NEW, new, function##_new),                                                                   \
        OCT_KEYMGMT_ENTRY(FREE, free, oct_prov_key_free),                                                              \
        OCT_KEYMGMT_ENTRY(HAS, has, oct_prov_key_has),                                                                 \
        OCT_KEYMGMT_ENTRY(MATCH, match, match),                                                                        \
        OCT_KEYMGMT_ENTRY(GET_PARAMS, get_params, get_params),                                                         \
        OCT_KEYMGMT_ENTRY(GETTABLE_PARAMS, gettable_params, gettable_params),                                          \
        OCT_KEYMGMT_ENTRY(SET_PARAMS, set_params, set_params),                                                         \
        OCT_KEYMGMT_ENTRY(SETTABLE_PARAMS, settable_params, settable_params),                                          \
        OCT_KEYMGMT_ENTRY(QUERY_OPERATION_NAME, query_operation_name, function##_operation),                           \
        OCT_KEYMGMT_ENTRY(GEN_INIT, gen_init, function##_gen_init),                                                    \
        OCT_KEYMGMT_ENTRY(GEN_SET_PARAMS, gen_set_params, gen_set_params),                                             \
        OCT_KEYMGMT_ENTRY(GEN_SETTABLE_PARAMS, gen_settable_params, gen_settable_params),                              \
        OCT_KEYMGMT_ENTRY(GEN, gen, gen_run),                                                                          \
        OCT_KEYMGMT_ENTRY(GEN_CLEANUP, gen_cleanup, gen_cleanup),                                                      \
        OCT_DISPATCH_END,                                                                                              \
    }
KEYMGMT(x25519mlkem768, "X25519MLKEM768", 0);
KEYMGMT(secp256r1mlkem768, "SecP256r1MLKEM768", 1);
KEYMGMT(secp384r1mlkem1024, "SecP384r1MLKEM1024", 2);
KEYMGMT(curvesm2mlkem768, "curveSM2MLKEM768", OCT_PROV_SM2_GROUP);
KEYMGMT(mlkem768, "MLKEM768", 4);
KEYMGMT(mlkem1024, "MLKEM1024", 5);
