/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* AES-256-GCM. */
#include "kernels/gcm/gcm.h"
#include "vec/cipher/blocks.h"

#define GCM_ROUNDS     14
#define GCM_NAME(verb) OCT_NAME(aes256gcm_##verb)
#include "kernels/gcm/gcm_impl.h"
#include "kernels/gcm/gcm_packet_impl.h"
#include "kernels/gcm/gcm_stream_impl.h"
