/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * See guarded.h. Regions of equal slots, in a list that only grows; which slots are taken stands beside, so that a
 * child of a fork does not write to the pages with its keys, and shares them with its parent, who has locked them.
 */
#include "base/guarded.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define PAGE  4096
#define FIRST 16384 /* bytes of the first region of a size of slots; each further one has twice as many, up to .. */
#define LAST  262144

_Static_assert(OCT_GUARDED_MAX <= 2 * FIRST, "two first regions hold a slot of any size");

/* The rest of what may be locked is the program's, which may well need it. */
#define OUR_SHARE 8

struct region {
    struct region *next;
    uint8_t *memory;
    size_t slot, slots;
    _Atomic uint64_t taken[]; /* a bit for each slot */
};

static _Atomic(struct region *) regions;
static atomic_size_t allowance; /* bytes that we may lock, and 1; 0: not asked yet */
static atomic_size_t locked;

void oct_guarded_start(void)
{
    struct rlimit limit;

    if (atomic_load(&allowance) != 0)
        return;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        limit.rlim_cur = 0;
    atomic_store(&allowance, (size_t)limit.rlim_cur / OUR_SHARE + 1);
}

/* The kernel says no where it would be too much, or a filter of system calls: then without a lock. A flag of mmap() and
 * not mlock(), for which some filters end a program. */
static void *map_locked(size_t size)
{
    if (atomic_fetch_add(&locked, size) + size >= atomic_load(&allowance)) {
        atomic_fetch_sub(&locked, size);
        return MAP_FAILED;
    }
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
    if (memory == MAP_FAILED)
        atomic_fetch_sub(&locked, size);
    return memory;
}

/* All beyond the memory itself is advice, and no reason to fail. */
static uint8_t *map(size_t size)
{
    const size_t whole = size + 2 * PAGE;
    uint8_t *memory = map_locked(whole);
    if (memory == MAP_FAILED)
        memory = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    (void)madvise(memory, whole, MADV_DONTDUMP);
    (void)mprotect(memory, PAGE, PROT_NONE);
    (void)mprotect(memory + PAGE + size, PAGE, PROT_NONE);
    return memory + PAGE;
}

/* With its first slot taken, and in the list. */
static void *region_new(size_t slot, size_t size)
{
    const size_t slots = size / slot;
    struct region *r = calloc(1, sizeof *r + (slots + 63) / 64 * sizeof r->taken[0]);
    uint8_t *memory = r ? map(size) : NULL;
    if (!memory) {
        free(r);
        return NULL;
    }
    r->memory = memory;
    r->slot = slot;
    r->slots = slots;
    atomic_init(&r->taken[0], 1);
    r->next = atomic_load(&regions);
    while (!atomic_compare_exchange_weak(&regions, &r->next, r))
        ;
    return memory;
}

/* A free slot, now taken; NULL if there is none. */
static void *region_take(struct region *r)
{
    for (size_t i = 0; i < r->slots; i += 64) {
        const uint64_t exist = r->slots - i >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << (r->slots - i)) - 1;
        uint64_t taken = atomic_load(&r->taken[i / 64]);
        while (~taken & exist) {
            const unsigned bit = (unsigned)__builtin_ctzll(~taken & exist);
            if (atomic_compare_exchange_weak(&r->taken[i / 64], &taken, taken | (uint64_t)1 << bit))
                return r->memory + (i + bit) * r->slot;
        }
    }
    return NULL;
}

static size_t slot_of(size_t size)
{
    OCT_ASSERT(size > 0 && size <= OCT_GUARDED_MAX);
    return (size + 63) / 64 * 64;
}

void *oct_guarded_new(size_t size)
{
    const size_t slot = slot_of(size);
    size_t next = slot > FIRST ? 2 * FIRST : FIRST;
    oct_guarded_start();
    for (struct region *r = atomic_load(&regions); r; r = r->next) {
        if (r->slot != slot)
            continue;
        void *piece = region_take(r);
        if (piece)
            return piece;
        next = next < LAST ? 2 * next : LAST;
    }
    return region_new(slot, next);
}

void oct_guarded_free(void *piece, size_t size)
{
    const size_t slot = slot_of(size);
    const uint8_t *at = piece;
    struct region *r = atomic_load(&regions);
    if (!piece)
        return;
    oct_cleanse(piece, size);
    while (r && (r->slot != slot || at < r->memory || at >= r->memory + r->slots * slot))
        r = r->next;
    OCT_ASSERT(r && (size_t)(at - r->memory) % slot == 0);
    const size_t i = (size_t)(at - r->memory) / slot;
    atomic_fetch_and(&r->taken[i / 64], ~((uint64_t)1 << i % 64));
}
