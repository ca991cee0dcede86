/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A device of the test: an engine whose RSA keys take as long as delay.h says, and make the processor wait. */
#include "engine.h"

#include "delay.h"

static int encrypt(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    return device_works(device_nap)
               ? RSA_meth_get_priv_enc(RSA_PKCS1_OpenSSL())(length, from, to, device_key(rsa), padding)
               : -1;
}

static int decrypt(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    return device_works(device_nap)
               ? RSA_meth_get_priv_dec(RSA_PKCS1_OpenSSL())(length, from, to, device_key(rsa), padding)
               : -1;
}

static int bind(ENGINE *engine, const char *id)
{
    (void)id;
    return device_bind(engine, "slow", "slow device of the test", encrypt, decrypt);
}

IMPLEMENT_DYNAMIC_CHECK_FN()
IMPLEMENT_DYNAMIC_BIND_FN(bind)
