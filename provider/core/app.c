/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See app.h. */
#include "app.h"

#include "provider.h"

#include <openssl/crypto.h>

/* At exit, what came last is taken down first: a second libcrypto would be gone when the program's own frees the keys
 * that it has here. Without a handler of its own it stays as long as the process. */
void oct_app_init(struct oct_prov *prov, const OSSL_DISPATCH *core)
{
    OSSL_FUNC_core_get_libctx_fn *get_libctx = NULL;
    bool is_ours = false; /* of the libcrypto that this module is linked to: its functions have the same addresses */

    for (; core->function_id != 0; core++)
        if (core->function_id == OSSL_FUNC_CRYPTO_MALLOC)
            is_ours = OSSL_FUNC_CRYPTO_malloc(core) == CRYPTO_malloc;
        else if (core->function_id == OSSL_FUNC_CORE_GET_LIBCTX)
            get_libctx = OSSL_FUNC_core_get_libctx(core);
        else if (core->function_id == OSSL_FUNC_BIO_WRITE_EX)
            prov->write = OSSL_FUNC_BIO_write_ex(core);
    if (!is_ours) {
        OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
        return;
    }
    if (get_libctx != NULL)
        prov->app = (OSSL_LIB_CTX *)get_libctx(prov->handle);
    /* NULL is whatever is the thread's default: the one that loads this module now, and maybe not the next. */
    if (prov->app == NULL)
        prov->app = OSSL_LIB_CTX_set0_default(NULL);
}

OSSL_LIB_CTX *oct_app_ctx(struct oct_prov *prov)
{
    return prov->app != NULL ? prov->app : oct_fallback_ctx(prov);
}
