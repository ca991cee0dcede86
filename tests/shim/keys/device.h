/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Keys in devices of the test (bench/programs/devices): number 0 blocks, number 1 pauses by itself. They are engines,
 * and know RSA only. A device answers nothing from device_world() to device_release().
 */
#ifndef OCT_TEST_DEVICE_H
#define OCT_TEST_DEVICE_H

#include "world.h"

#define PAIRS 6

#define SOME_KIND (world_slow() ? TLS12_ECDHE : TLS13)

/* How many there are: ThreadSanitizer knows nothing of OpenSSL's jobs, in which the second one pauses. */
extern int devices;

/* For main(), in the place of world_start(). */
void device_start(void);
void device_end(void);

/* The world's servers have a key of the device's from now on. */
SSL_CTX *device_context(int device, enum kind kind);
/* The first operation of an owner tells what kind it is. */
void device_warm_up(int device);
/* A world whose handshakes wait for the device. */
struct world *device_world(int device, enum kind kind);
void device_release(void);
/* From now on operations fail, or no more. */
void device_fails(bool on);
/* One look at what has come. */
void device_turn(struct world *w, int milliseconds);
/* The device answers, all handshakes come to their end, and the world goes. */
void device_finish(struct world *w);

#endif
