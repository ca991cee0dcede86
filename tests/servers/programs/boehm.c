/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server whose memory is Boehm's: the collector scans the stacks of threads, from where they stand to their end, for
 * what looks like a pointer.
 *
 * usage: boehm callback|beside main|thread own|openssl PORT KEYS
 *
 * It collects in a callback of handshakes or, beside the server, in another thread. The server runs in the main thread
 * or in another. The collector has the program's own memory, or all of OpenSSL's too.
 */
#define GC_THREADS
#include "echo.h"

#include <gc/gc.h>
#include <openssl/crypto.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINKS 20
#define WORDS 30

#define THREAD_RECORD 2304 /* bytes; 32 keys of pthread_setspecific() are in it */

struct link {
    struct link *next;
    size_t words[WORDS];
};

static bool in_callback, stop;
static unsigned calls, wrong;
static SSL_CTX *outer, *other;
static int listener;

/* Nothing but a local variable of the caller refers to these. */
static struct link *make_links(size_t mark)
{
    struct link *first = NULL;
    for (int i = 0; i < LINKS; i++) {
        struct link *l = GC_MALLOC(sizeof *l);
        l->next = first;
        for (int j = 0; j < WORDS; j++)
            l->words[j] = mark;
        first = l;
    }
    return first;
}

static bool links_good(const struct link *l, size_t mark)
{
    int count = 0;
    for (; l != NULL; l = l->next, count++)
        for (int j = 0; j < WORDS; j++)
            if (l->words[j] != mark)
                return false;
    return count == LINKS;
}

/* What was given up comes back, and is overwritten. */
static void collect(void)
{
    GC_gcollect();
    for (int i = 0; i < 10; i++)
        make_links(0x6b6b6b6b);
}

static void *collect_on(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        collect();
        usleep(300);
    }
    return unused;
}

static int on_name(SSL *ssl, int *alert, void *arg)
{
    struct link *mine = make_links(++calls);
    const unsigned mark = calls;
    (void)alert, (void)arg;
    if (in_callback)
        collect();
    if (!links_good(mine, mark))
        wrong++;
    if (echo_asks_for(ssl, "other"))
        SSL_set_SSL_CTX(ssl, other);
    return SSL_TLSEXT_ERR_OK;
}

/* What OpenSSL keeps for a thread has no other reference than in glibc's record of the thread, which the collector does
 * not scan by itself. */
static void scan_thread_record(void)
{
    char *record = (char *)pthread_self(); /* NOLINT: glibc's handle is the record's address */
    GC_add_roots(record, record + THREAD_RECORD);
}

static int handshake(SSL *ssl)
{
    struct link *mine = make_links((size_t)ssl);
    int value = SSL_accept(ssl);
    if (!links_good(mine, (size_t)ssl))
        wrong++;
    return value;
}

static void *serve(void *unused)
{
    scan_thread_record();
    echo_serve(outer, listener, handshake);
    return unused;
}

static void *collected_malloc(size_t n, const char *file, int line)
{
    (void)file, (void)line;
    return GC_MALLOC(n);
}

static void *collected_realloc(void *p, size_t n, const char *file, int line)
{
    (void)file, (void)line;
    return GC_REALLOC(p, n);
}

/* Nothing is given back but by the collector. */
static void collected_free(void *p, const char *file, int line)
{
    (void)p, (void)file, (void)line;
}

int main(int argc, char **argv)
{
    pthread_t server, collector;
    if (argc != 6)
        return 2;
    in_callback = strcmp(argv[1], "callback") == 0;
    GC_INIT();
    scan_thread_record();
    if (strcmp(argv[3], "openssl") == 0 &&
        !CRYPTO_set_mem_functions(collected_malloc, collected_realloc, collected_free))
        return 3;
    outer = echo_context(argv[5], "rsa2048");
    other = echo_context(argv[5], "ecdsa-p256");
    SSL_CTX_set_tlsext_servername_callback(outer, on_name);
    listener = echo_listen(argv[4]);
    if (!in_callback && pthread_create(&collector, NULL, collect_on, NULL) != 0)
        return 3;
    if (strcmp(argv[2], "main") == 0)
        serve(NULL);
    else if (pthread_create(&server, NULL, serve, NULL) != 0 || pthread_join(server, NULL) != 0)
        return 3;
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    if (!in_callback)
        pthread_join(collector, NULL);
    printf("{\"called\": %s, \"wrong\": %u}\n", calls > 0 ? "true" : "false", wrong);
    fflush(stdout);
    _exit(0); /* what OpenSSL would clean up has been collected */
}
