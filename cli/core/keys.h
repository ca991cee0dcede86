/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What there is to say of keys that live elsewhere (struct oct_key_counters), in words and in sum. */
#ifndef OCT_CLI_KEYS_H
#define OCT_CLI_KEYS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <octuple/counters.h>

/* Numbers of a later version have names too: "other". */
const char *keys_state_name(uint64_t state);
const char *keys_way_name(uint64_t way);
const char *keys_reason_name(unsigned reason);
/* Why operations ran inside the call, to stand behind their number. */
const char *keys_reason_text(unsigned reason);

/* to += now - before, where `before` is not NULL; gauges are as they are now. Owners are left out. */
void keys_add(struct oct_key_counters *to, const struct oct_key_counters *now, const struct oct_key_counters *before);

/* The same of owners, by their names. */
void keys_add_owners(struct oct_key_counters *to, const struct oct_key_counters *now);

/* How many ran inside the call. */
uint64_t keys_inside(const struct oct_key_counters *keys);
/* Milliseconds, on average: in line, and of the device. 0 if there was none. */
double keys_line_ms(const struct oct_key_counters *keys);
double keys_device_ms(const struct oct_key_counters *keys);
/* "3 first of its owner, 2 ..."; "" if there is none. */
void keys_reasons(char *text, size_t room, const struct oct_key_counters *keys);

/* An object with all of it; null where the setting is off. */
json_t *keys_json(const struct oct_key_counters *keys);

#endif
