/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the test's engines share: RSA keys that are files, said to be in a device (delay.h). */
#ifndef OCT_DEVICE_ENGINE_H
#define OCT_DEVICE_ENGINE_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/engine.h>
#include <openssl/rsa.h>

/* An operation of RSA_METHOD with a private key. */
typedef int device_operation(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding);

/* The key itself: that of the file which OCTUPLE_TEST_DEVICE_KEY names, if it is set. Then the engine is to be the
 * default for RSA, and what servers load are placeholders without private parts, as some HSMs have them. */
RSA *device_key(RSA *rsa);

/* Reads the settings and makes the engine what it is; 1, or 0. For IMPLEMENT_DYNAMIC_BIND_FN. */
int device_bind(ENGINE *engine, const char *id, const char *name, device_operation *encrypt, device_operation *decrypt);

#endif
