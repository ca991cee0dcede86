/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* AWS-LC, whose X25519, P-256, P-384 and Ed25519 come from s2n-bignum: the best code for one operation at a time. */
#include "aws_lc.h"

#include <openssl/base.h>
#include <openssl/crypto.h>

static const char *version(void)
{
    return AWSLC_VERSION_NAME " " AWSLC_VERSION_NUMBER_STRING;
}

static const char *why_not(void)
{
    return oct_op_is_on(OCT_OP_RSA2048_PRIVATE) ? NULL : "Octuple has no table for this CPU";
}

static const char *note(void)
{
    return NULL;
}

static const struct beside_row *const families[] = {aws_lc_rsa, aws_lc_ec, aws_lc_25519, aws_lc_post_quantum, NULL};

const struct beside_peer beside_peer = {version, families, why_not, note, NULL};
