/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server whose connections are BIOs of libssl's (BIO_f_ssl). At each event it drives the handshake and then, whatever
 * came of that, reads and writes, which drives an unfinished handshake too.
 *
 * usage: bio asks|greets PORT KEYS
 *
 * It asks for certificates by KEYS/ca.crt, or greets first. Counted is what went through before a handshake's end.
 */
#include "host.h"

#include <openssl/bio.h>
#include <stdio.h>
#include <string.h>

#define GREETING "220 the greeting\n"

static struct host host;
static bool greets;
static unsigned early, unknown;

static void welcome(struct guest *guest)
{
    guest->bio = BIO_new_ssl(host.ctx, 0);
    if (guest->bio == NULL || BIO_get_ssl(guest->bio, &guest->ssl) != 1)
        host_fail("BIO_new_ssl");
    BIO_push(guest->bio, BIO_new_socket(guest->fd, BIO_CLOSE));
}

static void leave(struct guest *guest)
{
    BIO_free_all(guest->bio);
}

/* What went through although the handshake is not over, or the client is not known. */
static void note(const SSL *ssl)
{
    early += SSL_in_init(ssl) != 0;
    unknown += !greets && (SSL_get0_peer_certificate(ssl) == NULL || SSL_get_verify_result(ssl) != X509_V_OK);
}

static bool greet(struct guest *guest)
{
    int n = BIO_write(guest->bio, GREETING, (int)strlen(GREETING));
    if (n <= 0)
        return BIO_should_retry(guest->bio);
    note(guest->ssl);
    guest->own = guest;
    return true;
}

static bool turn(struct guest *guest, uint32_t events)
{
    char text[4096];
    (void)events;
    if (!SSL_is_init_finished(guest->ssl))
        (void)BIO_do_handshake(guest->bio);
    if (greets && guest->own == NULL && !greet(guest))
        return false;
    for (;;) {
        int n = BIO_read(guest->bio, text, sizeof text);
        if (n <= 0)
            return BIO_should_retry(guest->bio);
        note(guest->ssl);
        if (BIO_write(guest->bio, text, n) != n)
            return false;
    }
}

static void ask(SSL_CTX *ctx, const char *keys)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ca.crt", keys);
    if (SSL_CTX_load_verify_locations(ctx, path, NULL) != 1)
        host_fail(path);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    greets = strcmp(argv[1], "greets") == 0;
    host = (struct host){.ctx = echo_context(argv[3], "rsa2048"), .welcome = welcome, .turn = turn, .leave = leave};
    if (!greets)
        ask(host.ctx, argv[3]);
    host_serve(echo_listen(argv[2]), &host);
    printf("{\"early\": %u, \"unknown\": %u}\n", early, unknown);
    return 0;
}
