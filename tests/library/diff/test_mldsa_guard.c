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
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "own_stack.h"

#define LANES          8
#define ROOM           (32 * 1024)
#define WORKSPACE_ROOM (256 * 1024)
#define STACK_LIMIT    (8 * 1024)

/* Memory between two pages that cannot be touched. */
static uint8_t *guarded(size_t len)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *p = mmap(NULL, len + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(mprotect(p + page, len, PROT_READ | PROT_WRITE), 0);
    return p + page;
}

enum { SEED, RND, MU, PK, SK, SIGNATURE, KEY_SEED, MATRIX, T1, SECRETS, HEAD, BODY, BUFFERS };
static uint8_t *room[BUFFERS][LANES], *workspace_room;
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

static void place(const struct oct_mldsa_ops *ops, int set, unsigned lanes, int at_end)
{
    const struct oct_mldsa_size *s = &oct_mldsa_size[set];
    const size_t len[BUFFERS] = {32, 32, 64, s->pk, s->sk, s->signature, 32, 4 * s->matrix, 4 * s->t1, 4 * s->secrets,
                                 66, 200};
    const size_t size = (*ops->set[set].workspace + 63) / 64 * 64, hash_size = *ops->shake256_workspace;
    uint8_t *p[BUFFERS];
    void *workspace = workspace_room + WORKSPACE_ROOM - size;
    keygen.workspace = sign.workspace = verify.workspace = workspace;
    hash.workspace = workspace_room + WORKSPACE_ROOM - (hash_size + 63) / 64 * 64;
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
static OCT_NOINLINE int run_all(const struct oct_mldsa_ops *ops, int set)
{
    unsigned bad = 0;
    ops->set[set].keygen(&keygen);
    for (unsigned i = 0; i < keygen.lanes; i++)
        bad |= ops->set[set].expand(&expand[i]);
    ops->shake256(&hash);
    bad |= ops->set[set].sign(&sign);
    return bad || ops->set[set].verify(&verify);
}

static void test_edges(void **state)
{
    const struct oct_mldsa_ops *table[OCT_LATTICE_BACKENDS];
    const unsigned tables = oct_mldsa_runnable(table);
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLDSA_SETS; set++)
            for (unsigned lanes = 1; lanes <= LANES; lanes++)
                for (int at_end = 0; at_end < 2; at_end++) {
                    place(table[t], set, lanes, at_end);
                    assert_int_equal(run_all(table[t], set), 0);
                }
}

struct call {
    const struct oct_mldsa_ops *ops;
    int set, failed;
    uint8_t *top;
};

static OCT_NOINLINE void *body(void *p)
{
    struct call *c = p;
    c->top = __builtin_frame_address(0);
    c->failed = run_all(c->ops, c->set);
    return NULL;
}

static void measure(const struct oct_mldsa_ops *ops, int set, uint8_t *stack)
{
    struct call c = {.ops = ops, .set = set};
    place(ops, set, LANES, 1);
    own_stack_run(stack, body, &c);
    assert_int_equal(c.failed, 0);
    const size_t depth = own_stack_depth(stack, c.top);
    print_message("table %s, set %d: %zu bytes of stack\n", ops->name, set, depth);
#if !defined(GUARD_FRAMES_DIFFER)
    assert_true(depth <= STACK_LIMIT);
#endif
}

static void test_stack(void **state)
{
    const struct oct_mldsa_ops *table[OCT_LATTICE_BACKENDS];
    const unsigned tables = oct_mldsa_runnable(table);
    uint8_t *stack = own_stack_new();
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLDSA_SETS; set++)
            measure(table[t], set, stack);
    free(stack);
}

static int setup(void **state)
{
    (void)state;
    workspace_room = guarded(WORKSPACE_ROOM);
    for (int i = 0; i < LANES; i++)
        for (int b = 0; b < BUFFERS; b++)
            room[b][i] = guarded(ROOM);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges), cmocka_unit_test(test_stack)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
