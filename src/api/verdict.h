/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What is known of an operation without running its known answers. The queue and the provider ask it where a lone
 * operation goes to OpenSSL's own code anyhow. Before lanes give out a result, oct_op_is_on() has said yes. Private, as
 * base/thread_mode.h is: liboctuple.so exports it to its provider.
 */
#ifndef OCT_API_VERDICT_H
#define OCT_API_VERDICT_H

#include <octuple/status.h>

#include <stdbool.h>

enum oct_verdict { OCT_VERDICT_UNTESTED, OCT_VERDICT_ON, OCT_VERDICT_OFF };

/* Of an operation (enum oct_op); -1 is off. Off: no table or CPU serves it, or it has failed its known answers. Tests
 * nothing, and costs some loads. */
OCT_API enum oct_verdict oct_op_verdict(int op);

/* It is on, or its known answers have still to run. */
static inline bool oct_op_may_be_on(int op)
{
    return oct_op_verdict(op) != OCT_VERDICT_OFF;
}

#endif
