/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * See server.h. A call stands on a coroutine's stack for the guests of `co=MOD:REST`. With `host=1` it is the loop that
 * stands on one, and calls stand on the thread's own stack, as long as no other does.
 */
#include "server.h"

#include <stdlib.h>
#include <sys/mman.h>

#define STACK_BYTES (512 * 1024)
#define LOOP_BYTES  (2 * 1024 * 1024)

struct coroutine {
    ucontext_t own, back;
    struct conn *c;
    void *stack;
    bool suspended, over;
};

static struct coroutine host;
static bool hosts;
static void (*host_run)(struct loop *);
static struct loop *host_loop;

static void *stack_new(size_t n)
{
    void *stack = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED)
        fail("mmap");
    return stack;
}

/* A pointer comes in halves: makecontext() passes integers. */
static void enter(unsigned high, unsigned low)
{
    struct coroutine *co = (struct coroutine *)((uintptr_t)high << 32 | low);
    conn_call(co->c);
    co->suspended = false;
    setcontext(&co->back);
}

static void begin(struct coroutine *co)
{
    getcontext(&co->own);
    co->own.uc_stack.ss_sp = co->stack;
    co->own.uc_stack.ss_size = STACK_BYTES;
    co->own.uc_link = NULL;
    makecontext(&co->own, (void (*)(void))enter, 2, (unsigned)((uintptr_t)co >> 32), (unsigned)(uintptr_t)co);
}

/* Calls of others may stand on a coroutine's stack too. */
static _Thread_local int small;

bool coroutine_is_small(void)
{
    return small > 0;
}

static void let_run(struct coroutine *co)
{
    co->suspended = false;
    small++;
    swapcontext(&co->back, &co->own);
    small--;
}

void coroutine_call(struct conn *c)
{
    if (plan_picks("co", c->id)) {
        if (c->coroutine == NULL) {
            c->coroutine = calloc(1, sizeof *c->coroutine);
            c->coroutine->stack = stack_new(STACK_BYTES);
            c->coroutine->c = c;
        }
        begin(c->coroutine);
        let_run(c->coroutine);
    } else if (hosts && host.c == NULL) {
        c->coroutine = &host;
        host.c = c;
        let_run(&host);
    } else {
        conn_call(c);
    }
}

bool coroutine_suspended(const struct conn *c)
{
    return c->coroutine != NULL && c->coroutine->suspended;
}

void coroutine_resume(struct conn *c)
{
    let_run(c->coroutine);
}

bool coroutine_yield(struct conn *c)
{
    struct coroutine *co = c->coroutine;
    if (co == NULL)
        return false;
    co->suspended = true;
    c->wait_rounds = 1 + (int)plan_draw(c->id, "yield", 4);
    swapcontext(&co->own, &co->back);
    return true;
}

static void enter_loop(void)
{
    host_run(host_loop);
    host.over = true;
    setcontext(&host.own);
}

/* The thread's own stack is a coroutine among others, which waits for calls to make. */
void coroutine_host(void (*run)(struct loop *), struct loop *loop)
{
    host_run = run;
    host_loop = loop;
    hosts = true;
    getcontext(&host.back);
    host.back.uc_stack.ss_sp = stack_new(LOOP_BYTES);
    host.back.uc_stack.ss_size = LOOP_BYTES;
    makecontext(&host.back, enter_loop, 0);
    swapcontext(&host.own, &host.back);
    while (!host.over) {
        conn_call(host.c);
        host.c->coroutine = NULL;
        host.c = NULL;
        host.suspended = false;
        swapcontext(&host.own, &host.back);
    }
}
