/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* One signature in one fibre, step by step, for the tests of how fibres pause, wake and end. */
#ifndef OCT_TESTS_PROVIDER_FIBRES_H
#define OCT_TESTS_PROVIDER_FIBRES_H

#include "common.h"

struct signer {
    EVP_PKEY *key;
    uint8_t hash[32], signature[512];
    size_t len;
    ASYNC_JOB *job;
    ASYNC_WAIT_CTX *wait;
    int result; /* of the operation, when ended */
    int started, ended;
    int blocks_pause; /* the fibre signs with pausing blocked */
};

/* Zeroes it and makes a wait context; the key is borrowed. */
void signer_init(struct signer *signer, EVP_PKEY *key, unsigned seed);
void signer_clear(struct signer *signer);

/* Starts or resumes; returns 1 if it has ended. */
int signer_step(struct signer *signer);

/* Steps until it has ended; the test fails if that takes more than 100 steps. */
void signer_finish(struct signer *signer);

/* 1 if the signature is good, by OpenSSL alone. name is the key's. */
int signer_is_right(const struct signer *signer, const char *name);

/* Finishes `count` of them, which all have the key of that name, finds their signatures good, and clears them. */
void signers_end(struct signer signer[], int count, const char *name);

/* The fd that the fibre waits for, or -1. */
int signer_fd(const struct signer *signer);
int is_readable(int fd);

#endif
