/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What SM4's modes offer, and what their contexts share. */
#include "provider/core/family.h"
#include "provider/core/provider.h"
#include "sm4.h"

#include <stdlib.h>
#include <string.h>

void *oct_sm4_context_new(void *provctx, size_t size)
{
    const size_t align = _Alignof(struct oct_sm4_key);
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);

    if (memory == NULL)
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
    else
        memset(memory, 0, size);
    return memory;
}

/* The family's own numbers: there is one. A cipher that was not asked for has to be worth it. */
static bool serves(int number, bool asked)
{
    (void)number;
    return oct_sm4_is_on() && (asked || oct_sm4_pays());
}

#define OFFER(names, table)                                                                                            \
    {                                                                                                                  \
        OSSL_OP_CIPHER, {(names), OCT_PROPERTIES, (table), NULL}, OCT_PROV_SWITCH_sm4, 0, 0                            \
    }

static const struct oct_offer *offers(void)
{
    static const struct oct_offer all[] = {
        OFFER("SM4-CTR:1.2.156.10197.1.104.7", oct_sm4_ctr_table),
        OFFER("SM4-CBC:SM4:1.2.156.10197.1.104.2", oct_sm4_cbc_table),
        OFFER("SM4-CCM:1.2.156.10197.1.104.9", oct_sm4_ccm_table),
        {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
    };
    return all;
}

const struct oct_prov_family oct_prov_family_sm4 = {
    .offers = offers,
    .serves = serves,
};
