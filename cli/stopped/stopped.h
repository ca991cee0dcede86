/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* `octuple stopped`: what a unit calls when its service has ended. */
#ifndef OCT_CLI_STOPPED_H
#define OCT_CLI_STOPPED_H

int cli_stopped(int argc, char **argv);

#endif
