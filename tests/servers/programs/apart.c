/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server of two threads, each with a loop of its own on one socket that listens.
 *
 * usage: apart shared|accepts|wide|private|groups [VERSION] PORT KEYS
 *
 * shared   all have one table of descriptors
 * wide     the same, with four threads
 * private  each of the two has a table of its own, as in Traffic Server
 * accepts  the same, and it calls SSL_accept(), which goes on to SSL_do_handshake() by that name
 * groups   each table is that of a pair of threads, as in HAProxy from 3.5 on: four threads in all
 *
 * With REACHED_MAJOR it has its functions from libssl by dlsym(), or by dlvsym() with VERSION.
 */
#include "echo.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static SSL_CTX *ctx;
static int listener, private, four, accepts;

static void *serve(void *unused)
{
    echo_serve(ctx, listener, accepts ? SSL_accept : SSL_do_handshake);
    return unused;
}

static void *lead(void *unused)
{
    pthread_t other;
    if (private && unshare(CLONE_FILES) != 0) {
        perror("unshare");
        exit(3);
    }
    if (four && pthread_create(&other, NULL, serve, NULL) != 0)
        exit(3);
    serve(NULL);
    if (four)
        pthread_join(other, NULL);
    return unused;
}

int main(int count, char **arguments)
{
    pthread_t other;
#ifdef REACHED_MAJOR
    reach(count > 4 ? arguments[2] : NULL);
#endif
    const char *word = arguments[1];
    accepts = strcmp(word, "accepts") == 0;
    private = strcmp(word, "private") == 0 || strcmp(word, "groups") == 0;
    four = strcmp(word, "wide") == 0 || strcmp(word, "groups") == 0;
    ctx = echo_context(arguments[count - 1], "rsa2048");
    listener = echo_listen(arguments[count - 2]);
    if (pthread_create(&other, NULL, lead, NULL) != 0)
        return 3;
    lead(NULL);
    pthread_join(other, NULL);
    puts("\"served\"");
    return 0;
}
