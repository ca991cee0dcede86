/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include <octuple/status.h>

const char *oct_status_text(int status)
{
    switch (status) {
    case OCT_OK:
        return "ok";
    case OCT_ERR_ARGUMENT:
        return "invalid argument";
    case OCT_ERR_LENGTH:
        return "wrong length";
    case OCT_ERR_KEY:
        return "the numbers do not form a key";
    case OCT_ERR_UNSUPPORTED:
        return "not served here";
    case OCT_ERR_RANGE:
        return "input not below the modulus";
    case OCT_ERR_FAULT:
        return "the result failed its check";
    case OCT_ERR_MEMORY:
        return "out of memory";
    case OCT_ERR_FALLBACK:
        return "too few for a vector, to be run by the fallback";
    case OCT_ERR_STATE:
        return "wrong state of the job";
    case OCT_ERR_AUTH:
        return "not authentic";
    case OCT_ERR_LIMIT:
        return "the key's limit of use is reached";
    case OCT_ERR_STOPPED:
        return "stopped by a callback";
    default:
        return "unknown status";
    }
}
