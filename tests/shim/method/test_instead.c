/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A program with a function in front of AWS-LC's X25519_keypair(): libssl calls that one, as it would without us. */
#include "world.h"

#include <dlfcn.h>
#include <openssl/curve25519.h>

static int calls;

void X25519_keypair(uint8_t public_key[32], uint8_t private_key[32])
{
    void (*real)(uint8_t *, uint8_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "X25519_keypair");
    calls++;
    real(public_key, private_key);
}

static void test_called(void **state)
{
    (void)state;
    for (int round = 1; round <= 3; round++) {
        struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 4);
        world_hello(w);
        world_run(w);
        world_close(w);
        assert_int_equal(calls, 8 * round);
    }
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_called);
}
