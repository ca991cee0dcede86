/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM's kernels at the edge of memory: every buffer of a call, the workspace too, ends right before a page that
 * cannot be touched, or (but for the workspace) begins right behind one; a single byte too many ends the program. 1
 * to 8 lanes. And how deep the calls go on the stack: 8 KB at most, which is what fibres bear.
 */
#include "base/base.h"
#include "ops/mlkem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "lattice_guard.h"

#define LANES       8
#define ROOM        4096
#define MATRIX_ROOM 8192

enum { D, Z, M, EK, DK, CT, SECRET, BUFFERS };
static uint8_t *room[BUFFERS][LANES], *matrix_room[LANES], *workspace_room;
static const struct oct_mlkem_ops *table[OCT_LATTICE_BACKENDS];
static struct oct_mlkem_keygen_args keygen;
static struct oct_mlkem_encaps_args encaps;
static struct oct_mlkem_decaps_args decaps;
static struct oct_mlkem_check_args check;

static void place(unsigned t, int set, unsigned lanes, int at_end)
{
    const struct oct_mlkem_ops *ops = table[t];
    const struct oct_mlkem_size *s = &oct_mlkem_size[set];
    const size_t len[BUFFERS] = {32, 32, 32, s->ek, s->dk, s->ct, 32};
    const size_t matrix_len = OCT_MLKEM_MATRIX_NUMBERS(set == OCT_MLKEM_768 ? 3 : 4) * sizeof(int16_t);
    uint8_t *p[BUFFERS];
    void *workspace = guarded_workspace(workspace_room, *ops->set[set].workspace);
    memset(&keygen, 0, sizeof keygen);
    memset(&encaps, 0, sizeof encaps);
    memset(&decaps, 0, sizeof decaps);
    memset(&check, 0, sizeof check);
    keygen.workspace = encaps.workspace = decaps.workspace = check.workspace = workspace;
    keygen.lanes = encaps.lanes = decaps.lanes = check.lanes = lanes;
    for (unsigned i = 0; i < lanes; i++) {
        for (int b = 0; b < BUFFERS; b++)
            p[b] = at_end ? room[b][i] + ROOM - len[b] : room[b][i];
        int16_t *matrix = (int16_t *)(at_end ? matrix_room[i] + MATRIX_ROOM - matrix_len : matrix_room[i]);
        keygen.matrix[i] = lanes % 2 ? matrix : NULL;
        decaps.matrix[i] = keygen.matrix[i];
        memset(p[D], (int)(i + lanes), 32);
        keygen.d[i] = p[D];
        keygen.z[i] = p[Z];
        encaps.m[i] = p[M];
        keygen.ek[i] = p[EK];
        encaps.ek[i] = p[EK];
        keygen.dk[i] = p[DK];
        decaps.dk[i] = check.dk[i] = p[DK];
        encaps.ct[i] = p[CT];
        decaps.ct[i] = p[CT];
        encaps.secret[i] = decaps.secret[i] = p[SECRET];
    }
}

/* 0 if all went well. Deep on the stack where it is measured. */
static OCT_NOINLINE int run_all(unsigned t, int set)
{
    const struct oct_mlkem_ops *ops = table[t];
    uint8_t secret[32];
    ops->set[set].keygen(&keygen);
    if (ops->set[set].check(&check) || ops->set[set].encaps(&encaps))
        return 1;
    memcpy(secret, encaps.secret[0], 32);
    ops->set[set].decaps(&decaps);
    return memcmp(secret, encaps.secret[0], 32) != 0;
}

static const char *name(unsigned t)
{
    return table[t]->name;
}

static struct lattice_guard guard = {.sets = OCT_MLKEM_SETS, .name = name, .place = place, .run = run_all};

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
    guard.tables = oct_mlkem_runnable(table);
    workspace_room = guarded(GUARD_WORKSPACE);
    for (int i = 0; i < LANES; i++) {
        matrix_room[i] = guarded(MATRIX_ROOM);
        for (int b = 0; b < BUFFERS; b++)
            room[b][i] = guarded(ROOM);
    }
    return 0;
}

int main(void)
{
    return RUN_TESTS(setup, NULL, test_edges, test_stack);
}
