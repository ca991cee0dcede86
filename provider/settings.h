/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The switches in the provider's section of openssl.cnf: one per family and kind of operation, all on unless switched
 * off there.
 *
 *     [octuple_section]
 *     activate = 1
 *     rsa-keymgmt = on        # RSA keys live in this provider; off switches all of RSA off
 *     rsa-signature = on      # sign and verify: PKCS#1 v1.5, PSS, X9.31, none
 *     rsa-decryption = on     # decrypt and encrypt: PKCS#1 v1.5, OAEP, TLS pre-master secret, none
 *     x25519-keymgmt = on     # X25519 keys live in this provider; off switches all of X25519 off
 *     x25519-exchange = on    # derive shared secrets
 *     x25519-pool = on        # make ephemeral key pairs eight at a time, ahead of need
 *     ec-keymgmt = on         # keys over all curves live in this provider; off switches all of EC off
 *     ec-exchange = on        # ECDH
 *     ec-signature = on       # ECDSA
 *     ec-pool = on            # as x25519-pool, for P-256 and P-384
 *     ed25519-keymgmt = on    # Ed25519 keys live in this provider; off switches all of Ed25519 off
 *     ed25519-signature = on  # sign and verify
 *     aes-gcm = on            # the ciphers AES-128-GCM, AES-192-GCM, AES-256-GCM
 *     chacha20-poly1305 = on  # the cipher ChaCha20-Poly1305
 *     tls-kdf = on            # the key derivations TLS13-KDF and TLS1-PRF
 *     combining = on          # threads that block run their operations together (not a family: all of them)
 *
 * These are the defaults, but for the ciphers: unless they are asked for, here or by OCTUPLE_CIPHERS=on in the
 * environment, only those are served that are no slower for it on this CPU (oct_aead_pays()); OCTUPLE_CIPHERS=off
 * switches them off, and OCTUPLE_COMBINE=off combining, where the section does not say. on, yes, true, 1 and off, no,
 * false, 0 are understood, in any case of letters; anything else leaves the default. What is off is served by the next
 * provider (with OpenSSL's own, keys are exported to it once and cached).
 */
#ifndef OCT_PROVIDER_SETTINGS_H
#define OCT_PROVIDER_SETTINGS_H

#include <openssl/core_dispatch.h>

enum oct_setting {
    OCT_SETTING_RSA_KEYMGMT = 0,
    OCT_SETTING_RSA_SIGNATURE = 1,
    OCT_SETTING_RSA_DECRYPTION = 2,
    OCT_SETTING_X25519_KEYMGMT = 3,
    OCT_SETTING_X25519_EXCHANGE = 4,
    OCT_SETTING_X25519_POOL = 5,
    OCT_SETTING_EC_KEYMGMT = 6,
    OCT_SETTING_EC_EXCHANGE = 7,
    OCT_SETTING_EC_SIGNATURE = 8,
    OCT_SETTING_EC_POOL = 9,
    OCT_SETTING_ED25519_KEYMGMT = 10,
    OCT_SETTING_ED25519_SIGNATURE = 11,
    OCT_SETTING_AES_GCM = 12,
    OCT_SETTING_CHACHA20_POLY1305 = 13,
    OCT_SETTING_TLS_KDF = 14,
    OCT_SETTING_COMBINING = 15,
    OCT_SETTING_COUNT = 16
};

struct oct_settings {
    unsigned on;    /* bit i: enum oct_setting i */
    unsigned asked; /* the same, of those that are on by wish and not by default */
};

/* Reads the switches from the core; get_params may be NULL. */
void oct_settings_read(struct oct_settings *settings, const OSSL_CORE_HANDLE *handle,
                       OSSL_FUNC_core_get_params_fn *get_params);

#endif
