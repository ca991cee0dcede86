/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#ifndef OCT_SHIM_LIBRARY_H
#define OCT_SHIM_LIBRARY_H

#include <stdbool.h>

/* Loads liboctuple, once, where libssl is; it stays. No function of it is to be used before. False if it is not there,
 * or of a version that does not fit. */
bool oct_library_load(void);

#endif
