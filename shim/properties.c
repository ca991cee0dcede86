/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A program that makes its contexts with a query of its own, as stunnel does with `provider!=fips`, loses the preference
 * for the provider octuple: of two clauses with one name, OpenSSL takes the query's and forgets the default one. All that
 * the FIPS provider has, and nothing else, says fips=yes of itself. So the same can be asked for by another name, and is,
 * where the preference would count otherwise.
 */
#include "hook.h"

#include <string.h>

#define NOT_FIPS     "provider!=fips"
#define NOT_FIPS_TOO "fips!=yes"

/* Whether what is fetched without a query of its own comes from the provider: one of these, if any at all is on. */
static bool is_preferred(const struct oct_ssl_functions *ssl, OSSL_LIB_CTX *libctx)
{
    static const char *const names[] = {"X25519", "RSA", "EC"};
    bool found = false;

    if (ssl->OSSL_PROVIDER_available(libctx, "octuple") != 1)
        return false;
    ssl->ERR_set_mark();
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++) {
        EVP_KEYMGMT *keymgmt = ssl->EVP_KEYMGMT_fetch(libctx, names[i], NULL);
        found = keymgmt != NULL &&
                strcmp(ssl->OSSL_PROVIDER_get0_name(ssl->EVP_KEYMGMT_get0_provider(keymgmt)), "octuple") == 0;
        ssl->EVP_KEYMGMT_free(keymgmt);
    }
    ssl->ERR_pop_to_mark();
    return found;
}

OCT_HOOK SSL_CTX *SSL_CTX_new_ex(OSSL_LIB_CTX *libctx, const char *query, const SSL_METHOD *method)
{
    OCT_OWN(SSL_CTX_new_ex(libctx, query, method));
    if (query != NULL && strcmp(query, NOT_FIPS) == 0 && oct_shim_serves(own) && is_preferred(own, libctx))
        query = NOT_FIPS_TOO;
    return own->SSL_CTX_new_ex(libctx, query, method);
}
