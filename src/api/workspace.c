/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "api/workspace.h"

#include <pthread.h>
#include <sys/mman.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static int thread_end_known;
static _Thread_local struct oct_workspace mine;

static void release(void *p)
{
    struct oct_workspace *w = p;
    if (w->memory)
        munmap(w->memory, w->size);
    w->memory = NULL;
    w->size = 0;
}

static void make_key(void)
{
    thread_end_known = pthread_key_create(&thread_end, release) == 0;
}

static int grow(struct oct_workspace *w, size_t size)
{
    pthread_once(&once, make_key);
    if (!thread_end_known)
        return -1;
    size = (size + 4095) / 4096 * 4096;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    /* Advice only: an old kernel that knows neither is no reason to fail, the region is clear whenever no kernel runs.
     */
    (void)madvise(memory, size, MADV_DONTDUMP);
    (void)madvise(memory, size, MADV_WIPEONFORK);
    release(w);
    w->memory = memory;
    w->size = size;
    return pthread_setspecific(thread_end, w) == 0 ? 0 : (release(w), -1);
}

struct oct_workspace *oct_workspace_open(size_t size)
{
    if (mine.size < size && grow(&mine, size) != 0)
        return NULL;
    mine.used = 0;
    return &mine;
}

void *oct_workspace_take(struct oct_workspace *workspace, size_t size)
{
    void *p = workspace->memory + workspace->used;
    workspace->used += (size + 63) / 64 * 64;
    OCT_ASSERT(workspace->used <= workspace->size);
    return p;
}

void oct_workspace_close(struct oct_workspace *workspace)
{
    oct_cleanse(workspace->memory, workspace->used);
    workspace->used = 0;
}
