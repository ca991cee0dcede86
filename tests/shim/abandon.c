/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What is left of connections that a server closes while their handshake is paused. OpenSSL has no way to end a paused
 * fibre: SSL_free() leaves it behind with its stack and what the handshake holds (HAProxy's issue 3453). The shim runs
 * it to its end first.
 *
 * usage: abandon native|shim CONNECTIONS: a server that uses SSL_MODE_ASYNC itself (without the shim), or one that
 * knows nothing of it. Prints what OpenSSL has allocated and not freed, and by how much the process has grown.
 */
#include "world.h"

#include <stdio.h>

#define ROUND 8

static long resident_kb(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
        abort();
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A world of paused connections that is closed as it is; how many were paused. */
static int abandon(bool native)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, ROUND);
    if (native)
        for (int i = 0; i < ROUND; i++)
            SSL_set_mode(w->pair[i].server, SSL_MODE_ASYNC);
    int paused = world_hello(w);
    world_close(w);
    ERR_clear_error();
    return paused;
}

int main(int argc, char **argv)
{
    const bool native = argc == 3 && strcmp(argv[1], "native") == 0;
    const int wanted = argc == 3 ? atoi(argv[2]) : 0;
    int paused = 0;
    if (wanted <= 0 || (!native && strcmp(argv[1], "shim") != 0)) {
        fprintf(stderr, "usage: abandon native|shim CONNECTIONS\n");
        return 2;
    }
    world_start();
    abandon(native); /* what is made once */
    long allocations = world_allocations(), resident = resident_kb();
    while (paused < wanted) {
        int more = abandon(native);
        if (more == 0) {
            fprintf(stderr, "no handshake was paused\n");
            return 1;
        }
        paused += more;
    }
    printf("{\"abandoned\": %d, \"allocations_left\": %ld, \"grown_kb\": %ld}\n", paused,
           world_allocations() - allocations, resident_kb() - resident);
    return 0;
}
