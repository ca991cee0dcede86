/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Hybrid key exchange: two batches of other families, one behind the other, over lanes that are cut from the shares.
 * As one operation they wait once, and the randomness of all lanes is drawn once.
 */
#include "api/op_internal.h"
#include "api/operation.h"
#include "api/workspace.h"

#include <octuple/ec.h>
#include <octuple/hybrid.h>
#include <octuple/mlkem.h>
#include <octuple/x25519.h>

#include <string.h>

#define X25519       (-1)
#define UNCOMPRESSED 4

/* A group: ML-KEM's set, the curve (enum oct_ec_curve, or X25519), what its point takes in a share, and its secret. */
struct group {
    int set, curve;
    size_t point, secret;
    bool curve_first;
};
static const struct group groups[OCT_HYBRID_GROUPS] = {
#define OCT_HYBRID_LAYOUT(group, set, curve, point, secret, curve_first)                                               \
    [OCT_HYBRID_##group] = {set, curve, point, secret, curve_first},
#include "base/hybrid.def"
#undef OCT_HYBRID_LAYOUT
};

static bool is_group(int group)
{
    return group >= 0 && group < OCT_HYBRID_GROUPS;
}

size_t oct_hybrid_share_bytes(int group)
{
    return is_group(group) ? oct_mlkem_ek_bytes(groups[group].set) + groups[group].point : 0;
}

size_t oct_hybrid_reply_bytes(int group)
{
    return is_group(group) ? oct_mlkem_ct_bytes(groups[group].set) + groups[group].point : 0;
}

size_t oct_hybrid_secret_bytes(int group)
{
    return is_group(group) ? OCT_MLKEM_SECRET_BYTES + groups[group].secret : 0;
}

int oct_hybrid_server_op(int group)
{
    return oct_operation_find(&oct_family_hybrid_server, group);
}

int oct_hybrid_client_op(int group)
{
    return oct_operation_find(&oct_family_hybrid_client, group);
}

/* Where the parts of a share or a secret begin: `kem` and `curve` are their lengths. */
struct parts {
    size_t kem, curve;
};

static struct parts split(const struct group *g, size_t kem, size_t curve)
{
    return g->curve_first ? (struct parts){curve, 0} : (struct parts){0, kem};
}

/* One batch: lanes of the families below, and what they say of them. */
struct batch {
    const struct group *group;
    unsigned lanes;
    union {
        struct oct_mlkem_encaps_lane encaps[OCT_LANES];
        struct oct_mlkem_decaps_lane decaps[OCT_LANES];
    };
    union {
        struct oct_x25519_lane x25519[OCT_LANES];
        struct oct_ec_derive_lane ec[OCT_LANES];
    };
    unsigned points; /* bit i: lane i's point has the right form */
};

/* The derivation of lane i, from the private key and the other side's share. */
static void set_curve(struct batch *b, unsigned i, const uint8_t *private_key, const uint8_t *point, uint8_t *secret)
{
    if (b->group->curve == X25519) {
        b->x25519[i] = (struct oct_x25519_lane){private_key, point, secret};
        b->points |= 1u << i;
    } else {
        b->ec[i] = (struct oct_ec_derive_lane){private_key, point + 1, secret};
        b->points |= (unsigned)(point[0] == UNCOMPRESSED) << i;
    }
}

/* OCT_OK with the lanes in which both went well. */
static int run(const struct batch *b, int kem_op, const void *kem_lane, unsigned *good)
{
    const bool is_x25519 = b->group->curve == X25519;
    const int curve_op = is_x25519 ? OCT_OP_X25519_DERIVE : oct_ec_derive_op(b->group->curve);
    struct oct_lanes kem, curve;
    int status = oct_operation_x8(kem_op, kem_lane, b->lanes, &kem);
    if (status == OCT_OK)
        status = oct_operation_x8(curve_op, is_x25519 ? (const void *)b->x25519 : b->ec, b->lanes, &curve);
    *good = status == OCT_OK ? kem.ok & curve.ok & b->points : 0;
    return status;
}

static int server_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_hybrid_server_lane *lane = vlane;
    (void)operation;
    return lane->share && lane->private_key && lane->public_key && lane->reply && lane->secret ? OCT_OK
                                                                                               : OCT_ERR_ARGUMENT;
}

static void server_lane(struct batch *b, unsigned i, const struct oct_hybrid_server_lane *lane)
{
    const struct group *g = b->group;
    const struct parts share = split(g, oct_mlkem_ek_bytes(g->set), g->point);
    const struct parts reply = split(g, oct_mlkem_ct_bytes(g->set), g->point);
    const struct parts secret = split(g, OCT_MLKEM_SECRET_BYTES, g->secret);
    uint8_t *point = lane->reply + reply.curve;
    b->encaps[i] = (struct oct_mlkem_encaps_lane){lane->share + share.kem, NULL, lane->reply + reply.kem,
                                                  lane->secret + secret.kem};
    set_curve(b, i, lane->private_key, lane->share + share.curve, lane->secret + secret.curve);
    if (g->curve != X25519)
        *point++ = UNCOMPRESSED;
    memcpy(point, lane->public_key, g->point - (g->curve != X25519));
}

static int server_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane,
                     unsigned lanes, struct oct_lanes *result)
{
    const struct oct_hybrid_server_lane *lane = vlane;
    const int group = (int)operation->variant;
    struct batch b = {.group = &groups[group], .lanes = lanes};
    unsigned good;
    (void)ops;
    for (unsigned i = 0; i < lanes; i++)
        server_lane(&b, i, &lane[i]);
    const int status = run(&b, oct_mlkem_encaps_op(b.group->set), b.encaps, &good);
    for (unsigned i = 0; i < lanes; i++) {
        if ((good >> i & 1) == 0) {
            oct_cleanse(lane[i].reply, oct_hybrid_reply_bytes(group));
            oct_cleanse(lane[i].secret, oct_hybrid_secret_bytes(group));
        }
    }
    if (status == OCT_OK)
        oct_lanes_report(result, lanes, good);
    return status;
}

static int client_check(const struct oct_operation *operation, const void *vlane)
{
    const struct oct_hybrid_client_lane *lane = vlane;
    (void)operation;
    return lane->dk && lane->private_key && lane->reply && lane->secret ? OCT_OK : OCT_ERR_ARGUMENT;
}

static int client_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *vlane,
                     unsigned lanes, struct oct_lanes *result)
{
    const struct oct_hybrid_client_lane *lane = vlane;
    const int group = (int)operation->variant;
    const struct group *g = &groups[group];
    const struct parts reply = split(g, oct_mlkem_ct_bytes(g->set), g->point);
    const struct parts secret = split(g, OCT_MLKEM_SECRET_BYTES, g->secret);
    struct batch b = {.group = g, .lanes = lanes};
    unsigned good;
    (void)ops;
    for (unsigned i = 0; i < lanes; i++) {
        b.decaps[i] =
            (struct oct_mlkem_decaps_lane){lane[i].dk, lane[i].reply + reply.kem, lane[i].secret + secret.kem};
        set_curve(&b, i, lane[i].private_key, lane[i].reply + reply.curve, lane[i].secret + secret.curve);
    }
    const int status = run(&b, oct_mlkem_decaps_op(g->set), b.decaps, &good);
    for (unsigned i = 0; i < lanes; i++)
        if ((good >> i & 1) == 0)
            oct_cleanse(lane[i].secret, oct_hybrid_secret_bytes(group));
    if (status == OCT_OK)
        oct_lanes_report(result, lanes, good);
    return status;
}

/* Possible wherever ML-KEM is; and tested, if both parts are. */
static bool is_possible(const char **reason)
{
    return oct_family_mlkem_encaps.is_possible(reason);
}

static int parts_tested(const struct oct_operation *operation, int kem_op)
{
    const int curve = groups[operation->variant].curve;
    const int curve_op = curve == X25519 ? OCT_OP_X25519_DERIVE : oct_ec_derive_op(curve);
    return oct_op_is_on(kem_op) && oct_op_is_on(curve_op) ? 0 : -1;
}

static int server_tested(const struct oct_operation *operation)
{
    return parts_tested(operation, oct_mlkem_encaps_op(groups[operation->variant].set));
}

static int client_tested(const struct oct_operation *operation)
{
    return parts_tested(operation, oct_mlkem_decaps_op(groups[operation->variant].set));
}

const struct oct_family oct_family_hybrid_server = {.lane_bytes = sizeof(struct oct_hybrid_server_lane),
                                                    .whole = true,
                                                    .check = server_check,
                                                    .run_x8 = server_x8,
                                                    .is_possible = is_possible,
                                                    .known_answer = server_tested};
const struct oct_family oct_family_hybrid_client = {.lane_bytes = sizeof(struct oct_hybrid_client_lane),
                                                    .whole = true,
                                                    .check = client_check,
                                                    .run_x8 = client_x8,
                                                    .is_possible = is_possible,
                                                    .known_answer = client_tested};

int oct_hybrid_server_x8(int group, const struct oct_hybrid_server_lane lane[], unsigned lanes,
                         struct oct_lanes *result)
{
    return oct_operation_x8(oct_hybrid_server_op(group), lane, lanes, result);
}

int oct_hybrid_client_x8(int group, const struct oct_hybrid_client_lane lane[], unsigned lanes,
                         struct oct_lanes *result)
{
    return oct_operation_x8(oct_hybrid_client_op(group), lane, lanes, result);
}
