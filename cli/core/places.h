/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where the preload shim and the provider module are: beside this executable (build tree, or an installation that was
 * moved as a whole), else where they were installed.
 */
#ifndef OCT_CLI_PLACES_H
#define OCT_CLI_PLACES_H

#include <limits.h>
#include <openssl/types.h>

enum place { PLACE_SHIM, PLACE_PROVIDER };

/* "liboctuple-async.so", "octuple.so". */
const char *place_file(enum place what);

/* Stores the absolute path and returns 1; 0 if it is in none of the places. */
int place_find(enum place what, char path[PATH_MAX]);

/* The places that place_find() looks at, one a line, each line after `indent`, on stderr. */
void place_tell_tried(enum place what, const char *indent);

/* Loads the provider module of this path into a library context. Returns NULL if that fails, with OpenSSL's errors. */
OSSL_PROVIDER *place_load_provider(OSSL_LIB_CTX *ctx, const char *path);

/* Loads the provider module in a library context of its own. Returns NULL if that works, else why not (static). */
const char *place_try_provider(const char *path);

#endif
