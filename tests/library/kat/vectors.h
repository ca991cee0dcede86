/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Reads a file of tests/library/vectors (its README.md has the form) and keeps the score. A broken file ends the test:
 * a vector that is not read is a test that does not run.
 */
#ifndef OCT_TESTS_KAT_VECTORS_H
#define OCT_TESTS_KAT_VECTORS_H

#include <stddef.h>
#include <stdint.h>

struct kat_bytes {
    uint8_t *data; /* never NULL, also when len is 0 */
    size_t len;
};

struct kat_key {
    unsigned id;
    struct kat_bytes n, e, d, p, q, dp, dq, qinv; /* the private numbers are empty in a public key */
    void *user;                                   /* the test's */
};

enum kat_result { KAT_VALID, KAT_INVALID, KAT_ACCEPTABLE };

struct kat_case {
    unsigned id;
    enum kat_result result;
    const char *flags;
    struct kat_key *key;
    const char *sha, *mgf; /* OpenSSL's names fit; NULL if the group has none */
    int salt;              /* -1 if the group has none */
    struct kat_bytes msg, sig, ct, label;
};

enum kat_kind { KAT_PKCS1_VERIFY, KAT_PKCS1_SIGN, KAT_PSS_VERIFY, KAT_PKCS1_DECRYPT, KAT_OAEP_DECRYPT };

struct kat_file {
    const char *path;
    enum kat_kind kind;
    struct kat_key *keys;
    size_t key_count;
    struct kat_case *cases;
    size_t case_count;
    char *text; /* owns all strings */
};

void kat_load(struct kat_file *file, const char *path);
void kat_unload(struct kat_file *file);

int kat_has_flag(const struct kat_case *c, const char *flag);

/* The score of one program. kat_check() counts, and prints what failed: the file, the case, and what was wrong. */
struct kat_score {
    unsigned passed, failed;
};
int kat_check(struct kat_score *score, const struct kat_file *file, const struct kat_case *c, int good,
              const char *what);
/* "N passed, N failed" as the last line; the exit status. No check at all is a failure. */
int kat_end(const struct kat_score *score);

#define KAT_REQUIRE(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            kat_die(#condition, __FILE__, __LINE__);                                                                   \
    } while (0)
_Noreturn void kat_die(const char *what, const char *file, int line);

#endif
