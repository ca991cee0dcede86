/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM3: lanes of the API into messages, and digests out of the workspace. */
#include "api/op_internal.h"
#include "api/operation.h"
#include "api/sm3_lanes.h"
#include "api/workspace.h"

#include <octuple/op.h>

#include <string.h>

static int sm3_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_sm3_lane *lane = vlane;
    (void)operation;
    return lane->digest && (lane->message || lane->len == 0) ? OCT_OK : OCT_ERR_ARGUMENT;
}

static int run(const struct oct_ops *ops, const struct oct_sm3_lane lane[], unsigned lanes)
{
    struct oct_hash_message message[OCT_SM3_LANES];
    struct oct_workspace *workspace = oct_workspace_open(sizeof(struct oct_sm3_space) + 64);
    if (!workspace)
        return OCT_ERR_MEMORY;
    struct oct_sm3_space *space = oct_workspace_take(workspace, sizeof *space);
    for (unsigned i = 0; i < lanes; i++)
        message[i] = (struct oct_hash_message){.body = lane[i].message, .body_len = lane[i].len};
    oct_sm3_lanes(ops, space, message, lanes);
    for (unsigned i = 0; i < lanes; i++)
        memcpy(lane[i].digest, space->digest[i], OCT_SM3_BYTES);
    ops->clear_registers();
    oct_workspace_close(workspace);
    oct_scrub_stack();
    return OCT_OK;
}

static int sm3_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *lane, unsigned lanes,
                  struct oct_lanes *result)
{
    const int status = run(ops, lane, lanes);
    (void)operation;
    if (status == OCT_OK)
        oct_lanes_report(result, lanes, 0xff);
    return status;
}

const struct oct_family oct_family_sm3 = {
    .lane_bytes = sizeof(struct oct_sm3_lane), .whole = true, .check = sm3_check, .run_x8 = sm3_x8};

int oct_sm3_on(const struct oct_ops *ops, const struct oct_sm3_lane lane[], unsigned lanes)
{
    int status = lane && lanes >= 1 && lanes <= OCT_SM3_LANES ? OCT_OK : OCT_ERR_ARGUMENT;
    for (unsigned i = 0; status == OCT_OK && i < lanes; i++)
        status = sm3_check(NULL, &lane[i]);
    if (status != OCT_OK)
        return status;
    return ops ? run(ops, lane, lanes) : OCT_ERR_UNSUPPORTED;
}

int oct_sm3_x16(const struct oct_sm3_lane lane[], unsigned lanes)
{
    return oct_sm3_on(oct_op_table(OCT_OP_SM3), lane, lanes);
}
