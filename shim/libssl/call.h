/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What a tracer is told of the program's calls, as the program sees them: pauses, batches and all. */
#ifndef OCT_SHIM_CALL_H
#define OCT_SHIM_CALL_H

#include "libssl/serves.h"

#include "trace/timed.h"

OCT_TIMED_DECLARE(call);

/* When the call begins; 0 while nobody listens. */
static inline uint64_t oct_call_begin(void)
{
    return OCT_TIMED_BEGIN(call);
}

/* The call is over: of a read or write, `length` bytes at `data` were moved, which are the program's own, in plain. */
void oct_call_tell(uint64_t start, enum oct_call call, const SSL *s, int value, const void *data, size_t length);

static inline void oct_call_end(uint64_t start, enum oct_call call, const SSL *s, int value, const void *data,
                                size_t length)
{
    if (__builtin_expect(start != 0, 0))
        oct_call_tell(start, call, s, value, data, length);
}

#endif
