/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Rows beside Intel's ipsec-mb. */
#ifndef OCT_BENCH_IPSEC_MB_H
#define OCT_BENCH_IPSEC_MB_H

#include "beside.h"

#include <intel-ipsec-mb.h>
#include <octuple/octuple.h>

#define MAX_BYTES 16384

extern const struct beside_row ipsec_mb_aead[], ipsec_mb_quic[];

/* The library's state for this thread, on the widest vectors that it finds; made at first use. NULL if it cannot. */
IMB_MGR *ipsec_mb_manager(void);

/* Expands an AES key for GCM. */
void ipsec_mb_gcm_key(int aead, const uint8_t *key, struct gcm_key_data *out);

#endif
