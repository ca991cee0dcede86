/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * When what libcrypto would fetch may have become another thing: a provider came or went, or the default properties
 * changed. The OpenSSL provider is told so by libcrypto, and the preload shim keeps what it has fetched until then.
 * Private, as thread_mode.h is.
 */
#ifndef OCT_BASE_EPOCH_H
#define OCT_BASE_EPOCH_H

#include <octuple/status.h>

#include <stdint.h>

/* A number that is another one after each change; 0: nobody would tell of a change. */
OCT_API uint64_t oct_epoch(void);

/* For the provider. Something has changed; the first call says that changes are told. */
OCT_API void oct_epoch_next(void);
/* Some library context does not tell of its changes: oct_epoch() is 0 for good. */
OCT_API void oct_epoch_unknown(void);

#endif
