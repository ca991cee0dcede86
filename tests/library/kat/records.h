/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Reads a file of tests/library/vectors (its README.md has the form) as plain records: any family's fields, by name. A
 * broken file, or a field that is not there, ends the test: a vector that is not read is a test that does not run.
 */
#ifndef OCT_TESTS_KAT_RECORDS_H
#define OCT_TESTS_KAT_RECORDS_H

#include <stddef.h>
#include <stdint.h>

struct rec_bytes {
    uint8_t *data; /* memory of its own, never NULL, also when len is 0 */
    size_t len;
};

/* One case; its fields come before those of its group, and those before the ones of its key. */
struct rec_case {
    const char *result, *flags;
    unsigned id;
    char *line[3];
};

struct rec_file {
    const char *path, *kind;
    struct rec_case *cases;
    size_t count;
    char *text;
};

void rec_load(struct rec_file *file, const char *path);
void rec_unload(struct rec_file *file);

/* A field of a case, decoded from hexadecimal; the caller frees data. */
struct rec_bytes rec_field(const struct rec_case *c, const char *name);

/* 1 if a field of a case is this text. */
int rec_says(const struct rec_case *c, const char *name, const char *text);

int rec_has_flag(const struct rec_case *c, const char *flag);
int rec_is(const struct rec_case *c, const char *result);

/* Counts a check, prints one that failed; the exit status is rec_end()'s. No check at all is a failure. */
void rec_check(const struct rec_file *file, const struct rec_case *c, int good, const char *what);
int rec_end(void);

#define REC_REQUIRE(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            rec_die(#condition, __FILE__, __LINE__);                                                                   \
    } while (0)
_Noreturn void rec_die(const char *what, const char *file, int line);

#endif
