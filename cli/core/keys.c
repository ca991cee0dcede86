/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Keys that live elsewhere, for `octuple top` and `octuple doctor`. Names are stable: programs read them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli.h"
#include "keys.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static const struct {
    const char *name, *text;
} reasons[OCT_KEYS_INSIDE_COUNT] = {
    {"no_loop", "on threads that do not wait by epoll"},
    {"no_fibre", "in handshakes that cannot be paused"},
    {"nested", "in a callback of the program"},
    {"no_waking", "in handshakes that no event of the server's loop would find"},
    {"first", "first of its kind"},
    {"quick", "faster than a thread is worth"},
    {"no_thread", "without a helper thread, which could not be made"},
    {"no_memory", "for lack of memory"},
    {"excepted", "excepted by OCTUPLE_KEYS"},
    {"alone", "of a provider that may not bear several threads"},
    {"forked", "in a child of a fork"},
    {"no_job", "without a job of OpenSSL's"},
};

const char *keys_state_name(uint64_t state)
{
    static const char *const names[] = {"off", "undecided", "served", "no_shim", "no_fibres", "no_calls"};
    return state < COUNT(names) ? names[state] : "other";
}

const char *keys_way_name(uint64_t way)
{
    static const char *const names[] = {"unknown", "threads", "pauses", "inside"};
    return way < COUNT(names) ? names[way] : "other";
}

const char *keys_reason_name(unsigned reason)
{
    return reason < COUNT(reasons) ? reasons[reason].name : "other";
}

const char *keys_reason_text(unsigned reason)
{
    return reason < COUNT(reasons) ? reasons[reason].text : "for a reason of another version";
}

static uint64_t sum(const uint64_t *n, size_t count)
{
    uint64_t all = 0;
    while (count-- > 0)
        all += n[count];
    return all;
}

void keys_add(struct oct_key_counters *to, const struct oct_key_counters *now, const struct oct_key_counters *before)
{
    static const struct oct_key_counters none;
    const size_t first = offsetof(struct oct_key_counters, begun) / sizeof(uint64_t);
    const size_t end = offsetof(struct oct_key_counters, owner) / sizeof(uint64_t);
    const size_t gauge = offsetof(struct oct_key_counters, in_flight) / sizeof(uint64_t);
    const size_t last_gauge = offsetof(struct oct_key_counters, working) / sizeof(uint64_t);
    const uint64_t *n = (const uint64_t *)now, *b = (const uint64_t *)(before != NULL ? before : &none);
    uint64_t *all = (uint64_t *)to;
    for (size_t i = first; i < end; i++)
        all[i] += n[i] - (i >= gauge && i <= last_gauge ? 0 : b[i]);
    to->state = now->state > to->state ? now->state : to->state;
    to->limit += now->limit;
    to->timeout = now->timeout;
}

void keys_add_owners(struct oct_key_counters *to, const struct oct_key_counters *now)
{
    for (unsigned i = 0; i < OCT_KEYS_OWNERS && now->owner[i].operations != 0; i++) {
        const struct oct_key_owner_counters *from = &now->owner[i];
        unsigned k = 0;
        while (k < OCT_KEYS_OWNERS && to->owner[k].operations != 0 &&
               memcmp(to->owner[k].name, from->name, sizeof from->name) != 0)
            k++;
        if (k < OCT_KEYS_OWNERS) {
            memcpy(to->owner[k].name, from->name, sizeof from->name);
            to->owner[k].way = from->way;
            to->owner[k].operations += from->operations;
            to->owner[k].nanoseconds += from->nanoseconds;
        }
    }
}

uint64_t keys_inside(const struct oct_key_counters *keys)
{
    return sum(keys->inside, OCT_KEYS_REASONS);
}

static double average_ms(uint64_t nanoseconds, const uint64_t bucket[OCT_KEYS_BUCKETS])
{
    const uint64_t count = sum(bucket, OCT_KEYS_BUCKETS);
    return count > 0 ? (double)nanoseconds / (double)count / 1e6 : 0;
}

double keys_line_ms(const struct oct_key_counters *keys)
{
    return average_ms(keys->line_nanoseconds, keys->line_time);
}

double keys_device_ms(const struct oct_key_counters *keys)
{
    return average_ms(keys->device_nanoseconds, keys->device_time);
}

void keys_reasons(char *text, size_t room, const struct oct_key_counters *keys)
{
    size_t at = 0;
    text[0] = '\0';
    for (unsigned why = 0; why < OCT_KEYS_REASONS; why++) {
        if (keys->inside[why] != 0 && at < room) {
            at += (size_t)snprintf(text + at, room - at, "%s%" PRIu64 " %s", at > 0 ? ", " : "", keys->inside[why],
                                   keys_reason_text(why));
        }
    }
}

static json_t *list(const uint64_t *n, unsigned count)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(array, json_integer((json_int_t)n[i]));
    return array;
}

static json_t *inside(const struct oct_key_counters *keys)
{
    json_t *object = json_object();
    for (unsigned why = 0; why < OCT_KEYS_INSIDE_COUNT; why++)
        json_object_set_new(object, keys_reason_name(why), json_integer((json_int_t)keys->inside[why]));
    return object;
}

static const struct {
    const char *name;
    size_t offset;
} numbers[] = {
    {"limit", offsetof(struct oct_key_counters, limit)},
    {"timeout_nanoseconds", offsetof(struct oct_key_counters, timeout)},
    {"begun", offsetof(struct oct_key_counters, begun)},
    {"done", offsetof(struct oct_key_counters, done)},
    {"failed", offsetof(struct oct_key_counters, failed)},
    {"timed_out", offsetof(struct oct_key_counters, timed_out)},
    {"called_off", offsetof(struct oct_key_counters, called_off)},
    {"by_threads", offsetof(struct oct_key_counters, by_threads)},
    {"by_pausing", offsetof(struct oct_key_counters, by_pausing)},
    {"in_flight", offsetof(struct oct_key_counters, in_flight)},
    {"in_flight_most", offsetof(struct oct_key_counters, in_flight_most)},
    {"in_line", offsetof(struct oct_key_counters, line)},
    {"in_line_most", offsetof(struct oct_key_counters, line_most)},
    {"threads", offsetof(struct oct_key_counters, threads)},
    {"threads_working", offsetof(struct oct_key_counters, working)},
    {"line_nanoseconds", offsetof(struct oct_key_counters, line_nanoseconds)},
    {"device_nanoseconds", offsetof(struct oct_key_counters, device_nanoseconds)},
};

json_t *keys_json(const struct oct_key_counters *keys)
{
    if (keys->state == OCT_KEYS_STATE_OFF)
        return json_null();
    json_t *owners = json_array();
    for (unsigned i = 0; i < OCT_KEYS_OWNERS && keys->owner[i].operations != 0; i++) {
        const struct oct_key_owner_counters *owner = &keys->owner[i];
        char name[sizeof owner->name];
        snprintf(name, sizeof name, "%.*s", (int)sizeof name - 1, owner->name);
        json_array_append_new(owners, json_pack("{s:s, s:s, s:I, s:I}", "name", cli_clean(name), "way",
                                                keys_way_name(owner->way), "operations", (json_int_t)owner->operations,
                                                "nanoseconds", (json_int_t)owner->nanoseconds));
    }
    json_t *object = json_pack("{s:s}", "state", keys_state_name(keys->state));
    for (size_t i = 0; i < COUNT(numbers); i++) {
        const uint64_t *n = (const uint64_t *)((const char *)keys + numbers[i].offset);
        json_object_set_new(object, numbers[i].name, json_integer((json_int_t)*n));
    }
    json_object_set_new(object, "inside", inside(keys));
    json_object_set_new(object, "line_us", list(keys->line_time, OCT_KEYS_BUCKETS));
    json_object_set_new(object, "device_us", list(keys->device_time, OCT_KEYS_BUCKETS));
    json_object_set_new(object, "owners", owners);
    return object;
}
