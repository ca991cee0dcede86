/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * `octuple run`: its options and messages. cli/core/launch does the work, for `octuple doctor` too.
 */
#ifndef OCT_CLI_RUN_H
#define OCT_CLI_RUN_H

int cli_run(int argc, char **argv);

#endif
