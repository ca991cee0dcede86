/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A load for a server that has none yet, on request: full handshakes of TLS 1.3 from loopback for a second, several at
 * a time, and what came of their operations. Nothing is requested, and each connection that stands is closed at once.
 */
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include "doctor.h"

#define NAME         "load"
#define AT_A_TIME    24
#define MILLISECONDS 1000
/* For those that are inside then, and for what the server says last. */
#define PARTING_MILLISECONDS 5000

struct guest {
    SSL *ssl;
    int fd;
    short events; /* that it waits for; 0: its connection is over */
    bool parting; /* it has said all that it has to say */
};

static void leave(struct guest *guest)
{
    SSL_free(guest->ssl);
    if (guest->fd >= 0)
        close(guest->fd);
    *guest = (struct guest){.fd = -1};
}

static bool come(struct guest *guest, SSL_CTX *ctx, const struct doctor_port *port, long deadline)
{
    guest->fd = doctor_connect(port, deadline);
    guest->ssl = guest->fd >= 0 ? SSL_new(ctx) : NULL;
    guest->events = guest->ssl != NULL && SSL_set_fd(guest->ssl, guest->fd) == 1 ? POLLOUT : 0;
    return guest->events != 0;
}

/* What the server says last is read. A connection that is closed before that is reset, and a server that does not
 * ignore SIGPIPE would end of it. */
static void part(struct guest *guest)
{
    char rest[4096];
    const ssize_t got = read(guest->fd, rest, sizeof rest);
    guest->events = got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)) ? POLLIN : 0;
}

/* True: it stands, or waits for what it now says. */
static bool shake(struct guest *guest, unsigned *done)
{
    const int result = SSL_connect(guest->ssl), wants = SSL_get_error(guest->ssl, result);
    guest->events = wants == SSL_ERROR_WANT_READ ? POLLIN : wants == SSL_ERROR_WANT_WRITE ? POLLOUT : 0;
    if (result == 1) {
        (*done)++;
        (void)SSL_shutdown(guest->ssl);
        guest->parting = shutdown(guest->fd, SHUT_WR) == 0;
        guest->events = guest->parting ? POLLIN : 0;
    }
    ERR_clear_error();
    return result == 1 || guest->events != 0;
}

/* Handshakes that were completed. Where one fails, and when the time is over, nobody comes any more. */
static unsigned visit(SSL_CTX *ctx, const struct doctor_port *port)
{
    const long until = doctor_clock() + MILLISECONDS, deadline = until + PARTING_MILLISECONDS;
    struct guest guest[AT_A_TIME];
    struct pollfd fds[AT_A_TIME];
    unsigned done = 0;
    bool good = true;
    for (int i = 0; i < AT_A_TIME; i++)
        guest[i] = (struct guest){.fd = -1};
    for (;;) {
        unsigned inside = 0;
        for (int i = 0; i < AT_A_TIME; i++) {
            if (guest[i].events == 0) {
                leave(&guest[i]);
                good = good && (doctor_clock() >= until || come(&guest[i], ctx, port, until));
            }
            fds[i] = (struct pollfd){.fd = guest[i].fd, .events = guest[i].events};
            inside += guest[i].events != 0;
        }
        const long left = deadline - doctor_clock();
        if (inside == 0 || left <= 0 || poll(fds, AT_A_TIME, (int)left) <= 0)
            break;
        for (int i = 0; i < AT_A_TIME; i++)
            if (fds[i].revents != 0 && guest[i].parting)
                part(&guest[i]);
            else if (fds[i].revents != 0)
                good &= shake(&guest[i], &done);
    }
    for (int i = 0; i < AT_A_TIME; i++)
        leave(&guest[i]);
    return done;
}

static unsigned make(const struct doctor_port *port)
{
    unsigned done = 0;
    OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    OSSL_PROVIDER *standard = library != NULL ? OSSL_PROVIDER_load(library, "default") : NULL;
    SSL_CTX *ctx = standard != NULL ? SSL_CTX_new_ex(library, NULL, TLS_client_method()) : NULL;
    if (ctx != NULL) {
        SSL_CTX_set_security_level(ctx, 0);
        SSL_CTX_set_verify(ctx, SSL_VERIFY_NONE, NULL);
        done = visit(ctx, port);
    }
    SSL_CTX_free(ctx);
    OSSL_PROVIDER_unload(standard);
    OSSL_LIB_CTX_free(library);
    ERR_clear_error();
    return done;
}

void doctor_make_load(struct doctor_report *report, struct doctor_target *target, unsigned number)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    struct doctor_port port = {.size = sizeof(struct sockaddr_in)};
    const struct doctor_lanes was = target->lanes;
    const struct doctor_lanes *now = &target->lanes;
    *(struct sockaddr_in *)(void *)&port.address = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)number), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    sigaction(SIGPIPE, &ignore, &before);
    const unsigned done = make(&port);
    sigaction(SIGPIPE, &before, NULL);
    doctor_lanes_of_target(target);
    if (done == 0)
        doctor_say(report, SAY(LOAD_NONE), number);
    else
        doctor_add(report, DOCTOR_OK, NAME, NULL,
                   "%u handshakes at 127.0.0.1:%u in a second, %d at a time: %" PRIu64
                   " operations went through lanes, %" PRIu64 " fell back; %" PRIu64 " handshakes waited for others",
                   done, number, AT_A_TIME, now->lanes - was.lanes, now->fallback - was.fallback,
                   now->stays.paused - was.stays.paused);
}
