/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the fuzzers share: a reader of the fuzzer's bytes, keys that are made when the program starts, and a check that
 * stays on in every build. */
#ifndef OCT_TESTS_FUZZ_INPUT_H
#define OCT_TESTS_FUZZ_INPUT_H

#include <octuple/octuple.h>

#include <stddef.h>
#include <stdint.h>

/* What libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

struct fuzz_input {
    const uint8_t *data;
    size_t left;
};

/* The next byte, or 0 when there is none left. */
unsigned fuzz_byte(struct fuzz_input *in);
/* A number below `limit` (at most 65536). */
unsigned fuzz_below(struct fuzz_input *in, unsigned limit);
/* Fills out; what is missing stays zero. */
void fuzz_bytes(struct fuzz_input *in, uint8_t *out, size_t len);

/* The numbers n e p q dp dq qinv of good keys, big-endian; FUZZ_SIZES of 2048, 3072 and 4096 bits. */
#define FUZZ_NUMBERS 7
#define FUZZ_SIZES   3
struct fuzz_key {
    uint8_t byte[FUZZ_NUMBERS][512];
    size_t len[FUZZ_NUMBERS];
    struct oct_rsa_key *private, *public;
};
const struct fuzz_key *fuzz_keys(void);

/* A key's numbers as the API takes them. */
struct oct_rsa_numbers fuzz_numbers(const struct fuzz_key *key);

#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fuzz_failed(#condition, __FILE__, __LINE__);                                                               \
    } while (0)
_Noreturn void fuzz_failed(const char *condition, const char *file, int line);

#endif
