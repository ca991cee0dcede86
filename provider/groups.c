/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See groups.h. */
#include "groups.h"

#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <string.h>
#include <strings.h>

struct relay {
    const OSSL_ALGORITHM *keymgmts;
    OSSL_CALLBACK *callback;
    void *arg;
};

/* The first name of "NAME:OTHER:1.2.3" is the one that libssl fetches by. */
static int is_first_name(const char *names, const char *name)
{
    const size_t len = strcspn(names, ":");
    return strlen(name) == len && strncasecmp(names, name, len) == 0;
}

static int relay_ours(const OSSL_PARAM params[], void *arg)
{
    const struct relay *relay = arg;
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_CAPABILITY_TLS_GROUP_ALG);
    const char *algorithm;

    if (p == NULL || !OSSL_PARAM_get_utf8_string_ptr(p, &algorithm))
        return 1;
    for (const OSSL_ALGORITHM *a = relay->keymgmts; a->algorithm_names != NULL; a++)
        if (is_first_name(a->algorithm_names, algorithm))
            return relay->callback(params, relay->arg);
    return 1;
}

int oct_groups_announce(struct oct_prov *prov, const struct oct_offers *offers, OSSL_CALLBACK *callback, void *arg)
{
    struct relay relay = {offers->by[OSSL_OP_KEYMGMT], callback, arg};
    const struct oct_plain *plain = NULL;

    for (int f = 0; f < OCT_FAMILIES; f++)
        if (offers->announces[f] && !oct_prov_families[f]->announce(prov, callback, arg))
            return 0;
    /* Where no group is over what is served, the private context need not be made. */
    if (!offers->has_groups)
        return 1;
    plain = oct_plain_get(prov);
    return plain != NULL && OSSL_PROVIDER_get_capabilities(plain->default_provider, "TLS-GROUP", relay_ours, &relay);
}
