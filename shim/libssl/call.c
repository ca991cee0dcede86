/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The probe stands here once for all calls: a tracer then has one place to watch. */
#include "libssl/call.h"

OCT_TIMED_DEFINE(call);

__attribute__((noinline)) void oct_call_tell(uint64_t start, enum oct_call call, const SSL *s, int value,
                                             const void *data, size_t length)
{
    OCT_PROBE_CALL((unsigned long)call, s, (long)value, oct_timed_now() - start, data, length);
}
