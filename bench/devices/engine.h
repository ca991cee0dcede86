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

/* Reads the settings and makes the engine what it is; 1, or 0. For IMPLEMENT_DYNAMIC_BIND_FN. */
int device_bind(ENGINE *engine, const char *id, const char *name, device_operation *encrypt, device_operation *decrypt);

#endif
