/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Operations by name and in flat bytes: for bindings of other languages, and for who would rather not fill in structs.
 * oct_op_find() gives an operation's number, oct_flat_form_get() its sizes, and a batch is one buffer to read and one
 * to write. So a binding copies no number, no size and no struct of a lane.
 *
 *     int op = oct_op_find("p256-sign");
 *     struct oct_flat_form form;
 *     if (oct_op_is_on(op) && oct_flat_form_get(op, &form) == OCT_OK)
 *         status = oct_flat_run(op, lanes, NULL, in, in_len, out, &result);
 *
 * What a lane reads and writes, without gaps; numbers have the form that the header of the operation's family says:
 *
 *     operation                              key of   reads                                        writes
 *     rsa..-private                          numbers  the number                                   the number
 *     rsa..-keygen                                                                                 n d p q dp dq qinv
 *     x25519-derive, p..-derive, sm2-derive           private key, the peer's public key           shared secret
 *     x25519-keygen, p..-keygen, sm2-keygen                                                        private, public key
 *     p..-sign, sm2-sign                              private key; digest                          signature
 *     p..-verify, sm2-verify                          public key, signature; digest
 *     ed25519-sign                           seed     ; message                                    signature
 *     ed25519-verify                                  public key, signature; message
 *
 * What stands behind a semicolon has any length from the form's. The numbers of an RSA key are n; p, q, dp, dq and qinv
 * with half the bytes of n each; and e with 8. Operations that are not in this table have no flat form.
 */
#ifndef OCTUPLE_FLAT_H
#define OCTUPLE_FLAT_H

#include <octuple/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All sizes are in bytes. This struct does not grow. */
struct oct_flat_form {
    size_t lanes; /* how many operations one call takes at the most */
    size_t key;   /* what oct_flat_key_new() reads; 0: the operation has no key of this kind */
    size_t in;    /* what a lane reads */
    size_t more;  /* and at most so many bytes behind them: the digest or the message; 0: none */
    size_t out;   /* what a lane writes */
};

/* The sizes of an operation, whether it is on or not. Errors, with *form left as it was: OCT_ERR_ARGUMENT (NULL, no
 * such operation), OCT_ERR_UNSUPPORTED (no flat form). */
OCT_API OCT_MUST_USE int oct_flat_form_get(int op, struct oct_flat_form *form);

/* A key of one operation. It is only read once it is made, so any number of threads may use it at once. */
struct oct_flat_key;

/*
 * Makes a key from `len` secret bytes, form.key of them, which are not kept. The caller owns the key. Errors, with *key
 * left as it was: OCT_ERR_ARGUMENT (NULL, no such operation, one without keys), OCT_ERR_LENGTH, OCT_ERR_MEMORY, and
 * what oct_rsa_key_new() and oct_ed25519_key_new() say.
 */
OCT_API OCT_MUST_USE int oct_flat_key_new(struct oct_flat_key **key, int op, const uint8_t *bytes, size_t len);

/* Wipes and frees a key that no call uses any more. NULL: nothing. */
OCT_API void oct_flat_key_free(struct oct_flat_key *key);

/*
 * Runs 1 to form.lanes operations in lanes, on the calling thread and at once, and counts them (octuple/counters.h).
 * Lane i reads in_len[i] bytes of `in`, behind those of the lanes before it, and writes form.out bytes at
 * out + i * form.out. Lane i has key[i]; key may be NULL where form.key is 0, in and in_len where nothing is read, and
 * out where nothing is written. `out` overlaps no input. Secret is what the family's header calls so; lengths are
 * public.
 *
 * OCT_OK: *result says what became of each lane, and the output of a lane that is not in result->ok is zeros. Errors,
 * with nothing run, and `out` as it was or zeros: OCT_ERR_ARGUMENT (NULL, no such operation, the number of lanes, a key
 * of another operation), OCT_ERR_LENGTH, OCT_ERR_UNSUPPORTED (no flat form, or the operation is off: oct_op_reason()),
 * OCT_ERR_MEMORY.
 */
OCT_API OCT_MUST_USE int oct_flat_run(int op, unsigned lanes, const struct oct_flat_key *const key[], const uint8_t *in,
                                      const size_t in_len[], uint8_t *out, struct oct_lanes *result);

/*
 * Runs one operation as oct_flat_run() does a single lane, but together with those of other threads that block, as
 * oct_queue_combine() says. A thread that meets no other runs alone, in lanes. Key pairs of curves have no such call:
 * OCT_ERR_UNSUPPORTED, since one call of oct_flat_run() makes eight.
 */
OCT_API OCT_MUST_USE int oct_flat_combine(int op, const struct oct_flat_key *key, const uint8_t *in, size_t in_len,
                                          uint8_t *out, struct oct_lanes *result);

#ifdef __cplusplus
}
#endif
#endif
