/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. The order in which an SSL object is freed and its socket is closed, and who does so. */
#include "server.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* SSL objects that are freed after their sockets, or used once more; and sockets that are closed after them. */
static SSL *dead[GUESTS], *spare[GUESTS];
static int dead_fds[GUESTS], dead_count, dead_fd_count, spare_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

SSL *end_take_object(void)
{
    SSL *ssl = NULL;
    pthread_mutex_lock(&lock);
    if (spare_count > 0)
        ssl = spare[--spare_count];
    pthread_mutex_unlock(&lock);
    if (ssl == NULL) {
        SSL_CTX *of = context_hold();
        ssl = SSL_new(of);
        SSL_CTX_free(of);
    }
    if (ssl == NULL)
        fail("SSL_new");
    return ssl;
}

static void later(SSL *ssl)
{
    pthread_mutex_lock(&lock);
    dead[dead_count++] = ssl;
    pthread_mutex_unlock(&lock);
}

static void later_fd(int fd)
{
    pthread_mutex_lock(&lock);
    dead_fds[dead_fd_count++] = fd;
    pthread_mutex_unlock(&lock);
}

static void use_again(SSL *ssl)
{
    if (SSL_get_SSL_CTX(ssl) != context || SSL_clear(ssl) != 1) {
        SSL_free(ssl);
        return;
    }
    SSL_set_app_data(ssl, NULL);
    pthread_mutex_lock(&lock);
    spare[spare_count++] = ssl;
    pthread_mutex_unlock(&lock);
}

void end_copy(struct conn *c)
{
    SSL_free(c->copy);
    c->copy = NULL;
}

static void free_object(struct conn *c, SSL *ssl)
{
    if (c->id % 2 != 0)
        end_copy(c);
    BIO_free(c->side);
    BIO_free_all(c->bio); /* one of libssl's says goodbye, and calls back */
    c->freed = true;
    if (c->network != NULL)
        BIO_free(c->network);
    c->network = NULL;
    if (!c->gone && plan_number("reuse", 0) != 0)
        use_again(ssl);
    else if (!plan_is("bio", "ssl"))
        SSL_free(ssl); /* such a BIO has done so */
    end_copy(c);
}

static const char *end_of(const struct conn *c)
{
    static const char *const ends[] = {"free-close", "close-free", "free-later", "close-later", "shutdown"};
    const char *how = plan_text("end", "free-close");
    return strcmp(how, "mix") == 0 ? ends[plan_draw(c->id, "end", 5)] : how;
}

void end_object(struct conn *c)
{
    SSL *ssl = c->ssl;
    const int fd = c->fd;
    const char *how = end_of(c);
    if (c->gone && plan_number("leak", 0) != 0) {
        c->freed = true;
        close(fd);
    } else if (strcmp(how, "close-free") == 0) {
        close(fd);
        free_object(c, ssl);
    } else if (strcmp(how, "free-later") == 0 && c->network == NULL) {
        close(fd);
        c->freed = true;
        later(ssl);
    } else if (strcmp(how, "close-later") == 0) {
        free_object(c, ssl);
        shutdown(fd, SHUT_RDWR);
        later_fd(fd);
    } else {
        if (strcmp(how, "shutdown") == 0 && !c->gone && SSL_is_init_finished(ssl))
            (void)SSL_shutdown(ssl);
        transport_out(c);
        free_object(c, ssl);
        close(fd);
    }
}

void end_bury(bool all)
{
    SSL *ssl = NULL;
    int fd = -1;
    do {
        pthread_mutex_lock(&lock);
        ssl = dead_count > 0 ? dead[--dead_count] : NULL;
        fd = dead_fd_count > 0 ? dead_fds[--dead_fd_count] : -1;
        pthread_mutex_unlock(&lock);
        SSL_free(ssl);
        if (fd >= 0)
            close(fd);
    } while (all && (ssl != NULL || fd >= 0));
    while (all && spare_count > 0)
        SSL_free(spare[--spare_count]);
    if (all)
        sessions_let_go();
}
