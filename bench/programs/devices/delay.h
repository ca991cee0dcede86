/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the test's devices share: how long an operation takes, how the caller waits for it, and the settings of both.
 * OCTUPLE_TEST_DEVICE_US says how long. The file named by OCTUPLE_TEST_DEVICE_HANG, while it is there, makes each
 * operation hang; by OCTUPLE_TEST_DEVICE_FAIL, fail.
 */
#ifndef OCT_DEVICE_DELAY_H
#define OCT_DEVICE_DELAY_H

/* While the device is loaded: servers clear their environment later. */
void device_settings(void);

/* Ways to wait, by microseconds: in the call; or by a pause of the asynchronous job that it finds itself in, and in the
 * call where there is none. */
typedef void device_wait(long microseconds);
device_wait device_nap, device_pause;

/* Waits for the device. 0 with an error raised if the device fails. */
int device_works(device_wait *wait);

#endif
