/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What SM2 signs (GB/T 32918.2, 5.5): e = SM3(Z || message), where Z binds the signer's identifier, curve and key. Both
 * hashes run in lanes. All of it is public but the message.
 */
#include "api/op_internal.h"
#include "api/sm2_internal.h"
#include "api/sm3_lanes.h"
#include "api/workspace.h"

#include <octuple/op.h>

#include <string.h>

#define COORDINATE 32

/* a, b, and G: what of Z is the curve's. */
static const uint8_t curve[4 * COORDINATE] = {
    0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfc, 0x28, 0xe9, 0xfa, 0x9e, 0x9d, 0x9f,
    0x5e, 0x34, 0x4d, 0x5a, 0x9e, 0x4b, 0xcf, 0x65, 0x09, 0xa7, 0xf3, 0x97, 0x89, 0xf5, 0x15, 0xab, 0x8f, 0x92, 0xdd,
    0xbc, 0xbd, 0x41, 0x4d, 0x94, 0x0e, 0x93, 0x32, 0xc4, 0xae, 0x2c, 0x1f, 0x19, 0x81, 0x19, 0x5f, 0x99, 0x04, 0x46,
    0x6a, 0x39, 0xc9, 0x94, 0x8f, 0xe3, 0x0b, 0xbf, 0xf2, 0x66, 0x0b, 0xe1, 0x71, 0x5a, 0x45, 0x89, 0x33, 0x4c, 0x74,
    0xc7, 0xbc, 0x37, 0x36, 0xa2, 0xf4, 0xf6, 0x77, 0x9c, 0x59, 0xbd, 0xce, 0xe3, 0x6b, 0x69, 0x21, 0x53, 0xd0, 0xa9,
    0x87, 0x7c, 0xc6, 0x2a, 0x47, 0x40, 0x02, 0xdf, 0x32, 0xe5, 0x21, 0x39, 0xf0, 0xa0,
};

/* What a batch works in. A head of Z is the identifier's length in bits, and the identifier. */
struct digest_space {
    struct oct_sm3_space hash;
    uint8_t head[OCT_LANES][2 + OCT_SM2_MAX_ID];
    uint8_t body[OCT_LANES][sizeof curve + 2 * COORDINATE];
    uint8_t z[OCT_LANES][OCT_SM3_BYTES];
};

static struct oct_hash_message message_of_z(struct digest_space *space, unsigned i,
                                            const struct oct_sm2_digest_lane *lane)
{
    const size_t bits = 8 * lane->id_len;
    space->head[i][0] = (uint8_t)(bits >> 8);
    space->head[i][1] = (uint8_t)bits;
    if (lane->id_len)
        memcpy(space->head[i] + 2, lane->id, lane->id_len);
    memcpy(space->body[i], curve, sizeof curve);
    memcpy(space->body[i] + sizeof curve, lane->public_key, (size_t)2 * COORDINATE);
    return (struct oct_hash_message){space->head[i], space->body[i], 2 + lane->id_len, sizeof space->body[i]};
}

static int check(const struct oct_sm2_digest_lane *lane)
{
    if (!lane->public_key || !lane->digest || (!lane->id && lane->id_len) || (!lane->message && lane->len))
        return OCT_ERR_ARGUMENT;
    return lane->id_len <= OCT_SM2_MAX_ID ? OCT_OK : OCT_ERR_LENGTH;
}

static int run(const struct oct_ops *ops, const struct oct_sm2_digest_lane lane[], unsigned lanes)
{
    struct oct_hash_message message[OCT_LANES];
    struct oct_workspace *workspace = oct_workspace_open(sizeof(struct digest_space) + 64);
    if (!workspace)
        return OCT_ERR_MEMORY;
    struct digest_space *space = oct_workspace_take(workspace, sizeof *space);
    for (unsigned i = 0; i < lanes; i++)
        message[i] = message_of_z(space, i, &lane[i]);
    oct_sm3_lanes(ops, &space->hash, message, lanes);
    memcpy(space->z, space->hash.digest, sizeof space->z);
    for (unsigned i = 0; i < lanes; i++)
        message[i] = (struct oct_hash_message){space->z[i], lane[i].message, sizeof space->z[i], lane[i].len};
    oct_sm3_lanes(ops, &space->hash, message, lanes);
    for (unsigned i = 0; i < lanes; i++)
        memcpy(lane[i].digest, space->hash.digest[i], OCT_SM3_BYTES);
    ops->clear_registers();
    oct_workspace_close(workspace);
    oct_scrub_stack();
    return OCT_OK;
}

int oct_sm2_digest_on(const struct oct_ops *ops, const struct oct_sm2_digest_lane lane[], unsigned lanes)
{
    int status = lane && lanes >= 1 && lanes <= OCT_LANES ? OCT_OK : OCT_ERR_ARGUMENT;
    for (unsigned i = 0; status == OCT_OK && i < lanes; i++)
        status = check(&lane[i]);
    if (status != OCT_OK)
        return status;
    return ops ? run(ops, lane, lanes) : OCT_ERR_UNSUPPORTED;
}

int oct_sm2_digest_x8(const struct oct_sm2_digest_lane lane[], unsigned lanes)
{
    return oct_sm2_digest_on(oct_op_table(OCT_OP_SM3), lane, lanes);
}
