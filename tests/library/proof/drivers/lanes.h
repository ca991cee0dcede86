/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What a driver of transforms keeps for lanes_proof.h. */
#include "proof.h"

#include <stdlib.h>

static struct {
    const void *p;
    proof_lanes a;
} kept[4096];
static int kept_many;

void oct_proof_keep(const void *p, proof_lanes a)
{
    int i = 0;
    while (i < kept_many && kept[i].p != p)
        i++;
    kept[i].p = p;
    kept[i].a = a;
    kept_many += i == kept_many;
    if (kept_many == 4096)
        abort();
}
static proof_lanes lanes_input(const char *name, int lanes, int64_t low, int64_t high)
{
    proof_lanes r;
    for (int i = 0; i < lanes; i++) {
        v8 x[1];
        proof_input(x, 1, name, (uint64_t)(high - low));
        r.line[i] = oct_proof_record("plus", x->line, 0, 0, (uint64_t)low);
    }
    return r;
}
proof_lanes oct_proof_recall(const void *p, int lanes, int64_t low, int64_t high)
{
    for (int i = 0; i < kept_many; i++)
        if (kept[i].p == p)
            return kept[i].a;
    return lanes_input("memory", lanes, low, high);
}
static void lanes_output(const char *name, const proof_lanes *a, int lanes)
{
    for (int i = 0; i < lanes; i++) {
        const v8 x = {a->line[i]};
        proof_output(&x, 1, name);
    }
}
