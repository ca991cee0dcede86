/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The operations that `octuple speed` knows: every family's table, in the order of the output.
 */
#include <string.h>
#include "speed.h"

static const struct speed_op *const families[] = {speed_rsa_ops,       speed_x25519_ops,  speed_ec_ops,
                                                  speed_ec_verify_ops, speed_ed25519_ops, speed_mlkem_ops,
                                                  speed_mldsa_ops,     speed_aead_ops,    speed_quic_ops};

const struct speed_op *speed_op_at(unsigned i)
{
    for (size_t family = 0; family < sizeof families / sizeof families[0]; family++) {
        for (const struct speed_op *op = families[family]; op->name != NULL; op++) {
            if (i-- == 0) {
                return op;
            }
        }
    }
    return NULL;
}

const struct speed_op *speed_op_find(const char *name)
{
    const struct speed_op *op;
    for (unsigned i = 0; (op = speed_op_at(i)) != NULL; i++) {
        if (!strcmp(op->name, name)) {
            return op;
        }
    }
    return NULL;
}

int speed_op_is_on(const struct speed_op *op)
{
    return op->oct_op < 0 ? oct_aead_is_on(SPEED_AEAD(op->oct_op)) : oct_op_is_on(op->oct_op);
}

const char *speed_op_reason(const struct speed_op *op)
{
    return op->oct_op < 0 ? oct_aead_reason(SPEED_AEAD(op->oct_op)) : oct_op_reason(op->oct_op);
}

int speed_op_has_openssl(const struct speed_op *op, void *state)
{
    return op->openssl(state) != SPEED_NONE;
}

int speed_op_is_bytes(const struct speed_op *op)
{
    return strcmp(op->unit, "GB/s") == 0;
}
