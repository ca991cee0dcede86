/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See hellos.h. */
#include "hellos.h"

const unsigned hellos_bound[] = OCT_HELLO_BOUNDS;

void hellos_add(struct oct_hello_counters *to, const struct oct_hello_counters *now,
                const struct oct_hello_counters *before)
{
    static const struct oct_hello_counters none;
    before = before != NULL ? before : &none;
    to->form = OCT_HELLO_FORM;
    to->gone += now->gone - before->gone;
    to->refused += now->refused - before->refused;
    to->milliseconds += now->milliseconds - before->milliseconds;
    for (unsigned i = 0; i < OCT_HELLO_ROOM; i++)
        to->waited[i] += now->waited[i] - before->waited[i];
}

uint64_t hellos_begun(const struct oct_hello_counters *hellos)
{
    uint64_t begun = 0;
    for (unsigned i = 0; i < OCT_HELLO_WAITS; i++)
        begun += hellos->waited[i];
    return begun;
}

uint64_t hellos_over(const struct oct_hello_counters *hellos, unsigned milliseconds)
{
    uint64_t over = hellos_begun(hellos);
    for (unsigned i = 0; i + 1 < OCT_HELLO_WAITS && hellos_bound[i] <= milliseconds; i++)
        over -= hellos->waited[i];
    return over;
}

json_t *hellos_json(const struct oct_hello_counters *hellos)
{
    json_t *waited = json_object();
    for (unsigned i = 0; i < OCT_HELLO_WAITS; i++) {
        char name[16] = "more";
        if (i + 1 < OCT_HELLO_WAITS)
            snprintf(name, sizeof name, "%u", hellos_bound[i]);
        json_object_set_new(waited, name, json_integer((json_int_t)hellos->waited[i]));
    }
    return json_pack("{s:I, s:I, s:I, s:o}", "gone", (json_int_t)hellos->gone, "refused", (json_int_t)hellos->refused,
                     "milliseconds", (json_int_t)hellos->milliseconds, "waited", waited);
}
