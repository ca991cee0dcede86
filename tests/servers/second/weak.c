/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A program that uses TLS if there is any, and there is none. */
#include <openssl/ssl.h>
#include <stdio.h>

#pragma weak SSL_new
#pragma weak SSL_free
#pragma weak SSL_up_ref
#pragma weak SSL_clear
#pragma weak SSL_shutdown
#pragma weak SSL_do_handshake
#pragma weak SSL_read
#pragma weak SSL_write
#pragma weak SSL_CTX_new

int main(void)
{
    SSL *s = SSL_new != NULL ? SSL_new(NULL) : NULL;
    printf("%s\n", s != NULL ? "an object" : "no object");
    if (SSL_free != NULL)
        SSL_free(s);
    printf("%s\n", SSL_do_handshake != NULL && SSL_do_handshake(s) == 1 ? "a handshake" : "no handshake");
    printf("%s\n", SSL_read != NULL && SSL_read(s, NULL, 0) > 0 ? "bytes" : "no bytes");
    printf("%s\n", SSL_write != NULL && SSL_write(s, NULL, 0) > 0 ? "written" : "not written");
    printf("%s\n", SSL_CTX_new != NULL && SSL_CTX_new(NULL) != NULL ? "a context" : "no context");
    return 0;
}
