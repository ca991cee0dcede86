/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables */
/*
 * The queue with the real X25519 operations, on the table that the environment chose: both sides of an exchange agree,
 * RFC 7748's own example comes out, and a peer of small order fails its own job alone.
 */
#include "operation_on.h"

#include <octuple/queue.h>

#define JOBS  13
#define BYTES OCT_X25519_BYTES

static uint8_t scalar[2][JOBS][BYTES], public_key[2][JOBS][BYTES], out[2][JOBS][BYTES];
static struct oct_job job[JOBS];
static unsigned reported;

static void done(struct oct_job *which)
{
    assert_int_equal(which - job, reported);
    reported++;
}

/* Eight run at once, five when asked to. */
static void run_all(int op, int side)
{
    reported = 0;
    for (int i = 0; i < JOBS; i++) {
        const struct oct_x25519_lane lane = {scalar[side][i],
                                             op == OCT_OP_X25519_DERIVE ? public_key[1 - side][i] : NULL,
                                             op == OCT_OP_X25519_DERIVE ? out[side][i] : public_key[side][i]};
        job[i] = (struct oct_job){.op = op, .x25519 = lane, .done = done};
        assert_int_equal(oct_queue_submit(oct_queue_thread(), &job[i]), OCT_OK);
    }
    assert_int_equal(reported, 8);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 5);
    assert_int_equal(reported, JOBS);
}

static void make_scalars(void)
{
    uint64_t x = 0x9e3779b97f4a7c15u;
    uint8_t *byte = &scalar[0][0][0];
    for (size_t i = 0; i < sizeof scalar; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        byte[i] = (uint8_t)(x >> 56);
    }
}

static void test_both_sides(void **state)
{
    static const uint8_t zero[BYTES];
    (void)state;
    need_operations(OCT_OP_X25519_DERIVE, OCT_OP_X25519_KEYGEN);
    make_scalars();
    for (int side = 0; side < 2; side++)
        run_all(OCT_OP_X25519_KEYGEN, side);
    for (int side = 0; side < 2; side++)
        run_all(OCT_OP_X25519_DERIVE, side);
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(job[i].status, OCT_OK);
        assert_memory_equal(out[0][i], out[1][i], BYTES);
        assert_memory_not_equal(out[0][i], zero, BYTES);
        assert_true(i == 0 || memcmp(out[0][i], out[0][i - 1], BYTES) != 0);
    }
}

static void from_hex(uint8_t bytes[BYTES], const char *hex)
{
    for (int i = 0; i < BYTES; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (uint8_t)byte;
    }
}

/* RFC 7748, section 6.1: Alice in one lane, Bob in another. */
static void test_rfc(void **state)
{
    static const char *const secret[2] = {"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
                                          "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"};
    static const char *const expected[2] = {"8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
                                            "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"};
    uint8_t bytes[BYTES];
    (void)state;
    need_operations(OCT_OP_X25519_DERIVE, OCT_OP_X25519_KEYGEN);
    make_scalars();
    for (int side = 0; side < 2; side++) {
        from_hex(scalar[side][3], secret[side]);
        run_all(OCT_OP_X25519_KEYGEN, side);
        from_hex(bytes, expected[side]);
        assert_memory_equal(public_key[side][3], bytes, BYTES);
    }
    from_hex(bytes, "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    for (int side = 0; side < 2; side++) {
        run_all(OCT_OP_X25519_DERIVE, side);
        assert_memory_equal(out[side][3], bytes, BYTES);
    }
}

static void test_small_order(void **state)
{
    static const uint8_t zero[BYTES];
    (void)state;
    need_operations(OCT_OP_X25519_DERIVE, OCT_OP_X25519_KEYGEN);
    make_scalars();
    run_all(OCT_OP_X25519_KEYGEN, 1);
    memset(public_key[1][2], 0, BYTES);
    memset(out, 0xee, sizeof out);
    run_all(OCT_OP_X25519_DERIVE, 0);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(job[i].status, i == 2 ? OCT_ERR_RANGE : OCT_OK);
    assert_memory_equal(out[0][2], zero, BYTES);
}

/* With OCTUPLE_TABLE=off nothing can be submitted or run. */
static void test_off(void **state)
{
    struct oct_job refused = {.op = OCT_OP_X25519_DERIVE, .x25519 = {scalar[0][0], scalar[0][1], out[0][0]}};
    struct oct_job *const list[1] = {&refused};
    (void)state;
    if (oct_op_is_on(OCT_OP_X25519_DERIVE)) {
        print_message("skipped: only where operations are off\n");
        skip();
    }
    assert_int_equal(oct_queue_submit(oct_queue_thread(), &refused), OCT_ERR_UNSUPPORTED);
    assert_int_equal(oct_queue_run_now(oct_queue_thread(), list, 1), OCT_ERR_UNSUPPORTED);
    assert_int_equal(refused.state, OCT_JOB_IDLE);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_both_sides, test_rfc, test_small_order, test_off);
}
