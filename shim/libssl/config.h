/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Keeps the settings of OpenSSL where the configuration that `octuple run` has named is out of reach. */
#ifndef OCT_SHIM_CONFIG_H
#define OCT_SHIM_CONFIG_H

/* Notes what OPENSSL_CONF names, and checks it. Called while the program is loaded, before its own code runs. */
void oct_config_start(void);

/* Names what the file includes, in its place, if it is one of ours and is not there any more. */
void oct_config_check(void);

/* The same though it is there: Octuple is not to be loaded at all. Only before the program's own code runs. */
void oct_config_put_back(void);

#endif
