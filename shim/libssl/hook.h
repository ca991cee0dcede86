/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How every hook of libssl begins. */
#ifndef OCT_SHIM_HOOK_H
#define OCT_SHIM_HOOK_H

#include "libssl/call.h"

#define OCT_HOOK __attribute__((visibility("default")))

/* `own` are the functions of the caller's libssl. Where the shim is off they are those of the libssl that the program
 * was started with, and the hook is a jump, unless somebody traces calls. */
#define OCT_OWN(real)                                                                                                  \
    const struct oct_ssl_functions *own = oct_ssl_instead;                                                             \
    if (__builtin_expect(own == NULL, 1))                                                                              \
        own = oct_ssl_of(__builtin_return_address(0));                                                                 \
    else if (!OCT_TIMED_WANTED(call))                                                                                  \
        return own->real;                                                                                              \
    __attribute__((cleanup(oct_ssl_leave), unused)) const struct oct_ssl_functions *before = oct_ssl_enter(own)

#endif
