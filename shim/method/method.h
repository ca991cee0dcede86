/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA in lanes for AWS-LC. Its calls end by themselves when an operation with a private key is not done yet, and go on
 * where they were when they are called again (SSL_PRIVATE_KEY_METHOD). So nothing of a call lies on the stack while it
 * is paused, and all else is as with slices: who may pause, how the program is led back, and what forces a call.
 *
 *   method.c     a call, and its key: in the one state in which libssl uses that, it is replaced by a method of ours
 *   operation.c  the operation that this method is asked for
 *   key.c        keys for lanes, which go with the keys of the program
 *   pad.c        what is signed
 *   pairs.c      key pairs for libssl, which wait for nobody
 *
 * Keys are those of 2048, 3072 and 4096 bits, with two primes and without a method of the program's own. Everything
 * else is libssl's alone: other keys, and an operation that has nobody to wait for.
 */
#ifndef OCT_SHIM_METHOD_H
#define OCT_SHIM_METHOD_H

#include "handshake/conn.h"
#include "libssl/awslc.h"

#include <octuple/octuple.h>

/* Once, before the first handshake. False if nothing can be served. */
bool oct_method_setup(void);

#define OCT_METHOD_BYTES (4096 / 8)

/* The operation of a connection, of which there is one at a time. */
enum oct_operation_state {
    OCT_OPERATION_NONE,     /* the object has its own key */
    OCT_OPERATION_OFFERED,  /* it has the method instead */
    OCT_OPERATION_WAITS,    /* in the queue */
    OCT_OPERATION_DONE,     /* there is a result, or libssl is to compute it */
    OCT_OPERATION_GIVEN_UP, /* the object has its own key from now on */
};

struct oct_operation {
    enum oct_operation_state state;
    EVP_PKEY *key; /* of the object, while that has the method */
    RSA *rsa;
    struct oct_rsa_key *lanes;
    bool signs; /* else it decrypts */
    size_t size;
    struct oct_queue *queue;
    struct oct_job job;
    uint8_t in[OCT_METHOD_BYTES], out[OCT_METHOD_BYTES]; /* secret */
};

/* Other threads ask for it. */
static inline void oct_operation_is(struct oct_operation *operation, enum oct_operation_state state)
{
    __atomic_store_n(&operation->state, state, __ATOMIC_RELEASE);
}

/* method.c: the object has its own key again. */
void oct_method_withdraw(struct oct_conn *conn);

/* operation.c */
extern const struct oct_method oct_operation_method;
/* It does not wait any more, and nothing of it is left in memory. */
void oct_operation_end(struct oct_operation *operation);

/* key.c */
bool oct_method_keys_setup(void);
/* It has one of the sizes that lanes serve, and is computed with by AWS-LC itself. */
bool oct_method_may_serve(const RSA *rsa);
/* A reference; NULL: lanes do not serve this key, which they may. */
struct oct_rsa_key *oct_method_lanes(RSA *rsa);

/* pad.c: what is to be signed of this message, as long as the modulus. */
bool oct_method_pad(const RSA *rsa, uint8_t *to, size_t size, uint16_t algorithm, const uint8_t *in, size_t in_len);

/* pairs.c: once it is settled that the shim is at work, before the first handshake. */
void oct_method_lead_pairs(void);

#endif
