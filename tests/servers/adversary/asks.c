/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server that asks, after each call that wants to read, all that a program can ask without entering the handshake.
 *
 * usage: asks accept|handshake|read PORT KEYS
 *
 * It drives handshakes by SSL_accept(), SSL_do_handshake() or SSL_read(). It prints each answer once, with its
 * question.
 */
#include "host.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <string.h>

#define ANSWERS_MAX 64

struct answer {
    const char *question;
    long value;
};

static struct host host;
static int (*drive)(SSL *);
static struct answer answers[ANSWERS_MAX];
static int answer_count;
static unsigned asked;

static void note(const char *question, long value)
{
    for (int i = 0; i < answer_count; i++)
        if (strcmp(answers[i].question, question) == 0 && answers[i].value == value)
            return;
    if (answer_count < ANSWERS_MAX)
        answers[answer_count++] = (struct answer){question, value};
}

static void ask_bio(BIO *bio, const char *questions[])
{
    note(questions[0], BIO_should_retry(bio) != 0);
    note(questions[1], BIO_should_read(bio) != 0);
    note(questions[2], BIO_should_write(bio) != 0);
    note(questions[3], BIO_should_io_special(bio) != 0);
    note(questions[4], BIO_retry_type(bio));
    note(questions[5], BIO_get_retry_reason(bio));
    note(questions[6], BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0);
    note(questions[7], (long)BIO_pending(bio));
    note(questions[8], (long)BIO_wpending(bio));
    note(questions[9], BIO_method_type(bio));
}

static void ask_all(SSL *ssl, int value, int error)
{
    static const char *of_read[] = {"read should_retry", "read should_read",  "read should_write", "read io_special",
                                    "read retry_type",   "read retry_reason", "read eof",          "read pending",
                                    "read wpending",     "read type"};
    static const char *of_write[] = {
        "write should_retry", "write should_read", "write should_write", "write io_special", "write retry_type",
        "write retry_reason", "write eof",         "write pending",      "write wpending",   "write type"};
    asked++;
    note("errno", error);
    note("value", value);
    note("ERR_peek_error", (long)ERR_peek_error());
    note("ERR_peek_last_error", (long)ERR_peek_last_error());
    note("SSL_get_error", SSL_get_error(ssl, value));
    note("SSL_want", SSL_want(ssl));
    note("SSL_pending", SSL_pending(ssl));
    note("SSL_get_shutdown", SSL_get_shutdown(ssl));
    note("SSL_in_init", SSL_in_init(ssl));
    note("SSL_is_init_finished", SSL_is_init_finished(ssl));
    note("SSL_is_server", SSL_is_server(ssl));
    note("same descriptors", SSL_get_rfd(ssl) == SSL_get_wfd(ssl));
    note("same BIOs", SSL_get_rbio(ssl) == SSL_get_wbio(ssl));
    ask_bio(SSL_get_rbio(ssl), of_read);
    ask_bio(SSL_get_wbio(ssl), of_write);
    /* Behind these the call has been run to its end. By then the client may have answered. */
    note("SSL_has_pending", SSL_has_pending(ssl));
    note("SSL_waiting_for_async", SSL_waiting_for_async(ssl));
    note("SSL_renegotiate_pending", SSL_renegotiate_pending(ssl));
    note("SSL_get_verify_result", SSL_get_verify_result(ssl));
}

static int by_read(SSL *ssl)
{
    char text[4096];
    int n = SSL_read(ssl, text, sizeof text);
    return n > 0 ? SSL_write(ssl, text, n) == n : n;
}

static bool turn(struct guest *guest, uint32_t events)
{
    (void)events;
    if (!SSL_is_init_finished(guest->ssl)) {
        errno = 0;
        int value = drive(guest->ssl);
        if (value != 1) {
            int error = errno;
            if (!host_wants(guest->ssl, value))
                return false;
            ask_all(guest->ssl, value, error);
            return true;
        }
    }
    return host_echo(guest->ssl);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    drive = strcmp(argv[1], "accept") == 0 ? SSL_accept : strcmp(argv[1], "read") == 0 ? by_read : SSL_do_handshake;
    host = (struct host){.ctx = echo_context(argv[3], "rsa2048"), .turn = turn};
    host_serve(echo_listen(argv[2]), &host);
    printf("{\"asked\": %s", asked > 0 ? "true" : "false");
    for (int i = 0; i < answer_count; i++)
        printf(", \"%s = %ld\": true", answers[i].question, answers[i].value);
    printf("}\n");
    return 0;
}
