/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/batch/runner.c alone, on an API of our own: what it asks of a job, and how it reads the masks and errors of a
 * batch call. */
#include "unit.h"

#include "batch/queue_internal.h"

struct oct_rsa_key {
    int private_op, public_op, is_private;
};

static int off, answer;
static struct oct_lanes masks;
static struct oct_rsa_lane seen[OCT_LANES];
static struct oct_x25519_lane seen_x25519[OCT_LANES];
static struct oct_ecdsa_sign_lane seen_ec[OCT_LANES]; /* no lane of the curves is larger */
static unsigned lanes_seen;
static int curve_seen;
static const char *called;

int oct_op_is_on(int op)
{
    (void)op;
    return !off;
}

int oct_rsa_private_op(const struct oct_rsa_key *key)
{
    return key->private_op;
}

int oct_rsa_public_op(const struct oct_rsa_key *key)
{
    return key->public_op;
}

int oct_rsa_key_is_private(const struct oct_rsa_key *key)
{
    return key->is_private;
}

static int fake_x8(const char *name, const struct oct_rsa_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    called = name;
    lanes_seen = lanes;
    memcpy(seen, lane, lanes * sizeof lane[0]);
    if (answer == OCT_OK)
        *result = masks;
    return answer;
}

int oct_rsa_private_x8(const struct oct_rsa_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return fake_x8("private", lane, lanes, result);
}

int oct_rsa_public_x8(const struct oct_rsa_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return fake_x8("public", lane, lanes, result);
}

static int fake_x25519(const char *name, const struct oct_x25519_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    called = name;
    lanes_seen = lanes;
    memcpy(seen_x25519, lane, lanes * sizeof lane[0]);
    if (answer == OCT_OK)
        *result = masks;
    return answer;
}

int oct_x25519_derive_x8(const struct oct_x25519_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return fake_x25519("derive", lane, lanes, result);
}

int oct_x25519_public_x8(const struct oct_x25519_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return fake_x25519("keygen", lane, lanes, result);
}

static int fake_ec(const char *name, int curve, const void *lane, size_t size, unsigned lanes, struct oct_lanes *result)
{
    called = name;
    curve_seen = curve;
    lanes_seen = lanes;
    memcpy(seen_ec, lane, lanes * size);
    if (answer == OCT_OK)
        *result = masks;
    return answer;
}

int oct_ecdsa_sign_x8(int curve, const struct oct_ecdsa_sign_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return fake_ec("sign", curve, lane, sizeof lane[0], lanes, result);
}

int oct_ecdsa_verify_x8(int curve, const struct oct_ecdsa_verify_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return fake_ec("verify", curve, lane, sizeof lane[0], lanes, result);
}

int oct_ec_public_x8(int curve, const struct oct_ec_public_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return fake_ec("public key", curve, lane, sizeof lane[0], lanes, result);
}

int oct_ec_derive_x8(int curve, const struct oct_ec_derive_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return fake_ec("secret", curve, lane, sizeof lane[0], lanes, result);
}

static int fake_ed25519(const char *name, const void *lane, size_t size, unsigned lanes, struct oct_lanes *result)
{
    return fake_ec(name, -1, lane, size, lanes, result);
}

int oct_ed25519_sign_x8(const struct oct_ed25519_sign_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return fake_ed25519("ed25519 sign", lane, sizeof lane[0], lanes, result);
}

int oct_ed25519_verify_x8(const struct oct_ed25519_verify_lane lane[], unsigned lanes, struct oct_lanes *result)
{
    return fake_ed25519("ed25519 verify", lane, sizeof lane[0], lanes, result);
}

static struct oct_rsa_key key2048 = {OCT_OP_RSA2048_PRIVATE, OCT_OP_RSA2048_PUBLIC, 1};
static struct oct_rsa_key key3072_public = {OCT_OP_RSA3072_PRIVATE, OCT_OP_RSA3072_PUBLIC, 0};
static uint8_t in[OCT_LANES], out[OCT_LANES];

static int checked(int op, const struct oct_rsa_key *key)
{
    struct oct_job job = {.op = op, .rsa = {key, in, out}};
    return oct_runners[op].check(&job);
}

static void test_check(void **state)
{
    (void)state;
    off = 0;
    assert_int_equal(checked(OCT_OP_RSA2048_PRIVATE, &key2048), OCT_OK);
    assert_int_equal(checked(OCT_OP_RSA2048_PUBLIC, &key2048), OCT_OK);
    assert_int_equal(checked(OCT_OP_RSA3072_PRIVATE, &key2048), OCT_ERR_ARGUMENT);
    assert_int_equal(checked(OCT_OP_RSA3072_PUBLIC, &key2048), OCT_ERR_ARGUMENT);
    assert_int_equal(checked(OCT_OP_RSA4096_PRIVATE, &key2048), OCT_ERR_ARGUMENT);
    assert_int_equal(checked(OCT_OP_RSA4096_PUBLIC, &key2048), OCT_ERR_ARGUMENT);
    assert_int_equal(checked(OCT_OP_RSA3072_PUBLIC, &key3072_public), OCT_OK);
    assert_int_equal(checked(OCT_OP_RSA3072_PRIVATE, &key3072_public), OCT_ERR_ARGUMENT);
    for (int op = OCT_OP_RSA2048_PRIVATE; op <= OCT_OP_RSA4096_PUBLIC; op++)
        assert_int_equal(checked(op, NULL), OCT_ERR_ARGUMENT);
    off = 1;
    assert_int_equal(checked(OCT_OP_RSA2048_PRIVATE, &key2048), OCT_ERR_UNSUPPORTED);
}

static void test_check_buffers(void **state)
{
    struct oct_job job = {.op = OCT_OP_RSA2048_PRIVATE, .rsa = {&key2048, NULL, out}};
    (void)state;
    off = 0;
    assert_int_equal(oct_runners[job.op].check(&job), OCT_ERR_ARGUMENT);
    job.rsa.in = in;
    job.rsa.out = NULL;
    assert_int_equal(oct_runners[job.op].check(&job), OCT_ERR_ARGUMENT);
}

static int checked_x25519(int op, const uint8_t *scalar, const uint8_t *peer, uint8_t *to)
{
    struct oct_job job = {.op = op, .x25519 = {scalar, peer, to}};
    return oct_runners[op].check(&job);
}

/* A key pair needs no peer. */
static void test_check_x25519(void **state)
{
    (void)state;
    off = 0;
    assert_int_equal(checked_x25519(OCT_OP_X25519_DERIVE, in, in + 1, out), OCT_OK);
    assert_int_equal(checked_x25519(OCT_OP_X25519_DERIVE, NULL, in, out), OCT_ERR_ARGUMENT);
    assert_int_equal(checked_x25519(OCT_OP_X25519_DERIVE, in, NULL, out), OCT_ERR_ARGUMENT);
    assert_int_equal(checked_x25519(OCT_OP_X25519_DERIVE, in, in + 1, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(checked_x25519(OCT_OP_X25519_KEYGEN, in, NULL, out), OCT_OK);
    assert_int_equal(checked_x25519(OCT_OP_X25519_KEYGEN, NULL, NULL, out), OCT_ERR_ARGUMENT);
    assert_int_equal(checked_x25519(OCT_OP_X25519_KEYGEN, in, NULL, NULL), OCT_ERR_ARGUMENT);
    off = 1;
    assert_int_equal(checked_x25519(OCT_OP_X25519_DERIVE, in, in + 1, out), OCT_ERR_UNSUPPORTED);
    assert_int_equal(checked_x25519(OCT_OP_X25519_KEYGEN, in, NULL, out), OCT_ERR_UNSUPPORTED);
}

static void run_x25519(struct oct_job job[], unsigned jobs, int op)
{
    struct oct_job *list[OCT_LANES];
    for (unsigned i = 0; i < jobs; i++) {
        job[i] = (struct oct_job){.op = op, .x25519 = {in + i, in, out + i}, .flags = i & 1, .status = -1};
        list[i] = &job[i];
    }
    oct_runners[op].run(list, jobs);
    assert_int_equal(lanes_seen, jobs);
    for (unsigned i = 0; i < jobs; i++)
        assert_true(seen_x25519[i].scalar == in + i && seen_x25519[i].peer == in && seen_x25519[i].out == out + i);
}

static void test_x25519(void **state)
{
    struct oct_job job[OCT_LANES];
    (void)state;
    answer = OCT_OK;
    masks = (struct oct_lanes){.ok = 0xfd, .invalid = 0x02};
    run_x25519(job, 8, OCT_OP_X25519_DERIVE);
    assert_string_equal(called, "derive");
    for (int i = 0; i < 8; i++)
        assert_int_equal(job[i].status, i == 1 ? OCT_ERR_RANGE : OCT_OK);
    masks = (struct oct_lanes){.ok = 7};
    run_x25519(job, 3, OCT_OP_X25519_KEYGEN);
    assert_string_equal(called, "keygen");
    for (int i = 0; i < 3; i++)
        assert_int_equal(job[i].status, OCT_OK);
    answer = OCT_ERR_MEMORY;
    run_x25519(job, 2, OCT_OP_X25519_DERIVE);
    assert_int_equal(job[0].status, OCT_ERR_MEMORY);
    assert_int_equal(job[1].status, OCT_ERR_PLAIN);
}

static int checked_sign(int op, const uint8_t *key, const uint8_t *digest, size_t len, uint8_t *to)
{
    struct oct_job job = {.op = op, .ecdsa_sign = {key, digest, len, to}};
    return oct_runners[op].check(&job);
}

static void test_check_sign(void **state)
{
    static const int ops[] = {OCT_OP_P256_SIGN, OCT_OP_P384_SIGN};
    (void)state;
    for (int i = 0; i < 2; i++) {
        off = 0;
        assert_int_equal(checked_sign(ops[i], in, in, 1, out), OCT_OK);
        assert_int_equal(checked_sign(ops[i], in, in, OCT_EC_MAX_DIGEST, out), OCT_OK);
        assert_int_equal(checked_sign(ops[i], NULL, in, 32, out), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_sign(ops[i], in, NULL, 32, out), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_sign(ops[i], in, in, 32, NULL), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_sign(ops[i], in, in, 0, out), OCT_ERR_LENGTH);
        assert_int_equal(checked_sign(ops[i], in, in, OCT_EC_MAX_DIGEST + 1, out), OCT_ERR_LENGTH);
        off = 1;
        assert_int_equal(checked_sign(ops[i], in, in, 32, out), OCT_ERR_UNSUPPORTED);
    }
}

static int checked_verify(int op, const uint8_t *key, const uint8_t *digest, size_t len, const uint8_t *signature)
{
    struct oct_job job = {.op = op, .ecdsa_verify = {key, digest, len, signature}};
    return oct_runners[op].check(&job);
}

static void test_check_verify(void **state)
{
    static const int ops[] = {OCT_OP_P256_VERIFY, OCT_OP_P384_VERIFY};
    (void)state;
    for (int i = 0; i < 2; i++) {
        off = 0;
        assert_int_equal(checked_verify(ops[i], in, in, 1, in), OCT_OK);
        assert_int_equal(checked_verify(ops[i], in, in, OCT_EC_MAX_DIGEST, in), OCT_OK);
        assert_int_equal(checked_verify(ops[i], NULL, in, 32, in), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_verify(ops[i], in, NULL, 32, in), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_verify(ops[i], in, in, 32, NULL), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_verify(ops[i], in, in, 0, in), OCT_ERR_LENGTH);
        assert_int_equal(checked_verify(ops[i], in, in, OCT_EC_MAX_DIGEST + 1, in), OCT_ERR_LENGTH);
        off = 1;
        assert_int_equal(checked_verify(ops[i], in, in, 32, in), OCT_ERR_UNSUPPORTED);
    }
}

static int checked_public(int op, const uint8_t *key, uint8_t *to)
{
    struct oct_job job = {.op = op, .ec_public = {key, to}};
    return oct_runners[op].check(&job);
}

static int checked_derive(int op, const uint8_t *key, const uint8_t *peer, uint8_t *to)
{
    struct oct_job job = {.op = op, .ec_derive = {key, peer, to}};
    return oct_runners[op].check(&job);
}

static void test_check_ecdh(void **state)
{
    (void)state;
    for (int step = 0; step <= OCT_OP_P384_SIGN - OCT_OP_P256_SIGN; step += OCT_OP_P384_SIGN - OCT_OP_P256_SIGN) {
        const int keygen = OCT_OP_P256_KEYGEN + step, derive = OCT_OP_P256_DERIVE + step;
        off = 0;
        assert_int_equal(checked_public(keygen, in, out), OCT_OK);
        assert_int_equal(checked_public(keygen, NULL, out), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_public(keygen, in, NULL), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_derive(derive, in, in, out), OCT_OK);
        assert_int_equal(checked_derive(derive, NULL, in, out), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_derive(derive, in, NULL, out), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_derive(derive, in, in, NULL), OCT_ERR_ARGUMENT);
        off = 1;
        assert_int_equal(checked_public(keygen, in, out), OCT_ERR_UNSUPPORTED);
        assert_int_equal(checked_derive(derive, in, in, out), OCT_ERR_UNSUPPORTED);
    }
}

/* Runs five jobs, filled in by their operation, and looks at what the call got: `name`, `curve`, and each job's lane. */
static void run_ec(int op, const char *name, int curve, size_t size, struct oct_job job[5])
{
    const int verifies = op == OCT_OP_P256_VERIFY || op == OCT_OP_P384_VERIFY;
    struct oct_job *list[5];
    for (unsigned i = 0; i < 5; i++) {
        job[i] = (struct oct_job){.op = op, .flags = i & 1, .status = -1};
        if (verifies)
            job[i].ecdsa_verify = (struct oct_ecdsa_verify_lane){in + i, out, 30 + i, in};
        else if (size == sizeof job[i].ecdsa_sign)
            job[i].ecdsa_sign = (struct oct_ecdsa_sign_lane){in + i, in, 20 + i, out + i};
        else if (size == sizeof job[i].ec_public)
            job[i].ec_public = (struct oct_ec_public_lane){in + i, out + i};
        else
            job[i].ec_derive = (struct oct_ec_derive_lane){in + i, in, out + i};
        list[i] = &job[i];
    }
    oct_runners[op].run(list, 5);
    assert_string_equal(called, name);
    assert_int_equal(curve_seen, curve);
    assert_int_equal(lanes_seen, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_memory_equal((const char *)seen_ec + i * size, &job[i].rsa, size);
}

static void test_ec(void **state)
{
    static const struct {
        int op, curve;
        const char *name;
        size_t size;
    } row[] = {{OCT_OP_P256_SIGN, OCT_EC_P256, "sign", sizeof(struct oct_ecdsa_sign_lane)},
               {OCT_OP_P256_KEYGEN, OCT_EC_P256, "public key", sizeof(struct oct_ec_public_lane)},
               {OCT_OP_P256_DERIVE, OCT_EC_P256, "secret", sizeof(struct oct_ec_derive_lane)},
               {OCT_OP_P384_SIGN, OCT_EC_P384, "sign", sizeof(struct oct_ecdsa_sign_lane)},
               {OCT_OP_P384_KEYGEN, OCT_EC_P384, "public key", sizeof(struct oct_ec_public_lane)},
               {OCT_OP_P384_DERIVE, OCT_EC_P384, "secret", sizeof(struct oct_ec_derive_lane)},
               {OCT_OP_P256_VERIFY, OCT_EC_P256, "verify", sizeof(struct oct_ecdsa_verify_lane)},
               {OCT_OP_P384_VERIFY, OCT_EC_P384, "verify", sizeof(struct oct_ecdsa_verify_lane)}};
    struct oct_job job[5];
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        answer = OCT_OK;
        masks = (struct oct_lanes){.ok = 0x15, .invalid = 0x08}; /* lane 1 in neither */
        run_ec(row[i].op, row[i].name, row[i].curve, row[i].size, job);
        for (int lane = 0; lane < 5; lane++)
            assert_int_equal(job[lane].status, lane == 1 ? OCT_ERR_FAULT : lane == 3 ? OCT_ERR_RANGE : OCT_OK);
        answer = OCT_ERR_UNSUPPORTED;
        run_ec(row[i].op, row[i].name, row[i].curve, row[i].size, job);
        for (int lane = 0; lane < 5; lane++)
            assert_int_equal(job[lane].status, lane & 1 ? OCT_ERR_PLAIN : OCT_ERR_UNSUPPORTED);
    }
}

/* In both structures the length stands in the same place; an empty message may be NULL. */
static int checked_ed25519(int op, const void *key, const uint8_t *message, size_t len, const uint8_t *signature)
{
    struct oct_job job = {.op = op};
    if (op == OCT_OP_ED25519_SIGN)
        job.ed25519_sign = (struct oct_ed25519_sign_lane){key, message, len, (uint8_t *)(uintptr_t)signature};
    else
        job.ed25519_verify = (struct oct_ed25519_verify_lane){key, message, len, signature};
    return oct_runners[op].check(&job);
}

static void test_check_ed25519(void **state)
{
    (void)state;
    for (int op = OCT_OP_ED25519_SIGN; op <= OCT_OP_ED25519_VERIFY; op++) {
        off = 0;
        assert_int_equal(checked_ed25519(op, in, in, 1, out), OCT_OK);
        assert_int_equal(checked_ed25519(op, in, NULL, 0, out), OCT_OK);
        assert_int_equal(checked_ed25519(op, NULL, in, 1, out), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_ed25519(op, in, NULL, 1, out), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_ed25519(op, in, in, 1, NULL), OCT_ERR_ARGUMENT);
        assert_int_equal(checked_ed25519(op, in, in, OCT_ED25519_MESSAGE_LIMIT, out), OCT_ERR_LENGTH);
        assert_int_equal(checked_ed25519(op, in, in, OCT_ED25519_MESSAGE_LIMIT - 1, out), OCT_OK);
        off = 1;
        assert_int_equal(checked_ed25519(op, in, in, 1, out), OCT_ERR_UNSUPPORTED);
    }
    off = 0;
}

static void run_ed25519(int op, struct oct_job job[5])
{
    struct oct_job *list[5];
    for (unsigned i = 0; i < 5; i++) {
        job[i] = (struct oct_job){.op = op, .flags = i & 1, .status = -1};
        if (op == OCT_OP_ED25519_SIGN)
            job[i].ed25519_sign = (struct oct_ed25519_sign_lane){(const void *)(in + i), in, i, out + i};
        else
            job[i].ed25519_verify = (struct oct_ed25519_verify_lane){in + i, in, i, out + i};
        list[i] = &job[i];
    }
    oct_runners[op].run(list, 5);
    assert_string_equal(called, op == OCT_OP_ED25519_SIGN ? "ed25519 sign" : "ed25519 verify");
    assert_int_equal(lanes_seen, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_memory_equal((const char *)seen_ec + i * sizeof job[i].ed25519_sign, &job[i].ed25519_sign,
                            sizeof job[i].ed25519_sign);
}

static void test_ed25519(void **state)
{
    struct oct_job job[5];
    (void)state;
    assert_int_equal(sizeof(struct oct_ed25519_sign_lane), sizeof(struct oct_ed25519_verify_lane));
    for (int op = OCT_OP_ED25519_SIGN; op <= OCT_OP_ED25519_VERIFY; op++) {
        answer = OCT_OK;
        masks = (struct oct_lanes){.ok = 0x15, .invalid = 0x08}; /* lane 1 in neither */
        run_ed25519(op, job);
        for (int lane = 0; lane < 5; lane++)
            assert_int_equal(job[lane].status, lane == 1 ? OCT_ERR_FAULT : lane == 3 ? OCT_ERR_RANGE : OCT_OK);
        answer = OCT_ERR_MEMORY;
        run_ed25519(op, job);
        for (int lane = 0; lane < 5; lane++)
            assert_int_equal(job[lane].status, lane & 1 ? OCT_ERR_PLAIN : OCT_ERR_MEMORY);
    }
}

static void run(struct oct_job job[], unsigned jobs, int op)
{
    struct oct_job *list[OCT_LANES];
    for (unsigned i = 0; i < jobs; i++) {
        job[i] = (struct oct_job){.op = op, .rsa = {&key2048, in + i, out + i}, .flags = i & 1, .status = -1};
        list[i] = &job[i];
    }
    oct_runners[op].run(list, jobs);
    assert_int_equal(lanes_seen, jobs);
    for (unsigned i = 0; i < jobs; i++)
        assert_true(seen[i].key == &key2048 && seen[i].in == in + i && seen[i].out == out + i);
}

static void test_masks(void **state)
{
    struct oct_job job[OCT_LANES];
    (void)state;
    answer = OCT_OK;
    masks = (struct oct_lanes){.ok = 0xb5, .invalid = 0x42}; /* lane 3 in neither */
    run(job, 8, OCT_OP_RSA2048_PRIVATE);
    assert_string_equal(called, "private");
    for (int i = 0; i < 8; i++)
        assert_int_equal(job[i].status, i == 3 ? OCT_ERR_FAULT : i == 1 || i == 6 ? OCT_ERR_RANGE : OCT_OK);
    masks = (struct oct_lanes){.ok = 1};
    run(job, 1, OCT_OP_RSA2048_PUBLIC);
    assert_string_equal(called, "public");
    assert_int_equal(job[0].status, OCT_OK);
}

/* Odd jobs may run plainly. */
static void test_refused(void **state)
{
    struct oct_job job[OCT_LANES];
    (void)state;
    answer = OCT_ERR_MEMORY;
    run(job, 5, OCT_OP_RSA4096_PUBLIC);
    for (int i = 0; i < 5; i++)
        assert_int_equal(job[i].status, i & 1 ? OCT_ERR_PLAIN : OCT_ERR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_check_buffers),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_check_x25519),
        cmocka_unit_test(test_x25519),
        cmocka_unit_test(test_check_sign),
        cmocka_unit_test(test_check_verify),
        cmocka_unit_test(test_check_ecdh),
        cmocka_unit_test(test_ec),
        cmocka_unit_test(test_check_ed25519),
        cmocka_unit_test(test_ed25519),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
