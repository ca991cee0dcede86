/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How every hook of libssl begins. */
#ifndef OCT_SHIM_HOOK_H
#define OCT_SHIM_HOOK_H

#include "shim.h"

#define OCT_HOOK __attribute__((visibility("default")))

/* Where the shim is off: a jump to the function of the libssl that the program was started with. Else `own` are the functions of the
 * caller's libssl. */
#define OCT_OWN(call)                                                                                                  \
    const struct oct_ssl_functions *own = oct_ssl_instead;                                                             \
    if (__builtin_expect(own != NULL, 0))                                                                              \
        return own->call;                                                                                              \
    own = oct_ssl_of(__builtin_return_address(0))

#endif
