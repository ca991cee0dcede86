/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Octuple beside another library in one process: rows of operations that both have, measured in turns. A peer is one
 * set of files with a table, linked with what is here into a program of its own (`build`).
 */
#ifndef OCT_BENCH_BESIDE_H
#define OCT_BENCH_BESIDE_H

#include <stddef.h>

struct beside_row {
    const char *name; /* as `octuple speed` has it, where that has it */
    const char *unit; /* of a rate: "op/s" or "B/s" */
    int which;        /* the family's own: bits of the modulus, a curve, an AEAD */
    size_t len;       /* bytes of a record or packet; 0 where there is none */
    /* Makes keys and inputs for both sides. NULL on failure. */
    void *(*open)(const struct beside_row *row);
    void (*close)(void *state);
    /* One call each; they return how many units were done, 0 if anything failed. */
    unsigned (*octuple)(void *state);
    unsigned (*peer)(void *state);
    /* 1 if what the first calls left behind is the same, or as good where it is random. */
    int (*same)(void *state);
};

/* What a peer's files define; rows end with a NULL name, families with a NULL. */
struct beside_peer {
    const char *(*version)(void); /* the library's name and version */
    const struct beside_row *const *families;
    const char *(*why_not)(void); /* it cannot run here, and why; NULL if it can */
    const char *(*note)(void);    /* what is to be known about it on this CPU; NULL if nothing */
    /* Why Octuple leaves a row alone on this CPU; NULL if it does not. May be NULL itself: it leaves none. */
    const char *(*off)(const struct beside_row *row);
};
extern const struct beside_peer beside_peer;

#define BESIDE_MAX_PAIRS 2000

/* Rates of neighbouring turns, in units per second of CPU time. */
struct beside_pairs {
    unsigned n;
    double octuple[BESIDE_MAX_PAIRS], peer[BESIDE_MAX_PAIRS];
};

/* Takes turns for about so many seconds. 0 if an operation failed. */
int beside_take_turns(const struct beside_row *row, void *state, double seconds, struct beside_pairs *pairs);

/* 1 if Octuple is measured as on a CPU without AVX-512 (OCTUPLE_TABLE): its peer has to be such a CPU's too. */
int beside_without_avx512(void);

/* Random bytes from the kernel. 0 if it has none. */
int beside_fill(void *out, size_t len);

#endif
