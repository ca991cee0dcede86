/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Several records under one key, after gcm_impl.h: one after the other, and the processor overlaps what it can. */

OCT_INLINE void gcm_burst(const struct oct_aead_burst_args *args, const enum gcm_mode mode)
{
    for (size_t i = 0; i < args->count; i++) {
        if (mode == GCM_SEAL)
            gcm_seal(args->key, &args->record[i]);
        else
            gcm_open(args->key, &args->record[i]);
    }
}

void GCM_NAME(seal_burst)(const struct oct_aead_burst_args *args)
{
    gcm_burst(args, GCM_SEAL);
}

void GCM_NAME(open_burst)(const struct oct_aead_burst_args *args)
{
    gcm_burst(args, GCM_OPEN);
}
