/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * See changes.h. libcrypto tells providers that keep a child of its library context of each provider that comes or goes
 * and of new default properties. This one keeps no child, and only counts.
 *
 * It never tells libcrypto to stop. A program may let go of its last key when libcrypto has taken its list of providers
 * down, and to look for ourselves there would crash. This module is never unloaded, so the calls always find it.
 */
#include "changes.h"

#include "base/epoch.h"

#include <openssl/core_dispatch.h>
#include <stddef.h>

static int provider_changes(const OSSL_CORE_HANDLE *provider, void *arg)
{
    (void)provider, (void)arg;
    oct_epoch_next();
    return 1;
}

static int properties_change(const char *properties, void *arg)
{
    (void)properties, (void)arg;
    oct_epoch_next();
    return 1;
}

void oct_changes_begin(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in)
{
    OSSL_FUNC_provider_register_child_cb_fn *enroll = NULL;

    for (; in->function_id != 0; in++)
        if (in->function_id == OSSL_FUNC_PROVIDER_REGISTER_CHILD_CB)
            enroll = OSSL_FUNC_provider_register_child_cb(in);
    if (enroll != NULL && enroll(handle, provider_changes, provider_changes, properties_change, NULL))
        oct_epoch_next();
    else
        oct_epoch_unknown();
}
