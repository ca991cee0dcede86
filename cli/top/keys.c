/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What `octuple top` says of keys that live elsewhere: a line on how many are under way and how long they take, and
 * another one on those that were not served, if there are such.
 */
#include <inttypes.h>
#include "cli/core/keys.h"
#include "top.h"

void top_keys(FILE *out, const struct top_form *form, const struct top_sample *now, const struct top_sample *before)
{
    struct oct_key_counters all = {0};
    char why[512];
    for (unsigned i = 0; i < now->count; i++) {
        const struct top_process *process = now->process[i], *last = top_find(before, process);
        keys_add(&all, &process->file.keys, last != NULL ? &last->file.keys : NULL);
    }
    if (all.state <= OCT_KEYS_STATE_UNDECIDED)
        return;
    if (form->seconds > 0)
        fprintf(out, "keys in devices: %.1f/s", (double)all.begun / form->seconds);
    else
        fprintf(out, "keys in devices: %" PRIu64, all.begun);
    fprintf(out,
            ", %" PRIu64 " in flight (%" PRIu64 " at most), %" PRIu64 " in line, %" PRIu64 " of %" PRIu64
            " threads at work, limit %" PRIu64 "\n",
            all.in_flight, all.in_flight_most, all.line, all.working, all.threads, all.limit);
    fprintf(out,
            "  %.1f ms in line, %.1f ms in the device; %" PRIu64 " done, %" PRIu64 " failed, %" PRIu64
            " timed out, %" PRIu64 " called off\n",
            keys_line_ms(&all), keys_device_ms(&all), all.done, all.failed, all.timed_out, all.called_off);
    keys_reasons(why, sizeof why, &all);
    if (all.state != OCT_KEYS_STATE_SERVED)
        fprintf(out, "  not served in some process: %s\n", keys_state_name(all.state));
    else if (keys_inside(&all) != 0)
        fprintf(out, "  inside the call: %s\n", why);
}
