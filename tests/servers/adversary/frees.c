/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server that verifies clients by a callback of its own, which works on what the program keeps for a connection. It
 * gives a connection up as soon as epoll says that the client has gone: first its own part, then the SSL.
 *
 * usage: frees counts|frees PORT KEYS
 *
 * What it has given up is marked and counted, or really freed.
 */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct own {
    char *name;
    bool given_up;
};

static struct host host;
static bool frees;
static int own_index;
static unsigned calls, late;

static int on_verify(int good, X509_STORE_CTX *store)
{
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct own *own = SSL_get_ex_data(ssl, own_index);
    calls++;
    late += own->given_up || strcmp(own->name, "client") != 0;
    return good;
}

static void welcome(struct guest *guest)
{
    struct own *own = calloc(1, sizeof *own);
    own->name = strdup("client");
    guest->own = own;
    guest->ssl = SSL_new(host.ctx);
    if (guest->ssl == NULL || SSL_set_fd(guest->ssl, guest->fd) != 1 ||
        SSL_set_ex_data(guest->ssl, own_index, own) != 1)
        host_fail("SSL_new");
}

static bool turn(struct guest *guest, uint32_t events)
{
    return (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) == 0 && host_step(guest, events);
}

static void leave(struct guest *guest)
{
    struct own *own = guest->own;
    close(guest->fd);
    own->given_up = true;
    if (frees) {
        free(own->name);
        memset(own, 0x5a, sizeof *own);
        free(own);
    }
    SSL_free(guest->ssl);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 4)
        return 2;
    frees = strcmp(argv[1], "frees") == 0;
    host = (struct host){.ctx = echo_context(argv[3], "rsa2048"), .welcome = welcome, .turn = turn, .leave = leave};
    host.events = EPOLLRDHUP;
    own_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    snprintf(path, sizeof path, "%s/ca.crt", argv[3]);
    if (SSL_CTX_load_verify_locations(host.ctx, path, NULL) != 1)
        host_fail(path);
    SSL_CTX_set_verify(host.ctx, SSL_VERIFY_PEER, on_verify);
    host_serve(echo_listen(argv[2]), &host);
    printf("{\"called\": %s, \"late\": %u}\n", calls > 0 ? "true" : "false", late);
    return 0;
}
