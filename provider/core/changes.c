/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * See changes.h. libcrypto tells providers that keep a child of its library context of each provider that comes or goes
 * and of new default properties. This one keeps no child, and only counts.
 */
#include "changes.h"

#include "base/epoch.h"

#include <openssl/core_dispatch.h>
#include <stddef.h>

static OSSL_FUNC_provider_deregister_child_cb_fn *deregister;

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
        else if (in->function_id == OSSL_FUNC_PROVIDER_DEREGISTER_CHILD_CB)
            deregister = OSSL_FUNC_provider_deregister_child_cb(in);
    if (enroll != NULL && deregister != NULL &&
        enroll(handle, provider_changes, provider_changes, properties_change, NULL))
        oct_epoch_next();
    else
        oct_epoch_unknown();
}

void oct_changes_end(const OSSL_CORE_HANDLE *handle)
{
    if (deregister != NULL)
        deregister(handle);
    oct_epoch_next();
}
