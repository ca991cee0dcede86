/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See groups.h. */
#include "groups.h"

#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct relay {
    const OSSL_ALGORITHM *keymgmts;
    const char *const *names; /* parameters that may name the key management, ended by NULL: the first one counts */
    OSSL_CALLBACK *callback;
    void *arg;
};

/* What libssl will fetch a key management by, or NULL. */
static const char *keymgmt_of(const OSSL_PARAM params[], const char *const *names)
{
    const char *algorithm;

    for (; *names != NULL; names++) {
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, *names);
        if (p != NULL)
            return OSSL_PARAM_get_utf8_string_ptr(p, &algorithm) ? algorithm : NULL;
    }
    return NULL;
}

static int relay_ours(const OSSL_PARAM params[], void *arg)
{
    const struct relay *relay = arg;
    const char *algorithm = keymgmt_of(params, relay->names);

    if (algorithm == NULL)
        return 1;
    for (const OSSL_ALGORITHM *a = relay->keymgmts; a->algorithm_names != NULL; a++) {
        /* The first name of "NAME:OTHER:1.2.3" is the one that libssl fetches by. */
        const size_t len = strcspn(a->algorithm_names, ":");
        if (strlen(algorithm) == len && strncasecmp(a->algorithm_names, algorithm, len) == 0)
            return relay->callback(params, relay->arg);
    }
    return 1;
}

static int relay_all(struct oct_prov *prov, const char *capability, struct relay *relay)
{
    const struct oct_fallback *fallback = oct_fallback_get(prov);
    return fallback != NULL &&
           OSSL_PROVIDER_get_capabilities(fallback->default_provider, capability, relay_ours, relay);
}

int oct_groups_announce(struct oct_prov *prov, const struct oct_offers *offers, OSSL_CALLBACK *callback, void *arg)
{
    static const char *const names[] = {OSSL_CAPABILITY_TLS_GROUP_ALG, NULL};
    struct relay relay = {offers->by[OSSL_OP_KEYMGMT], names, callback, arg};

    for (int f = 0; f < OCT_FAMILIES; f++)
        if (offers->announces[f] && !oct_prov_families[f]->announce(prov, callback, arg))
            return 0;
    /* Where no group is over what is served, the private context need not be made. */
    return !offers->has_groups || relay_all(prov, "TLS-GROUP", &relay);
}

int oct_sigalgs_announce(struct oct_prov *prov, const struct oct_offers *offers, OSSL_CALLBACK *callback, void *arg)
{
    /* As text, because headers before 3.2 have no names for them. */
    static const char *const names[] = {"tls-sigalg-keytype", "tls-sigalg-sig-name", "tls-sigalg-name", NULL};
    struct relay relay = {offers->by[OSSL_OP_KEYMGMT], names, callback, arg};

    /* OpenSSL before 3.5 has none, and says so by an error. */
    return !offers->has_sigalgs || OpenSSL_version_num() < 0x30500000 || relay_all(prov, "TLS-SIGALG", &relay);
}
