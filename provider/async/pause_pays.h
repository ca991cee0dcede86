/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whether it pays to pause on a thread that nobody serves (OCT_THREAD_NATIVE_ASYNC). A pause costs the program a turn
 * of its loop, with some system calls. A program whose fibres were always alone when they were resumed gets its next
 * operations at once, until a pause that is tried now and then meets another.
 *
 * What is learned is the calling thread's own.
 */
#ifndef OCT_PROVIDER_PAUSE_PAYS_H
#define OCT_PROVIDER_PAUSE_PAYS_H

#include <octuple/octuple.h>
#include <stdbool.h>

/* True if the next operation should pause: others wait in the queue, or may come. */
bool oct_pause_pays(const struct oct_queue *queue);

/* A fibre that paused is resumed. met: others wait beside it, or have run its job with theirs. */
void oct_pause_note(bool met);

#endif
