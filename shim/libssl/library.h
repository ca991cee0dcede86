/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#ifndef OCT_SHIM_LIBRARY_H
#define OCT_SHIM_LIBRARY_H

#include <stdbool.h>

/* Loads liboctuple, once, where libssl is; it stays. No function of it is to be used before. False if it is not there,
 * or of a version that does not fit. */
bool oct_library_load(void);

/* The process is in a jail or a sandbox from now on. In a jail others may have put files, and a sandbox may end a
 * process that opens one: nothing of Octuple is looked for in either. */
void oct_library_confine(void);
bool oct_library_is_confined(void);

#endif
