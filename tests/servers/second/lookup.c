/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A program that looks for OpenSSL's functions by name, in all that is loaded or in each library by itself.
 *
 * usage: lookup default|handle LIBSSL...
 */
#include <dlfcn.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *find(const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL) {
        printf("no %s\n", name);
        exit(3);
    }
    return found;
}

#define LOOK_UP(name)                                                                                                  \
    __typeof__(name) *own_##name;                                                                                      \
    *(void **)&own_##name = find(#name)

/* One handshake between two ends in memory. */
static int handshake(void)
{
    LOOK_UP(SSL_CTX_new);
    LOOK_UP(TLS_method);
    LOOK_UP(SSL_new);
    LOOK_UP(SSL_free);
    LOOK_UP(SSL_CTX_free);
    LOOK_UP(SSL_set_bio);
    LOOK_UP(SSL_set_accept_state);
    LOOK_UP(SSL_set_connect_state);
    LOOK_UP(SSL_do_handshake);
    LOOK_UP(SSL_get_error);
    LOOK_UP(SSL_CTX_set_security_level);
    LOOK_UP(SSL_CTX_set_cipher_list);
    LOOK_UP(BIO_new);
    LOOK_UP(BIO_s_mem);
    LOOK_UP(BIO_ctrl);
    SSL_CTX *ctx = own_SSL_CTX_new(own_TLS_method());
    /* Without a certificate: both ends are anonymous, in TLS 1.2. */
    own_SSL_CTX_set_security_level(ctx, 0);
    own_SSL_CTX_set_cipher_list(ctx, "aNULL");
    SSL *ends[2] = {own_SSL_new(ctx), own_SSL_new(ctx)};
    BIO *there = own_BIO_new(own_BIO_s_mem()), *back = own_BIO_new(own_BIO_s_mem());
    LOOK_UP(BIO_up_ref);
    LOOK_UP(SSL_ctrl);
    own_BIO_ctrl(there, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, NULL);
    own_BIO_ctrl(back, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, NULL);
    own_BIO_up_ref(there);
    own_BIO_up_ref(back);
    own_SSL_set_bio(ends[0], there, back);
    own_SSL_set_bio(ends[1], back, there);
    own_SSL_set_accept_state(ends[0]);
    own_SSL_set_connect_state(ends[1]);
    own_SSL_ctrl(ends[0], SSL_CTRL_SET_MAX_PROTO_VERSION, TLS1_2_VERSION, NULL);
    int done = 0;
    for (int turn = 0; turn < 10; turn++) {
        const int client = own_SSL_do_handshake(ends[1]), server = own_SSL_do_handshake(ends[0]);
        done = client == 1 && server == 1;
        if (server != 1 && own_SSL_get_error(ends[0], server) != SSL_ERROR_WANT_READ)
            printf("the server has failed\n");
    }
    own_SSL_free(ends[0]);
    own_SSL_free(ends[1]);
    own_SSL_CTX_free(ctx);
    return done;
}

int main(int count, char **arguments)
{
    const int in_all = strcmp(arguments[1], "default") == 0;
    void *handles[8];
    for (int i = 2; i < count; i++) {
        handles[i] = dlopen(arguments[i], RTLD_NOW | (in_all ? RTLD_GLOBAL : RTLD_LOCAL));
        if (handles[i] == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 3;
        }
    }
    for (int round = 0; round < 2; round++)
        for (int i = 2; i < count; i++) {
            library = in_all ? RTLD_DEFAULT : handles[i];
            printf("%s\n", handshake() ? "a handshake" : "no handshake");
        }
    return 0;
}
