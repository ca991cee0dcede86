/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Functions that AWS-LC alone has. There each is guarded, and one that comes to a paused call runs it to its end first;
 * a program with an OpenSSL finds none of them. */
#include "world.h"

#include <dlfcn.h>

static const char *const names[] = {
#define OCT_DOOR_AWSLC(name, argument) #name,
#include "../../shim/libssl/doors.def"
};

#ifndef OPENSSL_IS_AWSLC
static void test_none_is_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_null(dlsym(RTLD_DEFAULT, names[i]));
    assert_null(dlsym(RTLD_DEFAULT, "SSL_set_private_key_method"));
    assert_non_null(dlsym(RTLD_DEFAULT, "SSL_set_fd"));
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_none_is_there);
}
#else
static const char *object_of(void *function)
{
    Dl_info info;
    assert_int_not_equal(dladdr(function, &info), 0);
    return info.dli_fname;
}

static void test_each_is_guarded(void **state)
{
    const char *shim = object_of(dlsym(RTLD_DEFAULT, "SSL_set_fd"));
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *function = dlsym(RTLD_DEFAULT, names[i]);
        assert_non_null(function);
        assert_string_equal(object_of(function), shim);
    }
}

static uint64_t group(SSL *s)
{
    return SSL_get_group_id(s);
}

static uint64_t retried(SSL *s)
{
    return (uint64_t)SSL_used_hello_retry_request(s);
}

static uint64_t written(SSL *s)
{
    return SSL_get_write_sequence(s) != 0;
}

static uint64_t algorithm(SSL *s)
{
    return SSL_get_peer_signature_algorithm(s);
}

static uint64_t mode(SSL *s)
{
    return SSL_set_mode(s, SSL_MODE_ENABLE_PARTIAL_WRITE) & SSL_MODE_ENABLE_PARTIAL_WRITE;
}

static uint64_t lists(SSL *s)
{
    return (uint64_t)SSL_set1_groups_list(s, "X25519");
}

/* What each of them says of an object whose call has come to its end, and of one that is paused. */
static void test_each_looks(void **state)
{
    uint64_t (*const look[])(SSL *) = {group, retried, written, algorithm, mode, lists};
    const int looks = sizeof look / sizeof look[0];
    (void)state;
    for (int kind = TLS13; kind <= TLS12_RSA; kind++) {
        struct world *w = world_open(EPOLLIN | EPOLLET, (enum kind)kind, looks + 1);
        struct pair *first = &w->pair[0];
        world_hello(w);
        if (kind == TLS12_RSA) /* whose key is used after the client's second flight */
            for (int i = 0; i <= looks; i++) {
                pair_client(&w->pair[i]);
                pair_server(&w->pair[i]);
            }
        for (int i = 0; i < looks; i++) {
            struct pair *p = &w->pair[i + 1];
            assert_true(pair_paused(p));
            const uint64_t said = look[i](p->server);
            assert_false(pair_paused(p));
            if (first->server != NULL && !pair_paused(first))
                assert_int_equal(said, look[i](first->server));
        }
        world_run(w);
        for (int i = 0; i <= looks; i++)
            assert_true(w->pair[i].server_done && w->pair[i].client_done);
        world_exchange(w);
        world_close(w);
    }
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_each_is_guarded, test_each_looks);
}
#endif
