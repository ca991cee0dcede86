/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The key derivations of TLS, TLS13-KDF and TLS1-PRF, and HKDF, from which servers of QUIC derive the keys of packets.
 *
 * A handshake makes and frees a context for each of its twenty derivations, so a context has room for what libssl puts
 * into it and is kept for the next one. Only the usual is computed here: SHA-256 and SHA-384, parameters
 * of the types and sizes that TLS and QUIC give them, all of them valid. Whatever else is asked for, errors among it,
 * is for OpenSSL's own implementation, which then takes the context over, with what had been set so far, until it is
 * reset.
 */
#ifndef OCT_PROVIDER_KDF_H
#define OCT_PROVIDER_KDF_H

#include "provider/core/hmac.h"
#include "provider/core/fallback.h"

#include <openssl/kdf.h>
#include <openssl/params.h>

struct oct_kdf_type;

enum oct_kdf_kind { OCT_KDF_TLS13, OCT_KDF_TLS1_PRF, OCT_KDF_HKDF, OCT_KDF_KINDS };

/* What a derivation is made from. The names are those of TLS13-KDF; TLS1-PRF calls the key secret and the data seed,
 * and HKDF calls the data info. */
enum oct_kdf_field { OCT_KDF_KEY, OCT_KDF_DATA, OCT_KDF_SALT, OCT_KDF_PREFIX, OCT_KDF_LABEL, OCT_KDF_FIELDS };

/* More than the shared secret of P-384 with ML-KEM-1024 (80 bytes), and than "key expansion" with both randoms (77). */
#define OCT_KDF_ROOM 96

struct oct_kdf {
    struct oct_prov *prov;
    const struct oct_kdf_type *type;
    EVP_KDF_CTX *fallback; /* OpenSSL's own implementation, once it has taken over */
    int mode;              /* EVP_KDF_HKDF_MODE_...; 0: both of HKDF, else not set yet, or TLS1-PRF */
    enum oct_hash hash;
    size_t len[OCT_KDF_FIELDS]; /* 0: not set */
    uint8_t field[OCT_KDF_FIELDS][OCT_KDF_ROOM];
};

struct oct_kdf_type {
    enum oct_kdf_kind kind;
    const char *names[OCT_KDF_FIELDS]; /* of the parameters; NULL: there is none */
    int has_mode;                      /* there is a mode, and data are not concatenated */
    /* Writes len bytes. 0, with nothing written, if this is not for us. */
    int (*run)(const struct oct_kdf *kdf, uint8_t *out, size_t len);
};

/* Takes the parameters if all of them are usual. 0, with nothing changed, if not. */
int oct_kdf_params_set(struct oct_kdf *kdf, const OSSL_PARAM params[]);

/* What has been set, as a list of parameters that refer to *kdf. Returns how many there are. */
#define OCT_KDF_PARAMS (OCT_KDF_FIELDS + 3)
size_t oct_kdf_params_get(struct oct_kdf *kdf, OSSL_PARAM params[OCT_KDF_PARAMS]);

/* Answers what contexts of EVP_PKEY ask HKDF for at each derivation: its size, and the info so far. 0: not answered. */
int oct_kdf_params_answer(const struct oct_kdf *kdf, OSSL_PARAM params[]);

/* tls.c. The states of a key of up to OCT_KDF_ROOM bytes: in *room, which the caller cleanses, or kept for the call
 * into the handshake that is under way. */
const struct oct_hmac *oct_kdf_with_key(struct oct_hmac *room, enum oct_hash hash, const uint8_t *key, size_t len);

/* See oct_kdf_type.run. */
int oct_kdf_tls13_run(const struct oct_kdf *kdf, uint8_t *out, size_t len);
int oct_kdf_tls1_prf_run(const struct oct_kdf *kdf, uint8_t *out, size_t len);
int oct_kdf_hkdf_run(const struct oct_kdf *kdf, uint8_t *out, size_t len);

#endif
