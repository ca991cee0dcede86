/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: BY_HAND */
/*
 * Key exchanges of a provider that waits: OpenSSL's own X25519 in a provider of the test's, whose derivations sleep or
 * pause. The handshakes of the others go on meanwhile, and all come to one secret with their clients.
 */
#include "world.h"

#include <openssl/async.h>
#include <openssl/core_dispatch.h>
#include <openssl/provider.h>
#include <stdatomic.h>
#include <time.h>

#define PAIRS     6
#define FUNCTIONS 32
#define WAIT_MS   20

static OSSL_DISPATCH functions[FUNCTIONS];
static OSSL_ALGORITHM keys[2], exchanges[2];
static OSSL_FUNC_keyexch_derive_fn *real_derive;
static OSSL_PROVIDER *theirs;
static bool pauses;
static atomic_int at_work, most_at_work;

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* One that pauses names no descriptor: it is asked again and again. */
static int derive(void *context, unsigned char *secret, size_t *length, size_t room)
{
    const int64_t end = now_ms() + WAIT_MS;
    if (secret == NULL)
        return real_derive(context, secret, length, room);
    const int working = atomic_fetch_add(&at_work, 1) + 1;
    if (working > atomic_load(&most_at_work))
        atomic_store(&most_at_work, working);
    while (now_ms() < end)
        if (!pauses || ASYNC_get_current_job() == NULL || !ASYNC_pause_job())
            usleep(1000);
    atomic_fetch_sub(&at_work, 1);
    return real_derive(context, secret, length, room);
}

static const OSSL_ALGORITHM *find(int operation)
{
    int no_cache;
    const OSSL_ALGORITHM *a = OSSL_PROVIDER_query_operation(theirs, operation, &no_cache);
    while (a != NULL && a->algorithm_names != NULL && strncmp(a->algorithm_names, "X25519:", 7) != 0)
        a++;
    return a;
}

static bool fill(void)
{
    const OSSL_ALGORITHM *key = find(OSSL_OP_KEYMGMT), *exchange = find(OSSL_OP_KEYEXCH);
    int n = 0;

    if (key == NULL || exchange == NULL)
        return false;
    for (const OSSL_DISPATCH *d = exchange->implementation; d->function_id != 0 && n < FUNCTIONS - 1; d++, n++) {
        functions[n] = *d;
        if (d->function_id != OSSL_FUNC_KEYEXCH_DERIVE)
            continue;
        real_derive = OSSL_FUNC_keyexch_derive(d);
        functions[n].function = (void (*)(void))derive;
    }
    keys[0] = (OSSL_ALGORITHM){key->algorithm_names, "provider=waits", key->implementation, NULL};
    exchanges[0] = (OSSL_ALGORITHM){exchange->algorithm_names, "provider=waits", functions, NULL};
    return real_derive != NULL;
}

static const OSSL_ALGORITHM *query(void *context, int operation, int *no_cache)
{
    (void)context;
    *no_cache = 0;
    return operation == OSSL_OP_KEYMGMT ? keys : operation == OSSL_OP_KEYEXCH ? exchanges : NULL;
}

/* libssl takes a group from the provider that has its keys. */
static int capabilities(void *context, const char *capability, OSSL_CALLBACK *tell, void *arg)
{
    (void)context;
    return OSSL_PROVIDER_get_capabilities(theirs, capability, tell, arg);
}

static const OSSL_DISPATCH own[] = {{OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query},
                                    {OSSL_FUNC_PROVIDER_GET_CAPABILITIES, (void (*)(void))capabilities},
                                    {0, NULL}};

static int provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                         void **context)
{
    OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
    (void)handle, (void)in;
    theirs = library != NULL ? OSSL_PROVIDER_load(library, "default") : NULL;
    if (theirs == NULL || !fill())
        return 0;
    *context = OSSL_PROVIDER_get0_provider_ctx(theirs);
    *out = own;
    return 1;
}

static SSL_CTX *server_ctx(enum kind kind)
{
    SSL_CTX *ctx = SSL_CTX_new_ex(NULL, "?provider=waits", TLS_server_method()), *plain = world_server_ctx(kind);
    assert_non_null(ctx);
    assert_int_equal(SSL_CTX_use_certificate(ctx, SSL_CTX_get0_certificate(plain)), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(ctx, SSL_CTX_get0_privatekey(plain)), 1);
    SSL_CTX_set_max_proto_version(ctx, SSL_CTX_get_max_proto_version(plain));
    SSL_CTX_set_cipher_list(ctx, "ECDHE");
    return ctx;
}

static void run(SSL_CTX *ctx, enum kind kind)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, kind, 0);
    for (int i = 0; i < PAIRS; i++)
        (void)world_add(w, ctx, EPOLLIN | EPOLLET);
    world_run(w);
    world_exchange(w);
    world_close(w);
}

/* The first of a provider tells what kind it is, so that a process has one of them. */
static void test_exchange(void **state)
{
    struct oct_key_counters before, after;

    (void)state;
    for (enum kind kind = TLS13; kind <= TLS12_ECDHE; kind++) {
        SSL_CTX *ctx = server_ctx(kind);
        run(ctx, kind);
        atomic_store(&most_at_work, 0);
        oct_counters_read_keys(&before);
        run(ctx, kind);
        oct_counters_read_keys(&after);
        assert_int_equal(after.done - before.done, PAIRS);
        assert_int_equal(pauses ? after.by_pausing - before.by_pausing : after.by_threads - before.by_threads, PAIRS);
        assert_true(atomic_load(&most_at_work) > 1);
        assert_string_equal(after.owner[0].name, "waits");
        SSL_CTX_free(ctx);
    }
}

/* With an argument the provider pauses by itself. */
int main(int argc, char **argv)
{
    (void)argv;
    pauses = argc > 1;
    if (pauses && (!ASYNC_is_capable() || getenv("OCTUPLE_TEST_NO_JOBS") != NULL)) {
        printf("SKIPPED: no jobs of OpenSSL's\n");
        return 0;
    }
    world_start();
    if (!OSSL_PROVIDER_add_builtin(NULL, "waits", provider_init) || OSSL_PROVIDER_load(NULL, "waits") == NULL)
        return 1;
    return RUN_TESTS(NULL, NULL, test_exchange);
}
