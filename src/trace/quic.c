/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Counters of handshakes of QUIC. They lie behind those of keys, in the same file. */
#include "trace/quic.h"

#include "trace/counters.h"

#include <string.h>

_Static_assert(sizeof(struct oct_quic_counters) == 128, "the file's form is fixed");

struct oct_quic_counters *oct_quic_counters(void)
{
    static struct oct_quic_counters nowhere;
    struct oct_counters_file *file = oct_counters_page();
    return file != NULL ? &file->quic : &nowhere;
}

void oct_quic_counters_forked(struct oct_quic_counters *quic)
{
    const uint64_t state = quic->state;
    if (state == OCT_QUIC_STATE_NONE)
        return;
    memset(quic, 0, sizeof *quic);
    quic->state = state;
}
