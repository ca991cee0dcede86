/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Environment variables, as the commands show them; src/base/settings.def has the list. */
#ifndef OCT_CLI_SETTINGS_H
#define OCT_CLI_SETTINGS_H

#include <stdbool.h>
#include "src/base/settings.h"

/* All of them, for --help. */
void cli_settings_print(void);

/* Looks at one string of an environment, NAME=VALUE. Says what is wrong with it, if it is one of Octuple's and the
 * value none that it takes, or if it looks like a misspelt one; false if nothing is. Paths begin at `root`, "" for
 * ours. */
bool cli_settings_wrong(char *text, size_t room, const char *string, const char *root);

/* What a switch of openssl.cnf, which the release before had, is called now; NULL if it had none of that name. */
const char *cli_settings_switch(const char *former);

#endif
