/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server that calls libssl again and again, instead of waiting for an event.
 *
 * usage: loops accept|read|twice spins|sleeps|yields EVERY main|thread PORT KEYS
 *
 * Every EVERYth connection does so, at its first event: others are in flight meanwhile, in the same loop around epoll.
 * It calls SSL_accept() or SSL_read() until that has a result. "twice": each socket is registered under two
 * descriptors, so that a round has two events for a connection, and each event is one call.
 */
#include "host.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_MAX 8 /* who loops for so long does so forever */

static struct host host;
static int listener;
static bool reads, sleeps, yields;
static unsigned every, count, looped;

static void welcome(struct guest *guest)
{
    guest->ssl = SSL_new(host.ctx);
    if (guest->ssl == NULL || SSL_set_fd(guest->ssl, guest->fd) != 1)
        host_fail("SSL_new");
    if (count++ % every == 0)
        guest->own = guest; /* one that loops */
}

static int call(SSL *ssl, char *text, int size)
{
    return reads ? SSL_read(ssl, text, size) : SSL_accept(ssl);
}

/* Its last value. Ends the program if there is none. */
static int loop(SSL *ssl, char *text, int size)
{
    const time_t end = time(NULL) + SECONDS_MAX;
    while (time(NULL) < end) {
        int value = call(ssl, text, size);
        if (value > 0 || !host_wants(ssl, value))
            return value;
        if (sleeps)
            usleep(200);
        else if (yields)
            sched_yield();
    }
    fprintf(stderr, "a loop has no end, after %u others\n", looped);
    exit(4);
}

static bool turn(struct guest *guest, uint32_t events)
{
    char text[4096];
    if (guest->own == NULL || SSL_is_init_finished(guest->ssl))
        return host_step(guest, events);
    int value = loop(guest->ssl, text, sizeof text);
    if (value <= 0)
        return false;
    looped++;
    return (!reads || SSL_write(guest->ssl, text, value) == value) && host_echo(guest->ssl);
}

static void *serve(void *unused)
{
    host_serve(listener, &host);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 7)
        return 2;
    host = (struct host){.ctx = echo_context(argv[6], "rsa2048"), .welcome = welcome, .turn = turn};
    host.twice = strcmp(argv[1], "twice") == 0;
    reads = strcmp(argv[1], "read") == 0;
    sleeps = strcmp(argv[2], "sleeps") == 0;
    yields = strcmp(argv[2], "yields") == 0;
    every = host.twice ? UINT32_MAX : (unsigned)atoi(argv[3]);
    count = 1; /* the first is no client: it asks whether the port is open */
    listener = echo_listen(argv[5]);
    if (strcmp(argv[4], "thread") == 0) {
        pthread_create(&thread, NULL, serve, NULL);
        pthread_join(thread, NULL);
    } else {
        serve(NULL);
    }
    printf("{\"looped\": %u}\n", looped);
    return 0;
}
