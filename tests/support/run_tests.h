/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A test program by the list of its tests, which cmocka names as the list does. Include this after <cmocka.h>. */
#ifndef OCT_TESTS_RUN_TESTS_H
#define OCT_TESTS_RUN_TESTS_H

#include <string.h>

#define RUN_TESTS_MOST 64 /* what is left empty of them cmocka passes over */
#define RUN_TESTS(setup, teardown, ...)                                                                                \
    run_listed(setup, teardown, (char[]){#__VA_ARGS__}, (const CMUnitTestFunction[RUN_TESTS_MOST]){__VA_ARGS__})

static inline int run_listed(CMFixtureFunction setup, CMFixtureFunction teardown, char *names,
                             const CMUnitTestFunction functions[RUN_TESTS_MOST])
{
    struct CMUnitTest tests[RUN_TESTS_MOST] = {0};
    for (int i = 0; i < RUN_TESTS_MOST && functions[i] != NULL; i++, names = NULL) {
        tests[i].name = strtok(names, ", ");
        tests[i].test_func = functions[i];
    }
    return cmocka_run_group_tests(tests, setup, teardown);
}

#endif
