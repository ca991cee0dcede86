/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* OpenSSL's memory, of which one allocation fails. */
#ifndef OCT_TESTS_PROVIDER_SCARCE_H
#define OCT_TESTS_PROVIDER_SCARCE_H

#include <stdbool.h>

/* Before anything that allocates; false: it was too late. */
bool scarce_begin(void);

/* From now on the n-th allocation fails, counted from 0, of any thread. */
void scarce_arm(long n);

/* No more. True if it came, and failed. */
bool scarce_disarm(void);

#endif
