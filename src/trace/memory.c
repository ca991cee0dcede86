/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Counters of handshakes that are fed through memory. They lie behind those of QUIC, in the same file. */
#include "trace/memory.h"

#include "trace/counters.h"

#include <string.h>

_Static_assert(sizeof(struct oct_memory_counters) == 256, "the file's form is fixed");

struct oct_memory_counters *oct_memory_counters(void)
{
    static struct oct_memory_counters nowhere;
    struct oct_counters_file *file = oct_counters_page();
    return file != NULL ? &file->memory : &nowhere;
}

void oct_memory_counters_forked(struct oct_memory_counters *memory)
{
    const uint64_t state = memory->state;
    if (state == OCT_MEMORY_STATE_NONE)
        return;
    memset(memory, 0, sizeof *memory);
    memory->state = state;
}
