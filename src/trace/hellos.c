/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Counters of hellos that waited. They lie behind those of handshakes, in the same file. */
#include "trace/hellos.h"

#include "trace/counters.h"

#include <string.h>

_Static_assert(sizeof(struct oct_hello_counters) == 256, "the file's form is fixed");
_Static_assert(sizeof((const int[])OCT_HELLO_BOUNDS) / sizeof(int) + 1 == OCT_HELLO_WAITS,
               "a bucket behind the bounds");
_Static_assert(OCT_HELLO_WAITS <= OCT_HELLO_ROOM, "there is room for each bucket");

struct oct_hello_counters *oct_hello_counters(void)
{
    static struct oct_hello_counters nowhere;
    struct oct_counters_file *file = oct_counters_page();
    struct oct_hello_counters *hellos = file != NULL ? &file->hellos : &nowhere;
    if (__atomic_load_n(&hellos->form, __ATOMIC_RELAXED) != OCT_HELLO_FORM)
        __atomic_store_n(&hellos->form, OCT_HELLO_FORM, __ATOMIC_RELAXED);
    return hellos;
}

void oct_hello_counters_forked(struct oct_hello_counters *hellos)
{
    if (hellos->form == 0)
        return;
    memset(hellos, 0, sizeof *hellos);
    hellos->form = OCT_HELLO_FORM;
}
