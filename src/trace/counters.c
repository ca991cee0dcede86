/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Counting and reading. Every field is added to on its own: a reader sees each count right, though not all at one
 * moment. */
#include "trace/counters.h"

#include "trace/file.h"
#include "trace/probes.h"

#include <stddef.h>
#include <string.h>

#define WORDS(type)    (sizeof(type) / sizeof(uint64_t))
#define WORD_OF(field) (offsetof(struct oct_op_counters, field) / sizeof(uint64_t))
_Static_assert(sizeof(struct oct_op_counters) % sizeof(uint64_t) == 0, "the counters of an operation are words");
_Static_assert(sizeof(struct oct_counters) == 64 + OCT_COUNTERS_OPS * sizeof(struct oct_op_counters),
               "the file's form is fixed");
_Static_assert(sizeof(struct oct_thread_counters) == sizeof(struct oct_counters), "the file's form is fixed");
_Static_assert(sizeof(struct oct_thread_counters) % 64 == 0, "no two threads write to one line of the cache");
_Static_assert(OCT_OP_COUNT <= OCT_COUNTERS_OPS, "the file has room for every operation");

/* Where a thread counts one operation. */
struct place {
    const struct oct_thread_counters *slot;
    uint64_t *sum, *own;
    int shared; /* own is the first slot, in which several threads count */
};

/* `operations` is for a process that counts nothing. */
static int find(struct place *place, int op, uint64_t operations)
{
    struct oct_counters_file *file = oct_counters_page();
    if ((unsigned)op >= OCT_OP_COUNT)
        return 0;
    if (file == NULL) {
        oct_counters_unseen(operations);
        return 0;
    }
    struct oct_thread_counters *slot = oct_counters_slot(file);
    place->slot = slot;
    place->sum = (uint64_t *)&file->sum.op[op];
    place->own = (uint64_t *)&slot->op[op];
    place->shared = slot == &file->thread[0];
    return 1;
}

static void add_own(const struct place *place, size_t word, uint64_t n)
{
    uint64_t *counter = place->own + word;
    if (place->shared)
        atomic_fetch_add_explicit(oct_atomic_word(counter), n, memory_order_relaxed);
    else
        atomic_store_explicit(oct_atomic_word(counter),
                              atomic_load_explicit(oct_atomic_word(counter), memory_order_relaxed) + n,
                              memory_order_relaxed);
}

static void add(const struct place *place, size_t word, uint64_t n)
{
    atomic_fetch_add_explicit(oct_atomic_word(place->sum + word), n, memory_order_relaxed);
    add_own(place, word, n);
}

void oct_count_add(int op, const struct oct_op_counters *delta)
{
    const uint64_t *from = (const uint64_t *)delta;
    struct place place;

    if (!find(&place, op, delta->submitted + delta->fallback))
        return;
    for (size_t i = 0; i < WORDS(struct oct_op_counters); i++)
        if (from[i] != 0)
            add(&place, i, from[i]);
    oct_counters_file_follow(place.slot, op);
}

static void add_one(int op, size_t word, uint64_t n, uint64_t operations)
{
    struct place place;
    if (!find(&place, op, operations))
        return;
    add(&place, word, n);
    oct_counters_file_follow(place.slot, op);
}

void oct_count_recomputed(int op, unsigned lanes)
{
    add_one(op, WORD_OF(recomputed), lanes, 0);
}

/* The file gets it with the next batch, or whatever else the thread counts. */
void oct_count_waiting(int op, int64_t more)
{
    struct place place;
    if (find(&place, op, 0))
        add_own(&place, WORD_OF(waiting), (uint64_t)more);
}

void oct_counters_note_fallback(int op)
{
    if ((unsigned)op >= OCT_OP_COUNT)
        return;
    add_one(op, WORD_OF(fallback), 1, 1);
    OCT_PROBE_SINGLE(op);
}

void oct_counters_note_batch(int op, unsigned lanes, unsigned ok, uint64_t nanoseconds)
{
    struct oct_op_counters delta = {
        .submitted = lanes, .done = ok, .failed = lanes - ok, .lane_nanoseconds = nanoseconds};

    if (lanes < 1 || lanes > OCT_LANES || ok > lanes)
        return;
    delta.flushes[lanes - 1] = 1;
    oct_count_add(op, &delta);
}

static uint64_t count_waiting(const struct oct_counters_file *file, int op)
{
    const uint64_t used = atomic_load_explicit(oct_atomic_word(&file->sum.slots), memory_order_relaxed);
    uint64_t waiting = 0;
    for (uint64_t i = 0; i < used && i < OCT_COUNTERS_THREADS; i++)
        waiting += atomic_load_explicit(oct_atomic_word(&file->thread[i].op[op].waiting), memory_order_relaxed);
    /* A job that one thread submits and another takes may be seen gone before it was seen there. */
    return (int64_t)waiting < 0 ? 0 : waiting;
}

void oct_counters_sum_waiting(struct oct_counters_file *file)
{
    for (int op = 0; op < OCT_COUNTERS_OPS; op++)
        file->sum.op[op].waiting = count_waiting(file, op);
}

void oct_counters_read(struct oct_counters *out)
{
    const struct oct_counters_file *file = oct_counters_page();
    const uint64_t *from = (const uint64_t *)file;
    uint64_t *to = (uint64_t *)out;

    if (file == NULL) {
        memset(out, 0, sizeof *out);
        return;
    }
    for (size_t i = 0; i < WORDS(struct oct_counters); i++)
        to[i] = atomic_load_explicit(oct_atomic_word(from + i), memory_order_relaxed);
    for (int op = 0; op < OCT_OP_COUNT; op++)
        out->op[op].waiting = count_waiting(file, op);
}
