/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* AES-128-GCM. */
#include "kernels/gcm/gcm.h"
#include "vec/cipher/blocks.h"

#define GCM_ROUNDS     10
#define GCM_NAME(verb) OCT_NAME(aes128gcm_##verb)
#include "kernels/gcm/gcm_impl.h"
#include "kernels/gcm/gcm_packet_impl.h"
#include "kernels/gcm/gcm_stream_impl.h"

/* Here once for the tier. */
void OCT_NAME(gcm_clear_registers)(void)
{
    blocks_clear_registers();
}
