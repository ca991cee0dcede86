/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the provider tests share: two library contexts, one that prefers Octuple and one of OpenSSL alone to compare
 * with; keys made by make-keys; and fibres, without which nothing runs in lanes.
 */
#ifndef OCT_TESTS_PROVIDER_COMMON_H
#define OCT_TESTS_PROVIDER_COMMON_H

/* cmocka needs these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "run_tests.h"
#include <octuple/octuple.h>
#include <openssl/async.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>

#define MAX_BYTES 1024
#define EIGHT     8

/* Contexts; made by open_contexts(). */
extern OSSL_LIB_CTX *octuple_ctx, *plain_ctx;

/* Group setup and teardown. Ends the program with status 77 (skipped), saying why, if no operation is on. */
int open_contexts(void **state);
int close_contexts(void **state);

/* A context with default and octuple; settings is text for the provider's section of a configuration file, or NULL. */
OSSL_LIB_CTX *new_octuple_ctx(const char *settings);

/* The table in use: 1 for the portable one, under which tests do less. */
int is_slow(void);

/* A key of make-keys by its name ("2048a", ...), private or public only, for that context. */
EVP_PKEY *load_key(OSSL_LIB_CTX *ctx, const char *name);
EVP_PKEY *load_public_key(OSSL_LIB_CTX *ctx, const char *name);

/* A key as applications load it from a file, in octuple_ctx: OpenSSL's, which hands its numbers to our provider at
 * first use. */
EVP_PKEY *decode_key(const char *name);

/* A key of that context by the numbers of another, into the key management that it prefers, or that has these
 * properties: OpenSSL's decoders keep keys in their own. */
EVP_PKEY *copy_key(OSSL_LIB_CTX *ctx, const char *properties, const EVP_PKEY *key, int selection);
/* 1 if it is agreed on; *len is the room before. */
int derive_secret(OSSL_LIB_CTX *ctx, EVP_PKEY *own, EVP_PKEY *peer, uint8_t *out, size_t *len);

/* 1 if the key lives in our provider. */
int is_ours(const EVP_PKEY *key);

/* Names of the keys with lanes, and of those that fall back; ended by NULL. */
extern const char *const lane_keys[];
extern const char *const plain_keys[];
extern const char *const all_keys[];

/* Calls function(i, arg) in `count` fibres at once and resumes them until all have ended. Fails the test if one
 * returned 0. */
void run_fibres(int count, int (*function)(int index, void *arg), void *arg);

/* Reproducible bytes. */
void fill(uint8_t *out, size_t len, unsigned seed);

/* The sum over the operations of one kind of counter. */
uint64_t lanes_done(void);

#endif
