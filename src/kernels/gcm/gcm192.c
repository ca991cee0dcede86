/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* AES-192-GCM: records and streams, since no QUIC has it (RFC 9001, 5.3). */
#include "kernels/gcm/gcm.h"
#include "vec/cipher/blocks.h"

#define GCM_ROUNDS     12
#define GCM_NAME(verb) OCT_NAME(aes192gcm_##verb)
#include "kernels/gcm/gcm_impl.h"
#include "kernels/gcm/gcm_stream_impl.h"
