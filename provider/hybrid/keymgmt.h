/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the files of this family need of each other besides keys. */
#ifndef OCT_PROVIDER_HYBRID_KEYMGMT_H
#define OCT_PROVIDER_HYBRID_KEYMGMT_H

#include <openssl/core_dispatch.h>

struct oct_prov;

extern const OSSL_DISPATCH oct_x25519mlkem768_keymgmt[], oct_secp256r1mlkem768_keymgmt[],
    oct_secp384r1mlkem1024_keymgmt[], oct_curvesm2mlkem768_keymgmt[], oct_mlkem768_keymgmt[], oct_mlkem1024_keymgmt[];

/* 1 if the OpenSSL that runs has these groups itself, as from 3.5 on. */
int oct_hybrid_openssl_has(void);

/* See oct_prov_family.announce. */
int oct_hybrid_announce(struct oct_prov *prov, OSSL_CALLBACK *callback, void *arg);

#endif
