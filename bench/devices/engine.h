/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the test's engines share: RSA keys that are files, and the settings of the device that is said to have them.
 * OCTUPLE_TEST_DEVICE_US says how long an operation takes. The file named by OCTUPLE_TEST_DEVICE_HANG, while it is
 * there, makes each operation hang; by OCTUPLE_TEST_DEVICE_FAIL, fail.
 */
#ifndef OCT_DEVICE_ENGINE_H
#define OCT_DEVICE_ENGINE_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/engine.h>
#include <openssl/rsa.h>

/* An operation of RSA_METHOD with a private key. */
typedef int device_operation(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding);

/* Waits for the device by `wait`, which takes microseconds. 0 with an error raised if the device fails. */
int device_works(void (*wait)(long microseconds));

/* Reads the settings and makes the engine what it is; 1, or 0. For IMPLEMENT_DYNAMIC_BIND_FN. */
int device_bind(ENGINE *engine, const char *id, const char *name, device_operation *encrypt, device_operation *decrypt);

#endif
