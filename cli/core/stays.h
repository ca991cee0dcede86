/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What there is to say of handshakes that waited for nobody (struct oct_stay_counters), in words and in sum. */
#ifndef OCT_CLI_STAYS_H
#define OCT_CLI_STAYS_H

#include <jansson.h>
#include <stdint.h>
#include <octuple/counters.h>

struct stay_row {
    const char *name;   /* stable: scripts and collectors look for it */
    const char *text;   /* to stand behind "so many did not wait for others: " */
    const char *advice; /* what to do */
};
const struct stay_row *stays_row(unsigned reason);

/* to += now - before; before may be NULL. */
void stays_add(struct oct_stay_counters *to, const struct oct_stay_counters *now,
               const struct oct_stay_counters *before);
/* Full handshakes, paused or not. */
uint64_t stays_full(const struct oct_stay_counters *stays);
/* The greatest reason but for `other`, which may be OCT_STAY_COUNT; OCT_STAY_COUNT: there is none. */
unsigned stays_greatest(const struct oct_stay_counters *stays, unsigned other);
/* The one that explains most; where nothing pauses in the process, why. OCT_STAY_COUNT: there is none. */
unsigned stays_why(const struct oct_stay_counters *stays);
json_t *stays_json(const struct oct_stay_counters *stays);

#endif
