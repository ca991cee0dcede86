/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * libssl makes a key pair of X25519 for each handshake. Here it gets one of those that are made eight at a time
 * (batch/pool.h), of AWS-LC's own random bytes: nothing waits for that. Its own calls are led here, so nobody else
 * finds this function. Private keys look as AWS-LC makes them: of the bits that RFC 7748 fixes, each is the wrong one.
 */
#include "libssl/lead.h"
#include "libssl/object.h"
#include "libssl/serves.h"
#include "method/method.h"

#include "batch/pool.h"

#include <dlfcn.h>

#define NAME "X25519_keypair"

static void (*real)(uint8_t *public_key, uint8_t *private_key);

static bool draw(void *awslc, uint8_t *bytes, size_t size)
{
    return ((const struct oct_awslc *)awslc)->RAND_bytes(bytes, size) == 1;
}

static void keypair(uint8_t *public_key, uint8_t *private_key)
{
    const bool on = __atomic_load_n(&oct_shim_mode_now, __ATOMIC_ACQUIRE) == OCT_SHIM_ON;
    const struct oct_awslc *awslc = on ? oct_awslc() : NULL;
    if (awslc == NULL || !oct_pool_take(OCT_OP_X25519_KEYGEN, draw, (void *)awslc, public_key, private_key)) {
        real(public_key, private_key);
        return;
    }
    private_key[0] |= 7;
    private_key[31] = (uint8_t)((private_key[31] & ~64) | 128);
}

/* By this AWS-LC knows that its machine has been started again from a snapshot, and a pool would not. */
static bool is_told_of_snapshots(void)
{
    return access("/dev/sysgenid", F_OK) == 0;
}

/* What libssl calls is AWS-LC's own: nobody else's function stands in front of it. */
static bool is_its_own(void)
{
    return dlsym(RTLD_DEFAULT, NAME) == (void *)real &&
           oct_same_object((void *)real, oct_symbol(NULL, "awslc_api_version_num"));
}

void oct_method_lead_pairs(void)
{
    *(void **)&real = oct_symbol(NULL, NAME);
    const void *libssl = oct_symbol(NULL, "SSL_CTX_new");
    if (real != NULL && libssl != NULL && is_its_own() && !is_told_of_snapshots())
        (void)oct_lead(oct_object_of(libssl), NAME, (void *)keypair);
}
