/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "lattice_guard.h"

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "own_stack.h"

#define LANES       8
#define STACK_LIMIT (8 * 1024)

uint8_t *guarded(size_t len)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *p = mmap(NULL, len + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(mprotect(p + page, len, PROT_READ | PROT_WRITE), 0);
    return p + page;
}

void *guarded_workspace(uint8_t *room, size_t len)
{
    return room + GUARD_WORKSPACE - (len + 63) / 64 * 64;
}

void lattice_guard_edges(const struct lattice_guard *guard)
{
    for (unsigned t = 0; t < guard->tables; t++)
        for (int set = 0; set < guard->sets; set++)
            for (unsigned lanes = 1; lanes <= LANES; lanes++)
                for (int at_end = 0; at_end < 2; at_end++) {
                    guard->place(t, set, lanes, at_end);
                    assert_int_equal(guard->run(t, set), 0);
                }
}

struct call {
    const struct lattice_guard *guard;
    unsigned table;
    int set, failed;
    uint8_t *top;
};

static OCT_NOINLINE void *body(void *p)
{
    struct call *c = p;
    c->top = __builtin_frame_address(0);
    c->failed = c->guard->run(c->table, c->set);
    return NULL;
}

static void measure(const struct lattice_guard *guard, unsigned table, int set, uint8_t *stack)
{
    struct call c = {.guard = guard, .table = table, .set = set};
    guard->place(table, set, LANES, 1);
    own_stack_run(stack, body, &c);
    assert_int_equal(c.failed, 0);
    const size_t depth = own_stack_depth(stack, c.top);
    print_message("table %s, set %d: %zu bytes of stack\n", guard->name(table), set, depth);
#if !defined(GUARD_FRAMES_DIFFER)
    assert_true(depth <= STACK_LIMIT);
#endif
}

void lattice_guard_stack(const struct lattice_guard *guard)
{
    uint8_t *stack = own_stack_new();
    for (unsigned t = 0; t < guard->tables; t++)
        for (int set = 0; set < guard->sets; set++)
            measure(guard, t, set, stack);
    free(stack);
}
