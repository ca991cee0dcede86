/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See stays.h. */
#include "stays.h"

static const struct stay_row rows[] = {
#define STAY(reason, name, text, advice) [OCT_STAY_##reason] = {name, text, advice},
#include "stays.def"
#undef STAY
};
_Static_assert(sizeof rows / sizeof rows[0] == OCT_STAY_COUNT, "each reason has its words");

const struct stay_row *stays_row(unsigned reason)
{
    static const struct stay_row other = {"other", "a later version says why", NULL};
    return reason < OCT_STAY_COUNT ? &rows[reason] : &other;
}

void stays_add(struct oct_stay_counters *to, const struct oct_stay_counters *now,
               const struct oct_stay_counters *before)
{
    static const struct oct_stay_counters none;
    before = before != NULL ? before : &none;
    to->form = OCT_STAY_FORM;
    to->paused += now->paused - before->paused;
    to->resumed += now->resumed - before->resumed;
    to->refused += now->refused - before->refused;
    to->doors += now->doors - before->doors;
    for (unsigned i = 0; i < OCT_STAYS; i++)
        to->stayed[i] += now->stayed[i] - before->stayed[i];
}

uint64_t stays_full(const struct oct_stay_counters *stays)
{
    uint64_t full = stays->paused;
    for (unsigned i = 0; i < OCT_STAYS; i++)
        full += stays->stayed[i];
    return full;
}

unsigned stays_why(const struct oct_stay_counters *stays)
{
    return stays->refused != 0 ? OCT_STAY_DLSYM
           : stays->doors != 0 ? OCT_STAY_BIO_SSL
                               : stays_greatest(stays, OCT_STAY_COUNT);
}

unsigned stays_greatest(const struct oct_stay_counters *stays, unsigned other)
{
    unsigned greatest = OCT_STAY_COUNT;
    for (unsigned i = 0; i < OCT_STAY_COUNT; i++)
        if (i != other && stays->stayed[i] != 0 &&
            (greatest == OCT_STAY_COUNT || stays->stayed[i] > stays->stayed[greatest]))
            greatest = i;
    return greatest;
}

json_t *stays_json(const struct oct_stay_counters *stays)
{
    json_t *reasons = json_object();
    for (unsigned i = 0; i < OCT_STAY_COUNT; i++)
        if (stays->stayed[i] != 0)
            json_object_set_new(reasons, rows[i].name, json_integer((json_int_t)stays->stayed[i]));
    return json_pack("{s:I, s:I, s:I, s:o}", "full", (json_int_t)stays_full(stays), "paused", (json_int_t)stays->paused,
                     "resumed", (json_int_t)stays->resumed, "stayed", reasons);
}
