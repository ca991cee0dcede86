/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A card of the test: an engine whose RSA keys pause the asynchronous job that they find themselves in, for as long as
 * delay.h says, and make the processor wait where there is none. As with a card, a signature costs the processor
 * nothing: OCTUPLE_TEST_CARD_IDLE=1 gives the same one to everybody, which is for load generators that do not look.
 * Otherwise it is made by OpenSSL when the timer is over.
 */
#include "engine.h"

#include "delay.h"

#include <stdlib.h>
#include <string.h>

static int idle;

static int encrypt(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    if (!device_works(device_pause))
        return -1;
    if (!idle)
        return RSA_meth_get_priv_enc(RSA_PKCS1_OpenSSL())(length, from, to, device_key(rsa), padding);
    memset(to, 1, (size_t)RSA_size(rsa));
    return RSA_size(rsa);
}

static int decrypt(int length, const unsigned char *from, unsigned char *to, RSA *rsa, int padding)
{
    return device_works(device_pause)
               ? RSA_meth_get_priv_dec(RSA_PKCS1_OpenSSL())(length, from, to, device_key(rsa), padding)
               : -1;
}

static int bind(ENGINE *engine, const char *id)
{
    (void)id;
    idle = getenv("OCTUPLE_TEST_CARD_IDLE") != NULL;
    return device_bind(engine, "card", "card of the test", encrypt, decrypt);
}

IMPLEMENT_DYNAMIC_CHECK_FN()
IMPLEMENT_DYNAMIC_BIND_FN(bind)
