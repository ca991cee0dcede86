/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What lies where: every process under the preload maps this library, most have no TLS, and each page that a start
 * touches costs as much as thousands of instructions. */
#ifndef OCT_SHIM_LAYOUT_H
#define OCT_SHIM_LAYOUT_H

/* A function that each start calls: these lie together. */
#define OCT_AT_START __attribute__((section(".text.startup")))

/* A table that no start touches. The linker puts these behind all other variables, which then fit on one page. */
#define OCT_LATE __attribute__((common))

#endif
