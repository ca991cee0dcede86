/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Dispatch tables that the compiler checks: OpenSSL's OSSL_DISPATCH holds untyped function pointers, and a wrong
 * signature shows itself only as a crash. OCT_DISPATCH compiles only if the function has the type that OpenSSL's header
 * gives for that entry.
 */
#ifndef OCT_PROVIDER_DISPATCH_H
#define OCT_PROVIDER_DISPATCH_H

#include <openssl/core_dispatch.h>

#define OCT_DISPATCH(id, type, function)                                                                               \
    {                                                                                                                  \
        OSSL_FUNC_##id, _Generic(&(function), OSSL_FUNC_##type##_fn * : (void (*)(void))(function))                    \
    }
#define OCT_DISPATCH_END                                                                                               \
    {                                                                                                                  \
        0, NULL                                                                                                        \
    }

/* One macro per operation, so that a table reads as a list of names. */
#define OCT_CORE_ENTRY(ID, type, function)      OCT_DISPATCH(PROVIDER_##ID, provider_##type, function)
#define OCT_KEYMGMT_ENTRY(ID, type, function)   OCT_DISPATCH(KEYMGMT_##ID, keymgmt_##type, function)
#define OCT_SIGNATURE_ENTRY(ID, type, function) OCT_DISPATCH(SIGNATURE_##ID, signature_##type, function)
#define OCT_EXCHANGE_ENTRY(ID, type, function)  OCT_DISPATCH(KEYEXCH_##ID, keyexch_##type, function)
#define OCT_KEM_ENTRY(ID, type, function)       OCT_DISPATCH(KEM_##ID, kem_##type, function)
#define OCT_SYMMETRIC_ENTRY(ID, type, function) OCT_DISPATCH(CIPHER_##ID, cipher_##type, function)
#define OCT_KDF_ENTRY(ID, type, function)       OCT_DISPATCH(KDF_##ID, kdf_##type, function)
#define OCT_ENCODER_ENTRY(ID, type, function)   OCT_DISPATCH(ENCODER_##ID, encoder_##type, function)
#define OCT_CIPHER_ENTRY(ID, type, function)    OCT_DISPATCH(ASYM_CIPHER_##ID, asym_cipher_##type, function)

#endif
