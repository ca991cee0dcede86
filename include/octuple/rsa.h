/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA (RFC 8017) with moduli of exactly 2048, 3072 and 4096 bits: the raw operations RSADP/RSASP1 (private, by CRT)
 * and RSAEP/RSAVP1 (public), up to eight at a time with a key of its own for each. Padding is the caller's.
 *
 * All numbers are big-endian byte strings. Private numbers and private inputs are secret: the time and the addresses
 * touched do not depend on them. n, e, the input and output of the public operation, and the length of every
 * argument are public.
 */
#ifndef OCTUPLE_RSA_H
#define OCTUPLE_RSA_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A key: immutable after creation, reference-counted, to be used by any number of threads at once.
 * At most 16 KB, cleared when the last reference goes. */
struct oct_rsa_key;

/* The numbers of a key; leading zero bytes are allowed. A public key has n and e and leaves the rest empty
 * (len 0). A private key has all eight but d, which is not needed and is not read. */
struct oct_rsa_numbers {
    struct oct_bytes n;    /* modulus, exactly 2048, 3072 or 4096 bits, odd */
    struct oct_bytes e;    /* public exponent, odd, 3 to 2^32-1 */
    struct oct_bytes p, q; /* primes, each of exactly half the bits of n; p < q and p > q are both fine */
    struct oct_bytes dp;   /* d mod (p-1) */
    struct oct_bytes dq;   /* d mod (q-1) */
    struct oct_bytes qinv; /* q^-1 mod p */
};

/*
 * Makes a key and stores it in *key, with one reference that the caller owns.
 * Checked: the sizes; n, e, p, q odd; p != q; p*q = n; dp < p, dq < q, qinv < p; e*dp = 1 mod (p-1) and the same for
 * q; q*qinv = 1 mod p. Primality is not checked.
 * Errors: OCT_ERR_ARGUMENT (null), OCT_ERR_UNSUPPORTED (a size or exponent that is not served), OCT_ERR_KEY (a check
 * failed), OCT_ERR_MEMORY. On an error *key is untouched.
 */
OCT_API OCT_MUST_USE int oct_rsa_key_new(struct oct_rsa_key **key, const struct oct_rsa_numbers *numbers);

/* One more reference, for programs whose threads share a key. */
OCT_API void oct_rsa_key_up_ref(struct oct_rsa_key *key);

/* Gives one reference back; the last one clears and frees the key. NULL is allowed. */
OCT_API void oct_rsa_key_free(struct oct_rsa_key *key);

/* 2048, 3072 or 4096: for programs that size buffers by a key. */
OCT_API unsigned oct_rsa_key_bits(const struct oct_rsa_key *key);

/* 1 if the key has its private part. */
OCT_API int oct_rsa_key_is_private(const struct oct_rsa_key *key);

/* The bytes that the key object takes in memory: for programs with many keys, which budget for them. */
OCT_API size_t oct_rsa_key_memory(const struct oct_rsa_key *key);

/* The operations (enum oct_op) that a job with this key names. */
OCT_API int oct_rsa_private_op(const struct oct_rsa_key *key);
OCT_API int oct_rsa_public_op(const struct oct_rsa_key *key);

/* One lane of a batch. `in` and `out` are oct_rsa_key_bits()/8 bytes each, big-endian; they may be the same buffer,
 * otherwise no buffers of a call may overlap. */
struct oct_rsa_lane {
    const struct oct_rsa_key *key;
    const uint8_t *in;
    uint8_t *out;
};

/*
 * out = in^d mod n in each of `lanes` (1 to 8) lanes. All keys must be private and of one size; they may be eight
 * different ones. Every result is checked (out^e mod n = in) before it leaves; a lane that fails is computed once more
 * alone, and if it fails again it is zeroed and in neither mask. An `in` that is not below n makes its lane invalid,
 * and its output zero. Returns OCT_OK when the lanes were run: look at *result. Errors, with nothing written:
 * OCT_ERR_ARGUMENT, OCT_ERR_UNSUPPORTED (no table on this CPU, or the operation is off), OCT_ERR_MEMORY (workspace).
 */
OCT_API OCT_MUST_USE int oct_rsa_private_x8(const struct oct_rsa_lane lane[], unsigned lanes, struct oct_lanes *result);

/* out = in^e mod n in each lane: as above, with no result check (there is nothing secret to lose). */
OCT_API OCT_MUST_USE int oct_rsa_public_x8(const struct oct_rsa_lane lane[], unsigned lanes, struct oct_lanes *result);

/* Where the numbers of a new key go: big-endian, as many bytes as it says, with leading zeros. All but n is secret, and
 * the caller wipes it. e is 65537. */
struct oct_rsa_generated {
    uint8_t *n, *d;          /* bits/8 bytes each; d = 1/e mod lcm(p-1, q-1) */
    uint8_t *p, *q;          /* bits/16 bytes each; p > q */
    uint8_t *dp, *dq, *qinv; /* bits/16 bytes each */
};

/* The caller's part in making a key. All may be NULL. Callbacks may call this library, and fork; a child that returns
 * from one gets OCT_ERR_STATE. */
struct oct_rsa_generation {
    /* Fills `len` bytes of out, 4096 at the most, with random ones fit for long-lived keys; 1, or 0 to give up. NULL:
     * the kernel's, by getrandom(). */
    int (*random_bytes)(void *arg, uint8_t *out, size_t len);
    void *random_arg;
    /* Hears what OpenSSL's BN_GENCB hears: 0, i: the i-th candidate failed its first test; 1, i: a number has passed i
     * more tests; 3, 0 and 3, 1: the first and the second prime are proved. 1 to go on, or 0 to give up. */
    int (*progress)(void *arg, int potential, int iteration);
    void *progress_arg;
};

/*
 * Makes a key of 2048, 3072 or 4096 bits with e = 65537, of two primes (FIPS 186-5, A.1.3): random candidates each
 * drawn afresh of those at or above sqrt(2) * 2^(bits/2 - 1); eight or nine rounds of Miller-Rabin with random bases
 * for each prime, where the standard asks for five or four; |p-q| > 2^(bits/2 - 100); d > 2^(bits/2). A pair is tried
 * out before it leaves: a signature is made, and checked. Primes that are 1 modulo 65536 are left out, as are those
 * that are 1 modulo e.
 *
 * How long it takes depends on how many candidates fail, and by which small prime, and on nothing of the key that is
 * made. It takes some 500 KB of memory while it runs, and 16 KB of stack besides what the callbacks take.
 *
 * `how` may be NULL. On an error, nothing was written: OCT_ERR_ARGUMENT (null), OCT_ERR_UNSUPPORTED (other bits, no
 * table on this CPU, or the operation is off; or the kernel has no random bytes), OCT_ERR_STOPPED (a callback gave up),
 * OCT_ERR_STATE (in the child of a fork), OCT_ERR_MEMORY, OCT_ERR_FAULT (the pair failed its test, or no prime was
 * found among a multitude: this machine computes wrongly, or its random bytes are none).
 */
OCT_API OCT_MUST_USE int oct_rsa_generate(const struct oct_rsa_generated *out, unsigned bits,
                                          const struct oct_rsa_generation *how);

/* The operation (enum oct_op) that makes keys of so many bits; -1: there is none. */
OCT_API int oct_rsa_keygen_op(unsigned bits);

#ifdef __cplusplus
}
#endif
#endif
