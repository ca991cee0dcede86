/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The info callback of a handshake that may be given up while it is paused. libssl reads it when a call begins and
 * keeps it to the call's end, across a pause, so that silencing the object later comes too late. A program whose
 * connection has ended, and that has freed what belongs to it, would still be called. So libssl finds this one inside
 * its calls, and it asks anew each time. Outside of them the object has the program's own.
 */
#include "handshake/above.h"
#include "handshake/slice.h"
#include "handshake/thread.h"

static void veil(const SSL *s, int where, int ret)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    const struct oct_thread *t = oct_thread_peek();
    const struct oct_conn *inside = t != NULL ? t->innermost : NULL;
    const struct oct_conn *conn = inside != NULL && inside->ssl == s ? inside : oct_conn_find(s);
    oct_info_callback *info = conn != NULL ? conn->info : NULL;

    if (info == NULL)
        info = ssl->SSL_CTX_get_info_callback(ssl->SSL_get_SSL_CTX(s));
    if (info != NULL)
        info(s, where, ret);
    if (oct_method_part != NULL && where == SSL_CB_ACCEPT_LOOP && conn != NULL)
        oct_method_part->step((struct oct_conn *)conn);
}

bool oct_veil_is_due(const struct oct_conn *conn)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    return oct_keys_part != NULL || ssl->SSL_get_info_callback(conn->ssl) != NULL ||
           ssl->SSL_CTX_get_info_callback(ssl->SSL_get_SSL_CTX(conn->ssl)) != NULL;
}

void oct_veil_put_on(struct oct_conn *conn)
{
    conn->info = oct_ssl()->SSL_get_info_callback(conn->ssl);
    oct_ssl()->SSL_set_info_callback(conn->ssl, veil);
}

/* A callback may have set another meanwhile, which stays. */
void oct_veil_take_off(struct oct_conn *conn)
{
    if (oct_ssl()->SSL_get_info_callback(conn->ssl) == veil)
        oct_ssl()->SSL_set_info_callback(conn->ssl, conn->info);
}
