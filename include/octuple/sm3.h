/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM3 (GB/T 32905, ISO/IEC 10118-3) of up to sixteen messages at once, one in each lane. A message may be secret: the
 * time and the addresses touched depend on lengths only. A vector runs as long as its longest message, so messages of
 * one length gain most; one or two alone are cheaper elsewhere.
 */
#ifndef OCTUPLE_SM3_H
#define OCTUPLE_SM3_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OCT_SM3_BYTES 32
#define OCT_SM3_LANES 16

struct oct_sm3_lane {
    const uint8_t *message; /* may be NULL if len is 0 */
    size_t len;             /* below 2^61 - 64 */
    uint8_t *digest;        /* OCT_SM3_BYTES; overlaps no message of the call, and no other digest */
};

/* The digests of 1 to 16 messages. OCT_OK, or with nothing written OCT_ERR_ARGUMENT, OCT_ERR_UNSUPPORTED (no table on
 * this CPU, or the operation is off), OCT_ERR_MEMORY. */
OCT_API OCT_MUST_USE int oct_sm3_x16(const struct oct_sm3_lane lane[], unsigned lanes);

#ifdef __cplusplus
}
#endif
#endif
