/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Whose code stands on the stack of the calling slice or async job. */
#ifndef OCT_PROVIDER_FRAMES_H
#define OCT_PROVIDER_FRAMES_H

#include <stdbool.h>

struct oct_slice;

/*
 * True if the slice (NULL: an ASYNC job of OpenSSL's) may be paused here. False in a callback of the
 * program inside a call of libssl: it may hold a lock, use a static buffer or run on a stack of its own, and it was
 * never written to be left and entered again.
 *
 * A program that starts an ASYNC job with a function of its own has asked to be paused in it, and is.
 */
bool oct_frames_may_pause(const struct oct_slice *slice);

#endif
