/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple speed`: its parts. A family of operations is one file with a table of struct speed_op, and one word in
 * SPEED_FAMILIES. Nothing else knows what an operation is.
 */
#ifndef OCT_CLI_SPEED_H
#define OCT_CLI_SPEED_H

#include "cli/core/cli.h"

#include <stdbool.h>

int cli_speed(int argc, char **argv);

#define SPEED_AEAD(aead) (-1 - (aead))
#define SPEED_NONE       (~0u)

struct speed_op {
    const char *name;
    const char *unit; /* what is counted: "op/s", "GB/s" */
    int oct_op;       /* enum oct_op, or SPEED_AEAD(enum oct_aead): whether this process serves it */
    unsigned param;   /* the family's own, e.g. bits of the modulus */
    /* Makes keys and inputs. NULL on failure, which was then told on stderr. */
    void *(*open)(const struct speed_op *op);
    void (*close)(void *state);
    /* One call each: work on all lanes once. They return how many units were done; 0 is a failure. Untimed code
     * does not belong here. openssl() says SPEED_NONE where the OpenSSL that runs has no such operation. */
    unsigned (*octuple)(void *state);
    unsigned (*openssl)(void *state);
    /* 1 if what the last octuple() and openssl() call left behind is the same. */
    int (*same)(void *state);
};

/* The families, in the order of the output. Each has a table speed_FAMILY_ops, which ends with a NULL name. */
#define SPEED_FAMILIES(each)                                                                                           \
    each(rsa) each(rsa_keygen) each(x25519) each(ec) each(ec_verify) each(sm3) each(ed25519) each(mlkem) each(hybrid)  \
        each(mldsa) each(aead) each(sm4) each(quic)
#define SPEED_DECLARE(family) extern const struct speed_op speed_##family##_ops[];
SPEED_FAMILIES(SPEED_DECLARE)
#undef SPEED_DECLARE

/* The i-th operation of all families; NULL after the last. */
const struct speed_op *speed_op_at(unsigned i);
const struct speed_op *speed_op_find(const char *name);
/* Whether this process serves it, and why not. */
bool speed_op_is_on(const struct speed_op *op);
const char *speed_op_reason(const struct speed_op *op);
/* 1 if bytes are counted, and the unit is GB/s. */
bool speed_op_is_bytes(const struct speed_op *op);
/* Whether the OpenSSL that runs has it. */
int speed_op_has_openssl(const struct speed_op *op, void *state);

struct speed_result {
    double octuple_per_s; /* 0: not measured */
    double openssl_per_s; /* the same */
    double ratio;         /* median over the pairs of slices; 0 without both */
    unsigned pairs;
};

/* Measures for about `seconds`, on the calling thread. with_octuple = 0 leaves one side out. Returns 0 if an operation
 * failed. */
int speed_measure(const struct speed_op *op, void *state, double seconds, int with_octuple,
                  struct speed_result *result);

/* Binds the calling thread to one core, the one that it was on at the first call; returns it, or -1. speed_unpin()
 * gives the thread all its cores back: keys are made on all of them. */
int speed_pin(void);
void speed_unpin(void);

/* Where results go: a table for people or a JSON object a line. */
struct speed_report {
    void (*head)(int core, double seconds);
    int (*row)(const struct speed_op *op, const struct speed_result *result);
};
extern const struct speed_report speed_report_text, speed_report_json;

#endif
