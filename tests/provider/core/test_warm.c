/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS once TIMEOUT 60 SOURCES provider/core/warm.c */
/* What a private key makes its process, and that process's parent, do before the next fork: provider/core/warm.c by
 * itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/call_scope.h"
#include "provider/core/key.h"
#include "provider/core/provider.h"
#include "provider/core/warm.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARM 3

static int sign = 7; /* the operation of the key; each test has another, since once is enough for each */
static unsigned signed_tests, warm_tests, contexts, warmed;

/* What warm.c calls. */
int oct_op_is_on(int op)
{
    signed_tests += op == sign;
    warm_tests += op == WARM;
    ERR_raise(ERR_LIB_USER, 1);
    errno = EDOM;
    return 1;
}

const struct oct_fallback *oct_fallback_get(struct oct_prov *prov)
{
    static const struct oct_fallback fallback;
    (void)prov;
    contexts++;
    return &fallback;
}

void oct_fallback_warm(OSSL_LIB_CTX *ctx)
{
    (void)ctx;
    warmed++;
}

bool oct_prov_key_try_up_ref(struct oct_prov_key *key)
{
    return key->references != 0 && ++key->references != 0;
}

void oct_prov_key_free(void *key)
{
    ((struct oct_prov_key *)key)->references--;
}

static const struct oct_warm warm[] = {{WARM, OCT_PROV_SWITCH_rsa}, {-1, 0}};
static const struct oct_prov_family family = {.warm = warm}, quiet;
const struct oct_prov_family *const oct_prov_families[OCT_FAMILIES] = {&family, [1 ... OCT_FAMILIES - 1] = &quiet};

static int nothing(void)
{
    return 0;
}

static int asks(void)
{
    oct_warm_ask(sign);
    return 0;
}

static int is_ready(void)
{
    return signed_tests == 1 && warm_tests == 1 && contexts == 1 && warmed == 1 ? 0 : 1;
}

/* A child, and what it says in the end. */
static int in_child(int (*run)(void))
{
    const pid_t child = fork();
    int status = -1;
    if (child == 0)
        _exit(run());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int begin_test(void **state)
{
    (void)state;
    sign++;
    signed_tests = warm_tests = contexts = warmed = 0;
    return 0;
}

static void expect(unsigned times)
{
    assert_int_equal(signed_tests, times);
    assert_int_equal(warm_tests, times);
    assert_int_equal(contexts, times);
    assert_int_equal(warmed, times);
}

static void test_child_asks(void **state)
{
    (void)state;
    assert_int_equal(in_child(nothing), 0);
    assert_int_equal(in_child(asks), 0);
    expect(0);
    errno = 0;
    assert_int_equal(in_child(is_ready), 0);
    assert_int_equal(ERR_peek_error(), 0);
    expect(1);
    assert_int_equal(in_child(is_ready), 0);
    expect(1);
}

/* Each fork would pay for it again. */
static void test_once(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(in_child(asks), 0);
    expect(1);
}

/* A fork in the midst of a handshake call, as a handler of crashes makes it, leaves that to the next. */
static void test_inside_a_call(void **state)
{
    (void)state;
    oct_warm_ask(sign);
    oct_call_scope_begin();
    assert_int_equal(in_child(nothing), 0);
    oct_call_scope_end();
    expect(0);
    assert_int_equal(in_child(is_ready), 0);
    expect(1);
}

/* A server that is about to fork its workers. */
static void test_own_keys(void **state)
{
    (void)state;
    oct_warm_ask(sign);
    expect(0);
    assert_int_equal(in_child(is_ready), 0);
    expect(1);
    oct_warm_ask(sign);
    assert_int_equal(in_child(is_ready), 0);
    expect(1);
}

static unsigned made;

static void make(void *key)
{
    assert_int_equal(((struct oct_prov_key *)key)->references, 2);
    made++;
}

static int all_are_made(void)
{
    return made == 3 ? 0 : 1;
}

/* What keys have put off is made before a fork, once, unless they go before. */
static void test_put_off(void **state)
{
    struct oct_prov_key key[6];
    (void)state;
    for (int i = 0; i < 6; i++) {
        key[i] = (struct oct_prov_key){.references = 1};
        oct_warm_put_off(&key[i], make);
        oct_warm_put_off(&key[i], make);
    }
    oct_warm_forget(&key[0]);
    oct_warm_forget(&key[0]);
    oct_warm_forget(&key[5]);
    key[3].references = 0; /* its last reference is gone, and its thread waits for the lock */
    assert_int_equal(in_child(nothing), 0);
    assert_int_equal(made, 0); /* nobody has taken over a key */
    oct_warm_ask(sign);
    assert_int_equal(in_child(all_are_made), 0);
    oct_warm_forget(&key[3]);
    oct_warm_ask(sign);
    assert_int_equal(in_child(all_are_made), 0);
    for (int i = 0; i < 6; i++)
        assert_true(key[i].references == (i != 3) && key[i].off_link == NULL);
}

static int daemon_of_children(void)
{
    sign++;
    signed_tests = warm_tests = contexts = warmed = 0;
    if (in_child(asks) != 0 || signed_tests != 0)
        return 1;
    return in_child(is_ready);
}

/* A daemon is a child itself, and what its children ask for is not its parent's business. */
static void test_daemon(void **state)
{
    (void)state;
    assert_int_equal(in_child(daemon_of_children), 0);
    assert_int_equal(in_child(nothing), 0);
    expect(0);
}

/* What was asked waits for the next provider, and what was ready for the last one is not for that. */
static void test_no_provider(void **state)
{
    struct oct_prov *prov = *state;
    assert_int_equal(in_child(asks), 0);
    oct_warm_end(prov);
    assert_int_equal(in_child(nothing), 0);
    expect(0);
    oct_warm_begin(prov);
    assert_int_equal(in_child(nothing), 0);
    expect(1);
    oct_warm_end(prov);
    oct_warm_begin(prov);
    assert_int_equal(in_child(asks), 0);
    assert_int_equal(in_child(nothing), 0);
    expect(2);
}

int main(void)
{
    static struct oct_prov prov = {.settings = {.on = {[OCT_PROV_SWITCH_rsa] = true}}};
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_child_asks, begin_test),
                                       cmocka_unit_test_setup(test_once, begin_test),
                                       cmocka_unit_test_setup(test_own_keys, begin_test),
                                       cmocka_unit_test_setup(test_put_off, begin_test),
                                       cmocka_unit_test_setup(test_inside_a_call, begin_test),
                                       cmocka_unit_test_setup(test_daemon, begin_test),
                                       {"test_no_provider", test_no_provider, begin_test, NULL, &prov}};
    oct_warm_begin(&prov);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
