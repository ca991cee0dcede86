/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* `octuple check`: before a preload is written into a unit. */
#ifndef OCT_CLI_CHECK_H
#define OCT_CLI_CHECK_H

int cli_check(int argc, char **argv);

/* What the other process does: one handshake with itself, by whatever this process's OpenSSL is made to be. Prints what
 * came of it, in one line. */
int check_handshake(void);

#endif
