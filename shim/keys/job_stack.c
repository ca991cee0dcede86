/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Stacks for jobs of OpenSSL's, in which operations of providers and engines run that pause by themselves (pausing.c).
 * libcrypto allocates 32 KB for one, without a guard, and not every provider that is tried in one knows of that. So
 * jobs that are made for the shim get a larger stack, with a guard page below it; memory is taken only where it is
 * used.
 *
 * From 3.2 on OpenSSL asks for stacks by a function that can be set, until it has made its first job; then all of the
 * process's jobs get such stacks, and libcrypto frees them with their jobs. OpenSSL 3.0 has no way to ask for that;
 * makecontext() is where a job learns of its stack. libcrypto keeps its own allocation, which it frees by itself when
 * the job goes; its address tells which stack of ours has become free. What remains goes with the thread.
 */
#include "handshake/thread.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

#define STACK_BYTES (512 * 1024)
#define GUARD_BYTES 4096

/* More than anybody passes; glibc takes each as a word. */
#define ARGUMENTS_MAX 24

struct oct_stack {
    struct oct_stack *next;
    const void *owner; /* libcrypto's own stack for the same job; NULL: a spare one */
    void *memory;
};

/* libcrypto calls for the stacks. */
static bool libcrypto_asks;

/* STACK_BYTES, the guard page included, or NULL. */
static void *memory_new(void)
{
    void *memory =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (mprotect(memory, GUARD_BYTES, PROT_NONE) == 0)
        return memory;
    munmap(memory, STACK_BYTES);
    return NULL;
}

static void *stack_asked_for(size_t *bytes)
{
    *bytes = STACK_BYTES;
    return memory_new();
}

/* A job that got no stack is freed too. */
static void stack_given_back(void *memory)
{
    if (memory != NULL)
        munmap(memory, STACK_BYTES);
}

void oct_job_stack_setup(void)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    void *(*set)(size_t *) = NULL;
    Dl_info setter, where;

    if (ssl->ASYNC_set_mem_functions == NULL || ssl->ASYNC_get_mem_functions == NULL)
        return;
    ssl->ASYNC_get_mem_functions(&set, NULL);
    /* Those that are set have to be libcrypto's own: a program with stacks of its own keeps them. */
    libcrypto_asks = set != NULL && dladdr((void *)ssl->ASYNC_set_mem_functions, &setter) != 0 &&
                     dladdr((void *)set, &where) != 0 && where.dli_fbase == setter.dli_fbase &&
                     ssl->ASYNC_set_mem_functions(stack_asked_for, stack_given_back) == 1;
}

/* The spare one, if there is any, is the first of the list. */
bool oct_job_stack_prepare(struct oct_thread *t)
{
    if (libcrypto_asks || (t->stacks != NULL && t->stacks->owner == NULL))
        return true;
    struct oct_stack *stack = malloc(sizeof *stack);
    void *memory = stack == NULL ? NULL : memory_new();
    if (memory == NULL) {
        free(stack);
        return false;
    }
    *stack = (struct oct_stack){.next = t->stacks, .memory = memory};
    t->stacks = stack;
    return true;
}

void oct_job_stack_end(struct oct_thread *t)
{
    while (t->stacks != NULL) {
        struct oct_stack *stack = t->stacks;
        t->stacks = stack->next;
        munmap(stack->memory, STACK_BYTES);
        free(stack);
    }
}

/* A stack whose owner is allocated anew is the stack of a job that is gone. */
static struct oct_stack *stack_for(struct oct_thread *t, const void *owner)
{
    for (struct oct_stack *stack = t->stacks; stack != NULL; stack = stack->next)
        if (stack->owner == owner)
            return stack;
    if (t->stacks == NULL || t->stacks->owner != NULL)
        return NULL;
    t->stacks->owner = owner;
    return t->stacks;
}

__attribute__((visibility("default"))) void makecontext(ucontext_t *context, void (*function)(void), int count, ...)
{
    struct oct_thread *t = oct_thread_peek();
    /* A callback in the job may make a coroutine of its own, which keeps the stack that it was given. */
    const bool ours = t != NULL && t->makes_job && count == 0 &&
                      oct_same_object(__builtin_return_address(0), (const void *)oct_ssl()->ASYNC_get_current_job);
    struct oct_stack *stack = ours ? stack_for(t, context->uc_stack.ss_sp) : NULL;
    long a[ARGUMENTS_MAX] = {0};
    va_list list;

    if (stack != NULL) {
        stack_t own = context->uc_stack;
        context->uc_stack.ss_sp = stack->memory;
        context->uc_stack.ss_size = STACK_BYTES;
        oct_libc()->makecontext(context, function, 0);
        context->uc_stack = own;
        return;
    }
    va_start(list, count);
    for (int i = 0; i < count && i < ARGUMENTS_MAX; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    count = count < ARGUMENTS_MAX ? count : ARGUMENTS_MAX;
    oct_libc()->makecontext(context, function, count, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
                            a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23]);
}
