/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What there is to say of hellos that waited (struct oct_hello_counters), in sum. */
#ifndef OCT_CLI_HELLOS_H
#define OCT_CLI_HELLOS_H

#include <jansson.h>
#include <stdint.h>
#include <octuple/counters.h>

/* Bounds of the buckets, in milliseconds: OCT_HELLO_WAITS - 1 of them. */
extern const unsigned hellos_bound[];
/* Adds what there is more than `before`, which may be NULL. */
void hellos_add(struct oct_hello_counters *to, const struct oct_hello_counters *now,
                const struct oct_hello_counters *before);
/* Handshakes that have begun. */
uint64_t hellos_begun(const struct oct_hello_counters *hellos);
/* Of these, those whose hello had waited longer than the bound, which is one of the list. */
uint64_t hellos_over(const struct oct_hello_counters *hellos, unsigned milliseconds);
json_t *hellos_json(const struct oct_hello_counters *hellos);

#endif
