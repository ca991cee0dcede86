/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#ifndef OCT_SHIM_LONE_HELLO_H
#define OCT_SHIM_LONE_HELLO_H

#include <stdbool.h>
#include <stddef.h>

/* These bytes are one whole ClientHello in one record, and it brings no early data. Any bytes; none is secret. */
bool oct_is_lone_hello(const unsigned char *bytes, size_t n);

#endif
