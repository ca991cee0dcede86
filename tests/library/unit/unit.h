/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What every unit test needs: cmocka with the headers that it wants before it, and checks in a child process. */
#ifndef OCT_TESTS_UNIT_H
#define OCT_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include "run_tests.h"

/* In a child process cmocka's own assertions would run the rest of the tests twice: this one ends the child. */
#define CHILD_ASSERT(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: in the child: %s\n", __FILE__, __LINE__, #condition);                              \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Waits for a child that ended by _exit(0). */
static inline void assert_child_good(pid_t child)
{
    int status;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Runs a function in a child process of its own, for what a process does once. */
static inline void in_child(void (*function)(void *), void *arg)
{
    pid_t child = fork();
    if (child == 0) {
        function(arg);
        _exit(0);
    }
    assert_child_good(child);
}

#endif
