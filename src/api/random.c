/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "api/random.h"

#include <octuple/status.h>

#include <errno.h>
#include <sys/random.h>

int oct_random(void *data, size_t len)
{
    uint8_t *p = data;
    while (len > 0) {
        const ssize_t got = getrandom(p, len, 0);
        if (got < 0 && errno != EINTR)
            return OCT_ERR_UNSUPPORTED;
        if (got > 0) {
            p += got;
            len -= (size_t)got;
        }
    }
    return OCT_OK;
}
