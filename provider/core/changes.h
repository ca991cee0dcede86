/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Tells the rest of the process (base/epoch.h) when the methods of the application's library context may change. */
#ifndef OCT_PROVIDER_CHANGES_H
#define OCT_PROVIDER_CHANGES_H

#include <openssl/core.h>

/* In OSSL_provider_init(). `in` is what the core offers. */
void oct_changes_begin(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in);

#endif
