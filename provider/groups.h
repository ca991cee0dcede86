/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * TLS groups and signature algorithms. libssl knows a group only from the provider whose key management it fetches for
 * it: whoever serves X25519 keys has to announce the groups over them, or "group 'X25519' cannot be set". Likewise for
 * signature algorithms that libssl has no table of, ML-DSA among them.
 */
#ifndef OCT_PROVIDER_GROUPS_H
#define OCT_PROVIDER_GROUPS_H

#include <openssl/core.h>

struct oct_prov;
struct oct_offers;

/*
 * Announces the groups of each family that has some of its own, and each group of OpenSSL's whose key management is
 * among the offers, just as the default provider of the OpenSSL that runs announces it: names, numbers, versions.
 * Returns 1, or 0 with an error raised.
 */
int oct_groups_announce(struct oct_prov *prov, const struct oct_offers *offers, OSSL_CALLBACK *callback, void *arg);

/* Announces each signature algorithm of OpenSSL's whose key management is among the offers, in the same way. */
int oct_sigalgs_announce(struct oct_prov *prov, const struct oct_offers *offers, OSSL_CALLBACK *callback, void *arg);

#endif
