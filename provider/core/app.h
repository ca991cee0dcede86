/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The application's own library context: digests come from it and random bytes are drawn in it, so that its providers,
 * properties and [random] section hold here as they do for OpenSSL's own providers.
 *
 * The core hands it out as an OPENSSL_CORE_CTX, and that is an OSSL_LIB_CTX to the same libcrypto only. A program may
 * hold another one (linked statically), while this module brings the shared one: to that, the pointer means nothing.
 * Then the private context (fallback.h) stands in. A child context would show the other libcrypto's providers, but it
 * calls back from one into the other for as long as it lives, also while either of them is being taken down.
 */
#ifndef OCT_PROVIDER_APP_H
#define OCT_PROVIDER_APP_H

#include <openssl/core_dispatch.h>
#include <openssl/types.h>

struct oct_prov;

/* Takes the context, and what writes into BIOs of the core, from the core's dispatch table. Comes before anything that
 * libcrypto initialises itself for. */
void oct_app_init(struct oct_prov *prov, const OSSL_DISPATCH *core);

/* The application's context, or the private one in its place; NULL, with an error raised, if that cannot be made. */
OSSL_LIB_CTX *oct_app_ctx(struct oct_prov *prov);

#endif
