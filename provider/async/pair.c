/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See pair.h. */
#include "pair.h"

#include "aside.h"
#include "provider/core/provider.h"

#include <openssl/err.h>
#include <openssl/rand.h>

static bool draw(void *prov, uint8_t *bytes, size_t size)
{
    ERR_set_mark();
    OSSL_LIB_CTX *libctx = oct_app_ctx(prov);
    const bool ok = libctx != NULL && RAND_priv_bytes_ex(libctx, bytes, size, 0) > 0;
    ERR_pop_to_mark();
    return ok;
}

bool oct_pair_take(struct oct_prov *prov, int op, uint8_t *public_key, uint8_t *private_key)
{
    return !oct_aside_take() && prov->settings.on[OCT_PROV_SWITCH_pools] &&
           oct_pool_take(op, draw, prov, public_key, private_key);
}
