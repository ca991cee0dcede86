/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the preload shim and the OpenSSL provider tell each other about the calling thread. Applications do not need it.
 */
#ifndef OCTUPLE_ASYNC_H
#define OCTUPLE_ASYNC_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* While draining, a paused operation that is resumed on this thread gives up: it cancels its job and fails, and
 * no operation on this thread pauses. Set around the resumption of a connection that is being freed. */
OCT_API void oct_async_set_draining(int on);
OCT_API int oct_async_draining(void);

#ifdef __cplusplus
}
#endif
#endif
