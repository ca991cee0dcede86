/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The loader that the bindings of Go and Java share: liboctuple.so.0, looked up at run time, and its functions under
 * names that no library has. octuple/flat.h says what they do.
 */
#ifndef OCTUPLE_BINDING_LOAD_H
#define OCTUPLE_BINDING_LOAD_H

#include "api.h"

/* Looks the library up: 1 if it is there with all functions. Called before anything else, and once in a process. */
int octuple_load(void);

/* The number and the sizes of an operation; a number below 0 if the library has none of this name and form. */
int octuple_find(const char *name, struct oct_flat_form *form);
int octuple_is_on(int op);

/* NULL if these bytes are no key that lanes serve. */
struct oct_flat_key *octuple_key_new(int op, const uint8_t *bytes, size_t len);
void octuple_key_free(struct oct_flat_key *key);

/* oct_flat_run() and oct_flat_combine(): what became of the lanes, and of none if nothing was run. That is so too if
 * `out` has another length than the lanes write. */
struct oct_lanes octuple_run(int op, unsigned lanes, struct oct_flat_key *const key[], const uint8_t *in,
                             const size_t in_len[], uint8_t *out, size_t out_len);
struct oct_lanes octuple_combine(int op, const struct oct_flat_key *key, const uint8_t *in, size_t in_len, uint8_t *out,
                                 size_t out_len);

#endif
