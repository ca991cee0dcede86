/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The module's one exported function and the provider's own dispatch table.
 *
 * Loading it costs an allocation, and a look at the CPU and at the environment, which the program may clear later: the
 * private library context and the known-answer tests of ciphers wait for the first key or the first query, those of
 * operations for the first key that a server may hold (core/key.h) or for their first use: a program that only hashes,
 * or a client, pays for no operation that it has no use for. Families of algorithms add themselves with a table of
 * offers (core/provider.h).
 */
#include "provider/core/caller.h"
#include "provider/core/changes.h"
#include "provider/core/dispatch.h"
#include "groups.h"
#include "base/fork.h"
#include "base/thread_mode.h"
#include "provider/async/aside.h"
#include "provider/async/pair.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* At least one operation behind the offer is served. */
static bool offer_is_on(const struct oct_prov *prov, int f, const struct oct_offer *offer)
{
    const struct oct_prov_family *family = oct_prov_families[f];
    const bool asked = prov->settings.asked[offer->turned_by];

    if (!prov->settings.on[offer->turned_by])
        return false;
    for (int op = offer->first_op; op <= offer->last_op; op++)
        if (family->serves != NULL ? family->serves(op, asked) : oct_op_is_possible(op))
            return true;
    return false;
}

static void offer_add(struct oct_offers *offers, int f, const struct oct_offer *offer)
{
    OSSL_ALGORITHM *list = offers->by[offer->operation];

    for (int i = 0; i < OCT_PROVIDER_ALGORITHMS; i++) {
        if (list[i].algorithm_names == NULL) {
            list[i] = offer->algorithm;
            break;
        }
    }
    if (offer->operation == OSSL_OP_KEYMGMT) {
        offers->has_groups |= oct_prov_families[f]->has_groups;
        offers->has_sigalgs |= oct_prov_families[f]->has_sigalgs;
        offers->announces[f] = oct_prov_families[f]->announce != NULL;
    }
}

/* NULL if there is no memory. */
static const struct oct_offers *offers_get(struct oct_prov *prov)
{
    struct oct_offers *offers = atomic_load_explicit(&prov->offers, memory_order_acquire), *first = NULL;

    if (offers != NULL)
        return offers;
    offers = OPENSSL_zalloc(sizeof *offers);
    for (int f = 0; offers != NULL && f < OCT_FAMILIES; f++)
        for (const struct oct_offer *o = oct_prov_families[f]->offers(); o->operation != 0; o++)
            if (offer_is_on(prov, f, o))
                offer_add(offers, f, o);
    if (offers == NULL || atomic_compare_exchange_strong(&prov->offers, &first, offers))
        return offers;
    OPENSSL_free(offers);
    return first;
}

static const OSSL_ALGORITHM *provider_query(void *provctx, int operation, int *no_cache)
{
    const struct oct_offers *offers;

    *no_cache = 0;
    if (operation < 0 || operation >= OCT_PROVIDER_OPERATIONS)
        return NULL;
    offers = offers_get(provctx);
    if (offers == NULL) {
        /* Or OpenSSL would keep that there is nothing. */
        *no_cache = 1;
        return NULL;
    }
    return offers->by[operation][0].algorithm_names == NULL ? NULL : offers->by[operation];
}

static const OSSL_PARAM *provider_gettable_params(void *provctx)
{
    static const OSSL_PARAM params[] = {
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, NULL, 0),
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_VERSION, OSSL_PARAM_UTF8_PTR, NULL, 0),
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_BUILDINFO, OSSL_PARAM_UTF8_PTR, NULL, 0),
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_STATUS, OSSL_PARAM_INTEGER, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)provctx;
    return params;
}

static int set_text(OSSL_PARAM params[], const char *name, const char *text)
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, name);
    return p == NULL || OSSL_PARAM_set_utf8_ptr(p, text);
}

static int provider_get_params(void *provctx, OSSL_PARAM params[])
{
    OSSL_PARAM *p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS);

    (void)provctx;
    return set_text(params, OSSL_PROV_PARAM_NAME, "Octuple provider") &&
           set_text(params, OSSL_PROV_PARAM_VERSION, OCT_VERSION_TEXT) &&
           set_text(params, OSSL_PROV_PARAM_BUILDINFO, OCT_VERSION_TEXT " for " OPENSSL_VERSION_TEXT) &&
           (p == NULL || OSSL_PARAM_set_int(p, 1));
}

/* Success without a callback means: nothing of that kind here. An error makes libssl fail, as it should without memory:
 * an SSL_CTX keeps the groups that it has found at first. */
static int provider_get_capabilities(void *provctx, const char *capability, OSSL_CALLBACK *callback, void *arg)
{
    const bool groups = strcasecmp(capability, "TLS-GROUP") == 0;
    const struct oct_offers *offers;

    if (!groups && strcasecmp(capability, "TLS-SIGALG") != 0)
        return 1;
    offers = offers_get(provctx);
    if (offers == NULL)
        return OCT_RAISE((struct oct_prov *)provctx, OCT_REASON_MEMORY);
    return groups ? oct_groups_announce(provctx, offers, callback, arg)
                  : oct_sigalgs_announce(provctx, offers, callback, arg);
}

static void provider_teardown(void *provctx)
{
    struct oct_prov *prov = provctx;
    struct oct_fallback *fallback;

    oct_pool_clear();
    for (int f = 0; f < OCT_FAMILIES; f++)
        if (oct_prov_families[f]->clear != NULL)
            oct_prov_families[f]->clear();
    fallback = atomic_load(&prov->fallback);
    if (prov->generation == oct_fork_generation())
        oct_fallback_free(fallback);
    else
        oct_fallback_leave(fallback);
    OPENSSL_free(atomic_load(&prov->offers));
    OPENSSL_free(prov);
}

static const OSSL_DISPATCH provider_table[] = {
    OCT_CORE_ENTRY(TEARDOWN, teardown, provider_teardown),
    OCT_CORE_ENTRY(GETTABLE_PARAMS, gettable_params, provider_gettable_params),
    OCT_CORE_ENTRY(GET_PARAMS, get_params, provider_get_params),
    OCT_CORE_ENTRY(QUERY_OPERATION, query_operation, provider_query),
    OCT_CORE_ENTRY(GET_CAPABILITIES, get_capabilities, provider_get_capabilities),
    OCT_DISPATCH_END,
};

/* Of a provider that does not fit the library, or OpenSSL: it is there, and offers nothing. OpenSSL would take a
 * failure to load it for a broken configuration. */
static const OSSL_DISPATCH misfit_table[] = {
    OCT_CORE_ENTRY(GETTABLE_PARAMS, gettable_params, provider_gettable_params),
    OCT_CORE_ENTRY(GET_PARAMS, get_params, provider_get_params),
    OCT_DISPATCH_END,
};

/* A module is linked to one libcrypto, and could be loaded by another where a system has two: keys of one would go to
 * the functions of the other. A core that does not say its version is taken for the right one. */
static bool core_fits(const OSSL_CORE_HANDLE *handle, OSSL_FUNC_core_get_params_fn *get_params)
{
    const char *version = oct_caller_version(handle, get_params);
    const bool fits = version == NULL || strtol(version, NULL, 10) == OPENSSL_VERSION_MAJOR;

    if (!fits && oct_caller_is_shared(get_params))
        fprintf(stderr, "octuple: the provider is for OpenSSL %d, and this is OpenSSL %s: it leaves all to OpenSSL\n",
                OPENSSL_VERSION_MAJOR, version);
    return fits;
}

OCT_API OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                       void **provctx)
{
    static char misfit;
    struct oct_prov *prov;

    if (!oct_version_fits(OCT_VERSION_TEXT, "provider") || !core_fits(handle, oct_caller_get_params(in))) {
        *provctx = &misfit;
        *out = misfit_table;
        return 1;
    }
    prov = OPENSSL_zalloc(sizeof *prov);
    if (prov == NULL)
        return 0;
    oct_start();
    prov->handle = handle;
    oct_app_init(prov, in);
    oct_errors_init(&prov->errors, in);
    oct_settings_read(&prov->settings, handle, oct_caller_get_params(in));
    atomic_init(&prov->fallback, NULL);
    atomic_init(&prov->offers, NULL);
    oct_aside_start();
    oct_provider_set_loaded();
    prov->generation = oct_fork_generation();
    oct_changes_begin(handle, in);
    *provctx = prov;
    *out = provider_table;
    return 1;
}
