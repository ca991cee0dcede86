/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Status codes and small types that every part of the public API shares.
 *
 * Argument order in all headers: the object worked on, then outputs, then inputs, then sizes and flags.
 * All functions may be called from any thread; one object may be used by several threads at once only where its
 * header says so. No function keeps a pointer that it was given unless its comment says so.
 */
#ifndef OCTUPLE_STATUS_H
#define OCTUPLE_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define OCT_API      __attribute__((visibility("default")))
#define OCT_MUST_USE __attribute__((warn_unused_result))
#else
#define OCT_API
#define OCT_MUST_USE
#endif

/* The number of SIMD lanes: how many operations one batch call takes at the most. */
#define OCT_LANES 8

/* 0 is success, everything else an error. On an error a function leaves its outputs as they were, unless it says
 * that it zeroes them. */
enum oct_status {
    OCT_OK = 0,
    OCT_ERR_ARGUMENT = 1,    /* a null pointer, a lane count outside 1..8, keys of different sizes in one call */
    OCT_ERR_LENGTH = 2,      /* a number or buffer of the wrong length */
    OCT_ERR_KEY = 3,         /* the numbers do not form a key (even modulus, p = q, wrong CRT value, ...) */
    OCT_ERR_UNSUPPORTED = 4, /* a good key or operation that Octuple does not serve (size, exponent, this CPU) */
    OCT_ERR_RANGE = 5,       /* the input is not below the modulus */
    OCT_ERR_FAULT = 6,       /* the computed result failed its check twice; it was zeroed */
    OCT_ERR_MEMORY = 7,      /* out of memory */
    OCT_ERR_FALLBACK = 8,    /* not an error of the input: too few waited for a vector to pay, use the fallback */
    OCT_ERR_STATE = 9,       /* a job submitted twice, or cancelled and never submitted; calls in the wrong order */
    OCT_ERR_AUTH = 10,       /* the tag does not fit: the output was zeroed */
    OCT_ERR_LIMIT = 11,      /* the key has been used as often as it may be */
    OCT_ERR_STOPPED = 12     /* a callback of the caller's gave up */
};

/* A short English text for a status, never NULL: "ok", "invalid argument", ... */
OCT_API const char *oct_status_text(int status);

/* Bytes that somebody else owns. */
struct oct_bytes {
    const uint8_t *data;
    size_t len;
};

/* What became of the lanes of one batch call: bit i speaks of lane i. A lane in neither mask failed its result check.
 * The output of every lane that is not in `ok` has been zeroed. Unused lanes have both bits clear. */
struct oct_lanes {
    uint8_t ok;
    uint8_t invalid;
};

#ifdef __cplusplus
}
#endif
#endif
