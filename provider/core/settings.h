/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The switches in the provider's section of openssl.cnf: those of each family (family.h), and one for all.
 *
 *     [octuple_section]
 *     activate = 1
 *     x25519-pool = off       # a family's switch
 *     combining = on          # threads that block run their operations together
 *
 * All are on unless switched off there. A family may ask whether a switch was turned on by wish: ciphers are served
 * only where they are no slower for it, unless they are asked for. Where the section does not say, OCTUPLE_CIPHERS is
 * for all switches of families of ciphers, and OCTUPLE_COMBINE for combining. on, yes, true, 1 and off, no, false, 0
 * are understood, in any case of letters; anything else leaves the default.
 * What is off is served by the next provider (with OpenSSL's own, keys are exported to it once and cached).
 */
#ifndef OCT_PROVIDER_SETTINGS_H
#define OCT_PROVIDER_SETTINGS_H

#include "family.h"

#include <openssl/core_dispatch.h>

struct oct_settings {
    unsigned on[OCT_FAMILIES];    /* bit i: switch i of the family */
    unsigned asked[OCT_FAMILIES]; /* the same, of those that are on by wish and not by default */
    bool combining;
};

/* Reads the switches from the core; get_params may be NULL. */
void oct_settings_read(struct oct_settings *settings, const OSSL_CORE_HANDLE *handle,
                       OSSL_FUNC_core_get_params_fn *get_params);

/* Whether all these switches of a family are on. */
static inline bool oct_settings_has(const struct oct_settings *settings, int family, unsigned switches)
{
    return (settings->on[family] & switches) == switches;
}

#endif
