/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA's kernels at the edge of memory: every buffer of a call, the workspace too, ends right before a page that
 * cannot be touched, or (but for the workspace) begins right behind one; a single byte too many ends the program. 1 to
 * 8 lanes. And how deep the calls go on the stack: 8 KB at most, which is what fibres bear.
 */
#include "base/base.h"
#include "ops/mldsa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "lattice_guard.h"

#define LANES 8
#define ROOM  (32 * 1024)

enum { SEED, RND, MU, PK, SK, SIGNATURE, KEY_SEED, MATRIX, T1, SECRETS, HEAD, BODY, BUFFERS };
static uint8_t *room[BUFFERS][LANES], *workspace_room;
static const struct oct_mldsa_ops *table[OCT_LATTICE_BACKENDS];
static struct oct_mldsa_keygen_args keygen;
static struct oct_mldsa_expand_args expand[LANES];
static struct oct_mldsa_sign_args sign;
static struct oct_mldsa_verify_args verify;
static struct oct_shake256_args hash;

static void place_lane(unsigned i, uint8_t *const p[BUFFERS])
{
    keygen.seed[i] = p[SEED];
    keygen.pk[i] = expand[i].pk = p[PK];
    verify.pk[i] = p[PK];
    keygen.sk[i] = p[SK];
    expand[i].sk = p[SK];
    expand[i].matrix = (int32_t *)p[MATRIX];
    expand[i].t1 = (int32_t *)p[T1];
    expand[i].secrets = (int32_t *)p[SECRETS];
    sign.matrix[i] = expand[i].matrix;
    sign.secrets[i] = expand[i].secrets;
    sign.key_seed[i] = p[KEY_SEED];
    sign.rnd[i] = p[RND];
    sign.mu[i] = verify.mu[i] = p[MU];
    sign.signature[i] = p[SIGNATURE];
    verify.signature[i] = p[SIGNATURE];
    verify.matrix[i] = i % 2 ? expand[i].matrix : NULL;
    verify.t1[i] = i % 2 ? expand[i].t1 : NULL;
    hash.head[i] = p[HEAD];
    hash.body[i] = p[BODY];
    hash.out[i] = p[MU];
}

static void place(unsigned t, int set, unsigned lanes, int at_end)
{
    const struct oct_mldsa_ops *ops = table[t];
    const struct oct_mldsa_size *s = &oct_mldsa_size[set];
    const size_t len[BUFFERS] = {32, 32, 64, s->pk, s->sk, s->signature, 32, 4 * s->matrix, 4 * s->t1, 4 * s->secrets,
                                 66, 200};
    uint8_t *p[BUFFERS];
    void *workspace = guarded_workspace(workspace_room, *ops->set[set].workspace);
    keygen.workspace = sign.workspace = verify.workspace = workspace;
    hash.workspace = guarded_workspace(workspace_room, *ops->shake256_workspace);
    keygen.lanes = sign.lanes = verify.lanes = hash.lanes = lanes;
    for (unsigned i = 0; i < lanes; i++) {
        for (int b = 0; b < BUFFERS; b++)
            p[b] = at_end ? room[b][i] + ROOM - len[b] : room[b][i];
        memset(p[SEED], (int)(i + lanes), len[SEED]);
        expand[i].workspace = workspace;
        hash.head_len[i] = len[HEAD];
        hash.body_len[i] = len[BODY];
        place_lane(i, p);
    }
}

/* 0 if all went well. Deep on the stack where it is measured. */
static OCT_NOINLINE int run_all(unsigned t, int set)
{
    const struct oct_mldsa_ops *ops = table[t];
    unsigned bad = 0;
    ops->set[set].keygen(&keygen);
    for (unsigned i = 0; i < keygen.lanes; i++)
        bad |= ops->set[set].expand(&expand[i]);
    ops->shake256(&hash);
    bad |= ops->set[set].sign(&sign);
    return bad || ops->set[set].verify(&verify);
}

static const char *name(unsigned t)
{
    return table[t]->name;
}

static struct lattice_guard guard = {.sets = OCT_MLDSA_SETS, .name = name, .place = place, .run = run_all};

static void test_edges(void **state)
{
    (void)state;
    lattice_guard_edges(&guard);
}

static void test_stack(void **state)
{
    (void)state;
    lattice_guard_stack(&guard);
}

static int setup(void **state)
{
    (void)state;
    guard.tables = oct_mldsa_runnable(table);
    workspace_room = guarded(GUARD_WORKSPACE);
    for (int i = 0; i < LANES; i++)
        for (int b = 0; b < BUFFERS; b++)
            room[b][i] = guarded(ROOM);
    return 0;
}

int main(void)
{
    return RUN_TESTS(setup, NULL, test_edges, test_stack);
}
