/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the bindings of Go and Java use of include/octuple/, statement by statement as it stands there. A test holds the
 * two against each other. It is here because a Go module is built without the tree around it, and on machines without
 * Octuple. There is no number of an operation and no size in it: the library tells them.
 */
#ifndef OCTUPLE_BINDING_API_H
#define OCTUPLE_BINDING_API_H

#include <stddef.h>
#include <stdint.h>

struct oct_lanes {
    uint8_t ok;
    uint8_t invalid;
};

int oct_op_find(const char *name);
int oct_op_is_on(int op);

struct oct_flat_form {
    size_t lanes;
    size_t key;
    size_t in;
    size_t more;
    size_t out;
};

int oct_flat_form_get(int op, struct oct_flat_form *form);

struct oct_flat_key;

int oct_flat_key_new(struct oct_flat_key **key, int op, const uint8_t *bytes, size_t len);
void oct_flat_key_free(struct oct_flat_key *key);

int oct_flat_run(int op, unsigned lanes, const struct oct_flat_key *const key[], const uint8_t *in,
                 const size_t in_len[], uint8_t *out, struct oct_lanes *result);
int oct_flat_combine(int op, const struct oct_flat_key *key, const uint8_t *in, size_t in_len, uint8_t *out,
                     struct oct_lanes *result);

#endif
