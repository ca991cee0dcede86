/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Counters of handshakes, and why they waited for nobody. They lie behind those of memory, in the same file. */
#include "trace/stays.h"

#include "trace/counters.h"

#include <string.h>

_Static_assert(sizeof(struct oct_stay_counters) == 256, "the file's form is fixed");
_Static_assert(OCT_STAY_COUNT <= OCT_STAYS, "there is room for each reason");

struct oct_stay_counters *oct_stay_counters(void)
{
    static struct oct_stay_counters nowhere;
    struct oct_counters_file *file = oct_counters_page();
    struct oct_stay_counters *stays = file != NULL ? &file->stays : &nowhere;
    if (__atomic_load_n(&stays->form, __ATOMIC_RELAXED) != OCT_STAY_FORM)
        __atomic_store_n(&stays->form, OCT_STAY_FORM, __ATOMIC_RELAXED);
    return stays;
}

/* What the program has got is the child's too. */
void oct_stay_counters_forked(struct oct_stay_counters *stays)
{
    const uint64_t refused = stays->refused, doors = stays->doors;
    if (stays->form == 0)
        return;
    memset(stays, 0, sizeof *stays);
    stays->form = OCT_STAY_FORM;
    stays->refused = refused;
    stays->doors = doors;
}
