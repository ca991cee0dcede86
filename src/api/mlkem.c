/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-KEM batch calls: randomness for all lanes at once, and the kernels, which read and write bytes themselves. */
#include "api/op_internal.h"
#include "api/operation.h"
#include "api/random.h"
#include "api/workspace.h"
#include "ops/mlkem.h"

#include <octuple/mlkem.h>
#include <stdbool.h>

#define RANDOM_BYTES (OCT_LANES * OCT_MLKEM_KEYGEN_BYTES)
#define Q            3329 /* FIPS 203 */

/* One batch in its workspace. */
struct batch {
    const struct oct_mlkem_ops *ops;
    struct oct_workspace *workspace;
    void *kernel;
    uint8_t *random; /* RANDOM_BYTES: what the lanes lack */
};

static bool is_set(int set)
{
    return set >= 0 && set < OCT_MLKEM_SETS;
}

size_t oct_mlkem_ek_bytes(int set)
{
    return is_set(set) ? oct_mlkem_size[set].ek : 0;
}

size_t oct_mlkem_dk_bytes(int set)
{
    return is_set(set) ? oct_mlkem_size[set].dk : 0;
}

size_t oct_mlkem_ct_bytes(int set)
{
    return is_set(set) ? oct_mlkem_size[set].ct : 0;
}

int oct_mlkem_keygen_op(int set)
{
    return oct_operation_find(&oct_family_mlkem_keygen, set);
}

int oct_mlkem_encaps_op(int set)
{
    return oct_operation_find(&oct_family_mlkem_encaps, set);
}

int oct_mlkem_decaps_op(int set)
{
    return oct_operation_find(&oct_family_mlkem_decaps, set);
}

/* `drawn` bytes of fresh randomness at b->random, by one call of the system. The table may be NULL. */
static int batch_open(struct batch *b, const struct oct_mlkem_ops *ops, int set, size_t drawn)
{
    b->ops = ops;
    if (!b->ops)
        return OCT_ERR_UNSUPPORTED;
    b->workspace = oct_workspace_open(*b->ops->set[set].workspace + RANDOM_BYTES + 64);
    if (!b->workspace)
        return OCT_ERR_MEMORY;
    b->random = oct_workspace_take(b->workspace, RANDOM_BYTES);
    b->kernel = oct_workspace_take(b->workspace, *b->ops->set[set].workspace);
    const int status = drawn == 0 ? OCT_OK : oct_random(b->random, drawn);
    if (status != OCT_OK)
        oct_workspace_close(b->workspace);
    return status;
}

static void batch_close(struct batch *b)
{
    oct_workspace_close(b->workspace);
    oct_scrub_stack();
}

static int keygen_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_mlkem_keygen_lane *lane = vlane;
    (void)operation;
    return lane->ek && lane->dk ? OCT_OK : OCT_ERR_ARGUMENT;
}

static int keygen_on(const struct oct_mlkem_ops *ops, int set, const struct oct_mlkem_keygen_lane lane[],
                     unsigned lanes, struct oct_lanes *result)
{
    struct oct_mlkem_keygen_args args = {.lanes = lanes};
    struct batch b;
    size_t drawn = 0;
    for (unsigned i = 0; i < lanes; i++)
        drawn += lane[i].seed ? 0 : OCT_MLKEM_KEYGEN_BYTES;
    const int status = batch_open(&b, ops, set, drawn);
    if (status != OCT_OK)
        return status;
    const uint8_t *next = b.random;
    for (unsigned i = 0; i < lanes; i++) {
        args.d[i] = lane[i].seed ? lane[i].seed : next;
        args.z[i] = args.d[i] + OCT_MLKEM_KEYGEN_BYTES / 2;
        next += lane[i].seed ? 0 : OCT_MLKEM_KEYGEN_BYTES;
        args.ek[i] = lane[i].ek;
        args.dk[i] = lane[i].dk;
    }
    args.workspace = b.kernel;
    b.ops->set[set].keygen(&args);
    oct_lanes_report(result, lanes, 0xff);
    batch_close(&b);
    return OCT_OK;
}

static int encaps_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_mlkem_encaps_lane *lane = vlane;
    (void)operation;
    return lane->ek && lane->ct && lane->secret ? OCT_OK : OCT_ERR_ARGUMENT;
}

static int encaps_on(const struct oct_mlkem_ops *ops, int set, const struct oct_mlkem_encaps_lane lane[],
                     unsigned lanes, struct oct_lanes *result)
{
    struct oct_mlkem_encaps_args args = {.lanes = lanes};
    struct batch b;
    size_t drawn = 0;
    for (unsigned i = 0; i < lanes; i++)
        drawn += lane[i].message ? 0 : OCT_MLKEM_MESSAGE_BYTES;
    const int status = batch_open(&b, ops, set, drawn);
    if (status != OCT_OK)
        return status;
    const uint8_t *next = b.random;
    for (unsigned i = 0; i < lanes; i++) {
        args.ek[i] = lane[i].ek;
        args.m[i] = lane[i].message ? lane[i].message : next;
        next += lane[i].message ? 0 : OCT_MLKEM_MESSAGE_BYTES;
        args.ct[i] = lane[i].ct;
        args.secret[i] = lane[i].secret;
    }
    args.workspace = b.kernel;
    oct_lanes_report(result, lanes, ~b.ops->set[set].encaps(&args));
    batch_close(&b);
    return OCT_OK;
}

static int decaps_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_mlkem_decaps_lane *lane = vlane;
    (void)operation;
    return lane->dk && lane->ct && lane->secret ? OCT_OK : OCT_ERR_ARGUMENT;
}

static int decaps_on(const struct oct_mlkem_ops *ops, int set, const struct oct_mlkem_decaps_lane lane[],
                     unsigned lanes, struct oct_lanes *result)
{
    struct oct_mlkem_decaps_args args = {.lanes = lanes};
    struct batch b;
    const int status = batch_open(&b, ops, set, 0);
    if (status != OCT_OK)
        return status;
    for (unsigned i = 0; i < lanes; i++) {
        args.dk[i] = lane[i].dk;
        args.ct[i] = lane[i].ct;
        args.secret[i] = lane[i].secret;
    }
    args.workspace = b.kernel;
    b.ops->set[set].decaps(&args);
    oct_lanes_report(result, lanes, 0xff);
    batch_close(&b);
    return OCT_OK;
}

/* These kernels need more instructions than the rest of the table. */
static bool is_possible(const char **reason)
{
    return oct_mlkem_selected(reason) != NULL;
}

static int pairs_tested(const struct oct_operation *operation)
{
    return oct_mlkem_known_pairs(oct_mlkem_selected(NULL), (enum oct_mlkem_set)operation->variant);
}

static int all_tested(const struct oct_operation *operation)
{
    return oct_mlkem_anywhere((enum oct_mlkem_set)operation->variant) ? 0 : -1;
}

#define FAMILY(verb, tested)                                                                                           \
    static int verb##_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *lane,           \
                         unsigned lanes, struct oct_lanes *result)                                                     \
    {                                                                                                                  \
        (void)ops;                                                                                                     \
        return verb##_on(oct_mlkem_selected(NULL), (int)operation->variant, lane, lanes, result);                      \
    }                                                                                                                  \
    const struct oct_family oct_family_mlkem_##verb = {.lane_bytes = sizeof(struct oct_mlkem_##verb##_lane),           \
                                                       .whole = true,                                                  \
                                                       .check = verb##_check,                                          \
                                                       .run_x8 = verb##_x8,                                            \
                                                       .is_possible = is_possible,                                     \
                                                       .known_answer = tested}
FAMILY(keygen, pairs_tested);
FAMILY(encaps, all_tested);
FAMILY(decaps, all_tested);

#define ANYWHERE(verb)                                                                                                 \
    int oct_mlkem_##verb##_anywhere(int set, const struct oct_mlkem_##verb##_lane *lane)                               \
    {                                                                                                                  \
        struct oct_lanes result;                                                                                       \
        if (!is_set(set) || !lane || verb##_check(NULL, lane) != OCT_OK)                                               \
            return OCT_ERR_ARGUMENT;                                                                                   \
        const int status = verb##_on(oct_mlkem_anywhere((enum oct_mlkem_set)set), set, lane, 1, &result);              \
        return status == OCT_OK && result.invalid ? OCT_ERR_RANGE : status;                                            \
    }
ANYWHERE(keygen)
ANYWHERE(encaps)
ANYWHERE(decaps)

int oct_mlkem_ek_is_valid_var(int set, const uint8_t *ek)
{
    if (!is_set(set) || !ek)
        return 0;
    for (size_t i = 0; i < oct_mlkem_size[set].ek - OCT_MLKEM_MESSAGE_BYTES; i += 3) {
        const unsigned low = ek[i] | (ek[i + 1] & 15u) << 8, high = ek[i + 1] >> 4 | ek[i + 2] << 4;
        if (low >= Q || high >= Q)
            return 0;
    }
    return 1;
}

int oct_mlkem_keygen_x8(int set, const struct oct_mlkem_keygen_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(oct_mlkem_keygen_op(set), lane, lanes, result);
}

int oct_mlkem_encaps_x8(int set, const struct oct_mlkem_encaps_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(oct_mlkem_encaps_op(set), lane, lanes, result);
}

int oct_mlkem_decaps_x8(int set, const struct oct_mlkem_decaps_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_x8(oct_mlkem_decaps_op(set), lane, lanes, result);
}

int oct_mlkem_dk_check(int set, const uint8_t *dk)
{
    struct batch b;
    if (!is_set(set) || !dk)
        return OCT_ERR_ARGUMENT;
    if (!oct_op_is_on(oct_mlkem_decaps_op(set)))
        return OCT_ERR_UNSUPPORTED;
    const int status = batch_open(&b, oct_mlkem_selected(NULL), set, 0);
    if (status != OCT_OK)
        return status;
    const struct oct_mlkem_check_args args = {.workspace = b.kernel, .lanes = 1, .dk = {dk}};
    const unsigned bad = b.ops->set[set].check(&args);
    batch_close(&b);
    return bad ? OCT_ERR_RANGE : OCT_OK;
}
