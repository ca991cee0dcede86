/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What it takes to pause a call and to resume it, by the size of its part of the stack: shim/handshake/slice_switch.c
 * by itself. `speed_slices [BYTES...]` prints nanoseconds for both together, the least of many runs.
 */
#include "handshake/slice.h"

#include <alloca.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define GAP    32768
#define ROUNDS 2000
#define RUNS   200

/* What the switch calls. */
static const struct oct_ssl_functions functions = {.CRYPTO_malloc = CRYPTO_malloc, .CRYPTO_free = CRYPTO_free};
const struct oct_ssl_functions *oct_ssl_served = &functions;

void oct_switch_copied(struct oct_switch *s)
{
    (void)s;
}

static struct oct_switch at;
static size_t bytes;

static void pauses(void *arg)
{
    char *room = alloca(bytes);
    memset(room, 1, bytes);
    for (int i = 0; i < RUNS * ROUNDS; i++)
        if (!oct_switch_leave(&at))
            abort();
    *(char *)arg = room[bytes / 2];
}

static __attribute__((noinline)) double least(void)
{
    const uintptr_t top = ((uintptr_t)__builtin_frame_address(0) - GAP) & ~(uintptr_t)15;
    double best = 1e9;
    char end;

    at = (struct oct_switch){.top = top};
    if (oct_switch_begin(&at, pauses, &end, top))
        abort();
    for (int run = 0; run < RUNS; run++) {
        const uint64_t begin = oct_clock_nanoseconds();
        for (int i = 0; i < ROUNDS; i++)
            if (oct_switch_resume(&at) != (run == RUNS - 1 && i == ROUNDS - 1))
                abort();
        const double took = (double)(oct_clock_nanoseconds() - begin) / ROUNDS;
        best = took < best ? took : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    static const size_t usual[] = {512, 1024, 2048, 4096, 8192};
    for (int i = 1; i < argc || (argc == 1 && i <= (int)(sizeof usual / sizeof *usual)); i++) {
        bytes = argc > 1 ? strtoul(argv[i], NULL, 10) : usual[i - 1];
        if (bytes < 64 || bytes > 65536)
            return 2;
        const double took = least();
        printf("%6zu bytes: paused and resumed in %.0f ns\n", at.copy.size, took);
        oct_stack_copy_free(&at.copy);
    }
    return 0;
}
