/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Loads the provider into OpenSSL's default library context, behind the configuration that the program has there: no
 * file has to name it. It comes at a moment at which OpenSSL itself settles which providers it has.
 */
#ifndef OCT_SHIM_LOAD_H
#define OCT_SHIM_LOAD_H

#include "libssl/resolve.h"

/* While the program is loaded. wanted: false keeps the provider out. groups: the setting. has_lanes: whether the
 * provider has use for lanes here, asked where it is about to be loaded. has_come: called where it then is in the
 * libcrypto that `handle` leads to (NULL: the program's). */
void oct_load_start(bool wanted, const char *groups, bool (*has_lanes)(void), void (*has_come)(void *handle));
void oct_load_forget_former_config(void);

/* Before an SSL_CTX is made in `ctx` (NULL: the thread's default) by this libssl. False: OpenSSL cannot be initialised,
 * has said why, and none can be made. */
bool oct_load_for_tls(const struct oct_ssl_functions *own, const OSSL_LIB_CTX *ctx);

/* Before a key is used in the default context of the libcrypto that `handle` leads to (NULL: the program's). */
void oct_load_for_keys(void *handle);
/* It is decided: nobody need call it any more. */
bool oct_load_for_keys_is_over(void);

/* The first SSL_CTX has been made, or is being made, in the default context: it is decided whether handshakes find the
 * provider. */
bool oct_load_is_over(void);

/* The groups of an SSL_CTX that was just made: OpenSSL before 3.5 takes a provider's only where they are named. */
void oct_load_name_groups(const struct oct_ssl_functions *own, const OSSL_LIB_CTX *ctx, SSL_CTX *made);

#endif
