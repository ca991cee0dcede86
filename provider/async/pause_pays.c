/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See pause_pays.h. */
#include "pause_pays.h"

#include "base/policy.h"

static _Thread_local unsigned lonely; /* pauses in a row that met nobody */
static _Thread_local unsigned passed; /* operations since the last pause that was tried */

bool oct_pause_pays(const struct oct_queue *queue)
{
    if (oct_queue_waiting(queue) > 0) {
        lonely = 0;
        return true;
    }
    if (lonely < OCT_POLICY_LONELY_PAUSES)
        return true;
    if (++passed < OCT_POLICY_TRIAL)
        return false;
    passed = 0;
    return true;
}

void oct_pause_note(bool met)
{
    if (met)
        lonely = 0;
    else if (lonely < OCT_POLICY_LONELY_PAUSES)
        lonely++;
}
