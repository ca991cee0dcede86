/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What known answers of ML-KEM and ML-DSA share: a file of cases, eight at a time, each in different lanes. Whoever
 * includes it has named its types before: lattice_ops and lattice_lane. */
#ifndef OCT_TESTS_KAT_LATTICE_RUN_H
#define OCT_TESTS_KAT_LATTICE_RUN_H

#include "depth.h"
#include "records.h"

#include <stdio.h>
#include <string.h>

struct run {
    const lattice_ops *ops;
    struct rec_file file;
    void *workspace;
    int set;
    const struct rec_case *c[BATCH_LANES];
    lattice_lane memory[BATCH_LANES], *lane[BATCH_LANES];
    unsigned lanes;
};

/* A kind of file: what makes a lane of a case, 0 if a length is wrong; and what runs the lanes and looks at them. */
struct kind {
    const char *name;
    int (*load)(struct run *r, lattice_lane *l, const struct rec_case *c);
    void (*run)(struct run *r);
};

/* A field into a lane; 0 if its length is another. */
static int take(uint8_t *to, size_t len, const struct rec_case *c, const char *name)
{
    const struct rec_bytes field = rec_field(c, name);
    const int fits = field.len == len;
    if (fits)
        memcpy(to, field.data, len);
    free(field.data);
    return fits;
}

static void judge(const struct run *r, unsigned i, unsigned bad)
{
    rec_check(&r->file, r->c[i], rec_is(r->c[i], bad >> i & 1 ? "invalid" : "valid"), "result");
}

static void flush(struct run *r, const struct kind *kind)
{
    if (r->lanes > 0)
        kind->run(r);
    r->lanes = 0;
}

/* Every case once; the first batch is a short one, so that each round has other lanes. */
static void run_round(struct run *r, const struct kind *kind, const char *const sets[2], unsigned round)
{
    for (size_t i = 0; i < r->file.count; i++) {
        const struct rec_case *c = &r->file.cases[i];
        const int set = rec_says(c, "set", sets[1]);
        REC_REQUIRE(set || rec_says(c, "set", sets[0]));
        if (set != r->set)
            flush(r, kind);
        r->set = set;
        r->c[r->lanes] = c;
        if (!kind->load(r, &r->memory[r->lanes], c))
            rec_check(&r->file, c, rec_is(c, "invalid"), "length");
        else if (++r->lanes == BATCH_LANES || i == 2 * round)
            flush(r, kind);
    }
    flush(r, kind);
}

/* All of a file, with a workspace that it frees. `sets` are the names of the two sets, by their numbers. */
static int run_file(struct run *r, const char *path, const struct kind *kinds, size_t count, const char *const sets[2])
{
    const struct kind *kind = NULL;
    rec_load(&r->file, path);
    for (size_t i = 0; i < count; i++)
        kind = strcmp(kinds[i].name, r->file.kind) == 0 ? &kinds[i] : kind;
    REC_REQUIRE(kind);
    for (unsigned i = 0; i < BATCH_LANES; i++)
        r->lane[i] = &r->memory[i];
    for (unsigned round = 0; round < amount_of_lanes(r->ops->name); round++)
        run_round(r, kind, sets, round);
    free(r->workspace);
    rec_unload(&r->file);
    return rec_end();
}

#endif
