/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See aead.h. */
#include "ops/aead.h"

const struct oct_aead_ops *oct_aead_selected(int aead, const char **reason)
{
    if (aead >= 0 && aead < OCT_AEAD_COUNT)
        return oct_selected((enum oct_selection)(OCT_SELECT_AEAD + aead), reason);
    if (reason)
        *reason = "no such AEAD";
    return NULL;
}

const struct oct_aead_ops *oct_aead_possible(int aead)
{
    const bool is_aead = aead >= 0 && aead < OCT_AEAD_COUNT;
    return is_aead ? oct_possible((enum oct_selection)(OCT_SELECT_AEAD + aead)) : NULL;
}

enum oct_cpu_width oct_aead_width(const char **reason)
{
    if (reason)
        *reason = oct_scope()->width_why;
    return oct_scope()->width;
}

unsigned oct_aead_runnable(int aead, const struct oct_aead_ops *ops[OCT_AEAD_TIERS])
{
    const enum oct_selection which = (enum oct_selection)(OCT_SELECT_AEAD + aead);
    unsigned count = 0;
    for (; oct_runnable(which, count); count++)
        ops[count] = oct_runnable(which, count);
    return count;
}
