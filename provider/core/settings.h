/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The switches in the provider's section of openssl.cnf, as switches.def lists them: one for what belongs together.
 *
 *     [octuple_section]
 *     activate = 1
 *     x25519 = off
 *     pools = off
 *
 * All are on unless switched off there. A family may ask whether a switch was turned on by wish: ciphers are served
 * only where they are no slower for it, unless they are asked for. Where the section does not say, OCTUPLE_CIPHERS is
 * for the switches of ciphers, and OCTUPLE_COMBINE for combining. on, yes, true, 1 and off, no, false, 0 are
 * understood, in any case of letters; anything else leaves the default.
 * What is off is served by the next provider.
 *
 * A name of the release before switches off all that its successor does, so that nothing is served that somebody did
 * not want; a message says so on the standard error, once in a process.
 */
#ifndef OCT_PROVIDER_SETTINGS_H
#define OCT_PROVIDER_SETTINGS_H

#include "family.h"

#include <openssl/core_dispatch.h>

/* By enum oct_prov_switch. */
struct oct_settings {
    bool on[OCT_PROV_SWITCHES];
    bool asked[OCT_PROV_SWITCHES]; /* on by wish and not by default */
};

/* Reads the switches from the core; get_params may be NULL. */
void oct_settings_read(struct oct_settings *settings, const OSSL_CORE_HANDLE *handle,
                       OSSL_FUNC_core_get_params_fn *get_params);

#endif
