/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* `octuple unit`: Octuple on or off for a service of systemd. */
#ifndef OCT_CLI_UNIT_H
#define OCT_CLI_UNIT_H

int cli_unit(int argc, char **argv);

#endif
