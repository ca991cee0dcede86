/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Counters of operations with keys that live elsewhere. They lie behind those of the threads, in the same file. */
#include "trace/keys.h"

#include "trace/counters.h"
#include "trace/file.h"

#include <string.h>

#define WORDS (sizeof(struct oct_key_counters) / sizeof(uint64_t))
_Static_assert(sizeof(struct oct_key_counters) % sizeof(uint64_t) == 0, "they are words");
_Static_assert(OCT_KEYS_INSIDE_COUNT <= OCT_KEYS_REASONS, "there is room for every reason");
_Static_assert(sizeof(struct oct_key_owner_counters) == 48 && sizeof(struct oct_key_counters) == 1216,
               "the file's form is fixed");

/* What a process hands on to its children. */
static struct {
    uint64_t state, limit, timeout;
} kept;

struct oct_key_counters *oct_keys_counters(void)
{
    static struct oct_key_counters nowhere;
    struct oct_counters_file *file = oct_counters_page();
    return file != NULL ? &file->keys : &nowhere;
}

static void show(struct oct_key_counters *keys)
{
    atomic_store_explicit(oct_atomic_word(&keys->limit), kept.limit, memory_order_relaxed);
    atomic_store_explicit(oct_atomic_word(&keys->timeout), kept.timeout, memory_order_relaxed);
    atomic_store_explicit(oct_atomic_word(&keys->state), kept.state, memory_order_release);
}

void oct_keys_counters_set(uint64_t limit, uint64_t timeout)
{
    kept.limit = limit;
    kept.timeout = timeout;
    if (kept.state == OCT_KEYS_STATE_OFF)
        kept.state = OCT_KEYS_STATE_UNDECIDED;
    show(oct_keys_counters());
    oct_counters_file_tail();
}

void oct_keys_counters_state(enum oct_keys_state state)
{
    kept.state = state;
    show(oct_keys_counters());
    oct_counters_file_tail();
}

void oct_keys_counters_forked(struct oct_key_counters *keys)
{
    if (kept.state == OCT_KEYS_STATE_OFF)
        return;
    memset(keys, 0, sizeof *keys);
    show(keys);
}

void oct_counters_read_keys(struct oct_key_counters *out)
{
    const uint64_t *from = (const uint64_t *)oct_keys_counters();
    uint64_t *to = (uint64_t *)out;

    for (size_t i = 0; i < WORDS; i++)
        to[i] = atomic_load_explicit(oct_atomic_word(from + i), memory_order_relaxed);
}
