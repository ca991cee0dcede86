/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Keys that live elsewhere: the settings, and what their operations take. Where that is less than two switches of
 * threads cost, they run where they are called.
 */
#include "keys/owners.h"
#include "keys/tally.h"
#include "handshake/thread.h"

#include "base/policy.h"
#include "base/settings.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct oct_keys_settings oct_keys_settings;
struct oct_keys_functions oct_keys_functions;

/* The number that is all of the text up to a comma. */
OCT_AT_START static unsigned long number_of(const char *text, unsigned long otherwise, unsigned long most)
{
    char *end;
    const unsigned long value = text != NULL ? strtoul(text, &end, 10) : 0;
    if (text == NULL || end == text || (*end != '\0' && *end != ',') || *text == '-')
        return otherwise;
    return value < most ? value : most;
}

/* The setting's option. */
OCT_AT_START static const char *option(const char *keys, const char *name)
{
    size_t len;
    return oct_setting_option(keys, name, &len);
}

OCT_AT_START void oct_keys_start(const char *keys)
{
    const char *timeout = option(keys, "timeout");
    const char *nice = option(keys, "nice");
    const char *name = keys;
    char *to = oct_keys_settings.except;
    size_t len, room = sizeof oct_keys_settings.except - 1, used = 0;

    oct_keys_settings.threads = (unsigned)number_of(keys, 0, OCT_POLICY_KEYS_THREADS);
    oct_keys_settings.timeout = (int64_t)number_of(timeout, OCT_POLICY_KEYS_TIMEOUT, 3600000) * 1000000;
    oct_keys_settings.nice = (int)number_of(nice, OCT_POLICY_KEYS_NICE, 19);
    /* All names, with commas. What finds no room is not excepted. */
    while ((name = oct_setting_option(name, "except", &len)) != NULL && used + len + 1 < room) {
        if (used > 0)
            to[used++] = ',';
        memcpy(to + used, name, len);
        used += len;
    }
}

void oct_keys_start_with_libssl(void)
{
    if (oct_keys_wanted())
        oct_helpers_setup();
}

bool oct_keys_wanted(void)
{
    return oct_keys_settings.threads != 0;
}

static bool fill(void *handle)
{
    struct oct_keys_functions *f = &oct_keys_functions;
    bool complete = true;
#define OCT_FIND(name)                                                                                                 \
    *(void **)&f->name = oct_symbol(handle, #name);                                                                    \
    complete = complete && f->name != NULL;
    OCT_KEYS_FUNCTIONS(OCT_FIND)
#undef OCT_FIND
    f->old = true;
#define OCT_FIND_OLD(name)                                                                                             \
    *(void **)&f->name = oct_symbol(handle, #name);                                                                    \
    f->old = f->old && f->name != NULL;
    OCT_KEYS_OLD_FUNCTIONS(OCT_FIND_OLD)
#undef OCT_FIND_OLD
    return complete;
}

static void end(struct oct_thread *t)
{
    oct_watch_end(t);
    oct_pausing_end(t);
}

static const struct oct_keys_part part = {
    .seen = oct_keys_seen,
    .collect = oct_watch_collect,
    .sleep = oct_watch_sleep,
    .finish = oct_watch_finish,
    .lingers = oct_remote_lingers,
    .settle = oct_remote_settle,
    .forget = oct_remote_forget,
    .end = end,
    .end_stacks = oct_job_stack_end,
};

void oct_keys_announce(void)
{
    if (oct_keys_wanted())
        oct_keys_counters_set(oct_keys_settings.threads, (uint64_t)oct_keys_settings.timeout);
}

void oct_keys_setup(bool shim_works)
{
    Dl_info where;
    void *handle = NULL;

    if (!oct_keys_wanted())
        return;
    if (!shim_works) {
        oct_keys_counters_state(OCT_KEYS_STATE_NO_SHIM);
        return;
    }
    if (dladdr((void *)oct_ssl()->ASYNC_get_current_job, &where) != 0)
        handle = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    bool served = handle != NULL && fill(handle);
    if (handle != NULL)
        dlclose(handle);
    if (served) {
        oct_job_stack_setup();
        oct_keys_part = &part;
        served = oct_remote_setup();
    }
    oct_keys_counters_state(served ? OCT_KEYS_STATE_SERVED : OCT_KEYS_STATE_NO_CALLS);
}

bool oct_keys_left(const struct oct_key_owner *owner, enum oct_keys_inside *why)
{
    *why = owner->why;
    return owner->left;
}

/* What is not worth a thread may as well run in a job. So one that takes to pausing later is noticed. */
enum oct_key_way oct_keys_way(const struct oct_remote *op)
{
    const uint64_t cost = atomic_load_explicit(&op->owner->call[op->kind].cost, memory_order_relaxed);
    const int kind = atomic_load_explicit(&op->owner->call[op->kind].kind, memory_order_relaxed);
    return kind == BLOCKS && cost > OCT_POLICY_KEYS_WORTH ? OCT_KEY_AWAY : OCT_KEY_JOB;
}

enum oct_keys_inside oct_keys_why_inside(const struct oct_remote *op)
{
    const int kind = atomic_load_explicit(&op->owner->call[op->kind].kind, memory_order_relaxed);
    return kind == UNKNOWN ? OCT_KEYS_INSIDE_FIRST : OCT_KEYS_INSIDE_QUICK;
}

void oct_keys_note_pause(const struct oct_remote *op)
{
    atomic_store_explicit(&op->owner->call[op->kind].kind, PAUSES, memory_order_relaxed);
}

void oct_keys_note(const struct oct_remote *op, uint64_t nanoseconds, bool in_job)
{
    _Atomic uint64_t *known = &op->owner->call[op->kind].cost;
    int unknown = UNKNOWN;
    if (in_job)
        atomic_compare_exchange_strong(&op->owner->call[op->kind].kind, &unknown, BLOCKS);
    const uint64_t cost = atomic_load_explicit(known, memory_order_relaxed);
    const uint64_t next = cost == 0 ? nanoseconds : cost - cost / 8 + nanoseconds / 8;
    atomic_store_explicit(known, next != 0 ? next : 1, memory_order_relaxed);
}

void oct_keys_show(const struct oct_key_owner *owner, enum oct_keys_way way, uint64_t nanoseconds)
{
    struct oct_key_owner_counters *line = &oct_keys_counters()->owner[owner->line];

    if (owner->line >= OCT_KEYS_OWNERS)
        return;
    if (line->name[0] == 0)
        memcpy(line->name, owner->name, sizeof line->name); /* others that do so now write the same */
    if (way != OCT_KEYS_WAY_UNKNOWN) {
        __atomic_fetch_add(&line->operations, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&line->way, way, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&line->nanoseconds, nanoseconds, __ATOMIC_RELAXED);
}
