/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A program that sets ex_data of a connection under a number that it never reserved, as FreeRADIUS does. A handshake
 * follows in memory, and the connection is freed.
 *
 * usage: numbers COUNT FIRST KEYS
 *
 * It uses COUNT numbers from FIRST on. It prints what came of it.
 */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT_MAX 16
#define TURNS     10

static char mine[COUNT_MAX][64];

static void join(SSL *server, SSL *client)
{
    BIO *ours, *theirs;
    if (BIO_new_bio_pair(&ours, 0, &theirs, 0) != 1)
        host_fail("BIO_new_bio_pair");
    SSL_set_bio(server, ours, ours);
    SSL_set_bio(client, theirs, theirs);
}

static bool shake(SSL *server, SSL *client)
{
    bool done = false;
    for (int i = 0; i < TURNS && !done; i++) {
        bool one = SSL_connect(client) == 1;
        done = SSL_accept(server) == 1 && one;
    }
    return done;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const int count = atoi(argv[1]), first = atoi(argv[2]);
    SSL *server = SSL_new(echo_context(argv[3], "rsa2048")), *client = SSL_new(SSL_CTX_new(TLS_client_method()));
    int set = 0, kept = 0;
    join(server, client);
    for (int i = 0; i < count && i < COUNT_MAX; i++)
        set += SSL_set_ex_data(server, first + i, mine[i]);
    bool done = shake(server, client);
    for (int i = 0; i < count && i < COUNT_MAX; i++)
        kept += SSL_get_ex_data(server, first + i) == mine[i];
    SSL_free(server);
    SSL_free(client);
    printf("{\"set\": %d, \"kept\": %d, \"done\": %s}\n", set, kept, done ? "true" : "false");
    return 0;
}
