/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: SOURCES src/batch/engine.c */
/* src/batch/engine.c alone, on operations of our own: what it asks of a job, which lanes a batch gets, and how it reads
 * the masks and errors of a batch. */
#include "unit.h"

#include "api/operation.h"
#include "api/verdict.h"
#include "batch/engine.h"

#define SMALL OCT_OP_X25519_DERIVE
#define LARGE OCT_OP_ED25519_SIGN

static int off, refusal, answer;
static struct oct_lanes masks;
static struct oct_ed25519_sign_lane seen[OCT_LANES]; /* no lane is larger */
static int known_off;
static unsigned tested, lanes_seen;
static const struct oct_operation *operation_seen;

int oct_op_is_on(int op)
{
    (void)op;
    tested++;
    return !off;
}

/* As it is before the test has run, whatever that will say. */
enum oct_verdict oct_op_verdict(int op)
{
    (void)op;
    return known_off ? OCT_VERDICT_OFF : OCT_VERDICT_UNTESTED;
}

const struct oct_ops *oct_ops_selected(void)
{
    return NULL;
}

static int check(const struct oct_operation *operation, const void *lane)
{
    operation_seen = operation;
    memcpy(seen, lane, operation->family->lane_bytes);
    return refusal;
}

static int run_x8(const struct oct_operation *operation, const struct oct_ops *ops, const void *lane, unsigned lanes,
                  struct oct_lanes *result)
{
    assert_null(ops);
    operation_seen = operation;
    lanes_seen = lanes;
    memcpy(seen, lane, lanes * operation->family->lane_bytes);
    if (answer == OCT_OK)
        *result = masks;
    return answer;
}

static const struct oct_family small = {
    .lane_bytes = sizeof(struct oct_x25519_lane), .whole = true, .check = check, .run_x8 = run_x8};
static const struct oct_family large = {
    .lane_bytes = sizeof(struct oct_ed25519_sign_lane), .whole = false, .check = check, .run_x8 = run_x8};

const struct oct_operation oct_operations[OCT_OP_COUNT] = {
    [SMALL] = {"small", &small, 0}, [LARGE] = {"large", &large, 1}};

static uint8_t bytes[4 * OCT_LANES];

static void fill(struct oct_job job[], struct oct_job *list[], unsigned jobs, int op)
{
    for (unsigned i = 0; i < jobs; i++) {
        job[i] = (struct oct_job){.op = op, .flags = i & 1, .status = -1};
        if (op == SMALL)
            job[i].x25519 = (struct oct_x25519_lane){bytes + i, bytes + 8 + i, bytes + 16 + i};
        else
            job[i].ed25519_sign = (struct oct_ed25519_sign_lane){(const void *)(bytes + i), bytes, i, bytes + 8 + i};
        list[i] = &job[i];
    }
}

static void test_check(void **state)
{
    struct oct_job job, *list[1];
    (void)state;
    for (int op = SMALL; op <= LARGE; op += LARGE - SMALL) {
        fill(&job, list, 1, op);
        off = 0;
        refusal = OCT_OK;
        assert_int_equal(oct_engine.check(&job), OCT_OK);
        assert_ptr_equal(operation_seen, &oct_operations[op]);
        assert_memory_equal(seen, &job.rsa, oct_operations[op].family->lane_bytes);
        refusal = OCT_ERR_LENGTH;
        assert_int_equal(oct_engine.check(&job), OCT_ERR_LENGTH);
        off = 1;
        assert_int_equal(oct_engine.check(&job), OCT_ERR_LENGTH);
        refusal = OCT_OK;
        assert_int_equal(oct_engine.check(&job), OCT_ERR_UNSUPPORTED);
        off = 0;
    }
}

/* Each batch gets its jobs' lanes, side by side; lane 1 is in neither mask. */
static void test_run(void **state)
{
    struct oct_job job[OCT_LANES], *list[OCT_LANES];
    (void)state;
    answer = OCT_OK;
    masks = (struct oct_lanes){.ok = 0xf5, .invalid = 0x08};
    for (int op = SMALL; op <= LARGE; op += LARGE - SMALL) {
        for (unsigned jobs = 1; jobs <= OCT_LANES; jobs++) {
            const size_t size = oct_operations[op].family->lane_bytes;
            fill(job, list, jobs, op);
            oct_engine.run(list, jobs);
            assert_ptr_equal(operation_seen, &oct_operations[op]);
            assert_int_equal(lanes_seen, jobs);
            for (unsigned i = 0; i < jobs; i++) {
                assert_memory_equal((const uint8_t *)seen + i * size, &job[i].rsa, size);
                assert_int_equal(job[i].status, i == 1 ? OCT_ERR_FAULT : i == 3 ? OCT_ERR_RANGE : OCT_OK);
            }
        }
    }
}

/* Odd jobs may fall back. */
static void test_refused(void **state)
{
    struct oct_job job[5], *list[5];
    (void)state;
    answer = OCT_ERR_MEMORY;
    fill(job, list, 5, LARGE);
    oct_engine.run(list, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(job[i].status, i & 1 ? OCT_ERR_FALLBACK : OCT_ERR_MEMORY);
}

/* A job that may fall back does not have its operation tested. */
static void test_untested(void **state)
{
    struct oct_job job[2], *list[2];
    (void)state;
    fill(job, list, 2, SMALL);
    refusal = OCT_OK;
    off = 1;
    tested = 0;
    assert_int_equal(oct_engine.check(&job[1]), OCT_OK);
    known_off = 1;
    assert_int_equal(oct_engine.check(&job[1]), OCT_ERR_UNSUPPORTED);
    known_off = 0;
    assert_int_equal(tested, 0);
    assert_int_equal(oct_engine.check(&job[0]), OCT_ERR_UNSUPPORTED);
    oct_engine.get_ready(SMALL);
    assert_int_equal(tested, 2);
    off = 0;
}

/* Lanes that fail their known answers give out nothing. */
static void test_failed(void **state)
{
    struct oct_job job[OCT_LANES], *list[OCT_LANES];
    (void)state;
    answer = OCT_OK;
    masks = (struct oct_lanes){.ok = 0xff};
    off = 1;
    for (unsigned jobs = 1; jobs <= OCT_LANES; jobs++) {
        lanes_seen = 0;
        fill(job, list, jobs, SMALL);
        oct_engine.run(list, jobs);
        assert_int_equal(lanes_seen, 0);
        for (unsigned i = 0; i < jobs; i++)
            assert_int_equal(job[i].status, i & 1 ? OCT_ERR_FALLBACK : OCT_ERR_UNSUPPORTED);
    }
    off = 0;
}

static void test_is_whole(void **state)
{
    (void)state;
    assert_true(oct_engine.is_whole(SMALL));
    assert_false(oct_engine.is_whole(LARGE));
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_check, test_run, test_refused, test_untested, test_failed, test_is_whole);
}
