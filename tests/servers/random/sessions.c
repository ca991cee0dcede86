/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. Sessions that the program keeps: objects that it holds, and a cache of its own. */
#include "server.h"

#include <openssl/err.h>
#include <string.h>

#define KEPT_MAX (8 * GUESTS)
#define DER_MAX  4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static SSL_SESSION *held[KEPT_MAX];
static int held_count;

/* What it looks like at the end of its connection is no matter: libssl marks an object there as not to be resumed. */
static struct {
    unsigned char id[SSL_MAX_SSL_SESSION_ID_LENGTH], der[DER_MAX];
    unsigned id_length;
    int length;
} cache[KEPT_MAX];
static int cache_count;

void sessions_hold(SSL *ssl)
{
    SSL_SESSION *session = SSL_get1_session(ssl);
    pthread_mutex_lock(&lock);
    if (session != NULL && held_count < KEPT_MAX)
        held[held_count++] = session;
    else
        SSL_SESSION_free(session);
    pthread_mutex_unlock(&lock);
}

void sessions_let_go(void)
{
    while (held_count > 0)
        SSL_SESSION_free(held[--held_count]);
}

void sessions_store(SSL_SESSION *session)
{
    unsigned length;
    const unsigned char *id = SSL_SESSION_get_id(session, &length);
    pthread_mutex_lock(&lock);
    unsigned char *to = cache[cache_count].der;
    const int n = i2d_SSL_SESSION(session, NULL);
    if (cache_count < KEPT_MAX - 1 && n > 0 && n <= DER_MAX) {
        memcpy(cache[cache_count].id, id, length);
        cache[cache_count].id_length = length;
        cache[cache_count++].length = i2d_SSL_SESSION(session, &to);
    }
    pthread_mutex_unlock(&lock);
}

static SSL_SESSION *find(SSL *ssl, const unsigned char *id, int length, int *copy)
{
    SSL_SESSION *found = NULL;
    (void)ssl;
    *copy = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < cache_count && found == NULL; i++) {
        const unsigned char *from = cache[i].der;
        if (cache[i].id_length == (unsigned)length && memcmp(cache[i].id, id, cache[i].id_length) == 0)
            found = d2i_SSL_SESSION(NULL, &from, cache[i].length);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void sessions_use(SSL_CTX *ctx)
{
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_SERVER | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_get_cb(ctx, find);
}
