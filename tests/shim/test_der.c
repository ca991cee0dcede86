/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What savings/der.c writes is what OpenSSL writes of the same struct; what it does not know it leaves to OpenSSL. */
#include "world.h"

#include "savings/der.h"

#include <openssl/rand.h>

#define RUNS 20000

/* The types and tags that a session has, each of them. */
struct flat {
    uint32_t version, plain32, zero32;
    int32_t signed32, verified;
    int64_t when;
    uint64_t flags;
    ASN1_OCTET_STRING *needed, *implicit, *optional, *last;
    X509 *peer;
};

ASN1_SEQUENCE(FLAT) =
    {
        ASN1_EMBED(struct flat, version, UINT32),
        ASN1_EMBED(struct flat, signed32, INT32),
        ASN1_SIMPLE(struct flat, needed, ASN1_OCTET_STRING),
        ASN1_IMP_OPT(struct flat, implicit, ASN1_OCTET_STRING, 0),
        ASN1_EXP_OPT_EMBED(struct flat, when, ZINT64, 1),
        ASN1_EXP_OPT(struct flat, peer, X509, 3),
        ASN1_EXP_OPT(struct flat, optional, ASN1_OCTET_STRING, 4),
        ASN1_EXP_OPT_EMBED(struct flat, verified, ZINT32, 5),
        ASN1_EXP_OPT_EMBED(struct flat, flags, ZUINT64, 13),
        ASN1_EXP_OPT_EMBED(struct flat, zero32, ZUINT32, 14),
        ASN1_EXP_OPT_EMBED(struct flat, plain32, UINT32, 19),
        ASN1_EXP_OPT(struct flat, last, ASN1_OCTET_STRING, 30),
} static_ASN1_SEQUENCE_END_name(struct flat, FLAT)

        struct other {
    ASN1_OCTET_STRING *octets;
    STACK_OF(ASN1_OCTET_STRING) * list;
    ASN1_INTEGER *number;
};

ASN1_SEQUENCE(LISTS) =
    {
        ASN1_SEQUENCE_OF(struct other, list, ASN1_OCTET_STRING),
} static_ASN1_SEQUENCE_END_name(struct other, LISTS)

        ASN1_SEQUENCE(NUMBERS) =
            {
                ASN1_OPT(struct other, number, ASN1_INTEGER),
} static_ASN1_SEQUENCE_END_name(struct other, NUMBERS)

    /* OpenSSL may write such a one in parts. */
    ASN1_SEQUENCE(IN_PARTS) =
        {
            ASN1_EXP_OPT(struct other, octets, ASN1_OCTET_STRING_NDEF, 1),
} static_ASN1_SEQUENCE_END_name(struct other, IN_PARTS)

            ASN1_SEQUENCE(LARGE_TAG) =
                {
                    ASN1_EXP_OPT(struct other, octets, ASN1_OCTET_STRING, 31),
} static_ASN1_SEQUENCE_END_name(struct other, LARGE_TAG)

                    static uint64_t random_bits(unsigned n)
{
    uint64_t bits = 0;
    if (n > 0) {
        assert_int_equal(RAND_bytes((unsigned char *)&bits, sizeof bits), 1);
        bits >>= 64 - n;
    }
    return bits;
}

/* Of each length alike, and often at a power of two. */
static uint64_t some_number(unsigned most)
{
    const uint64_t number = random_bits((unsigned)random_bits(32) % (most + 1));
    return random_bits(1) != 0 ? number : 1 + ~number;
}

static size_t some_length(void)
{
    static const size_t edges[] = {0,   1,   122, 123, 124, 125, 126, 127, 128, 129, 249,
                                   250, 251, 252, 253, 254, 255, 256, 257, 32,  48,  1000};
    return edges[random_bits(32) % (sizeof edges / sizeof *edges)];
}

static ASN1_OCTET_STRING *some_octets(ASN1_OCTET_STRING *octets, bool is_optional)
{
    static unsigned char data[1000];
    if (is_optional && random_bits(1) == 0)
        return NULL;
    data[0]++;
    assert_int_equal(ASN1_OCTET_STRING_set(octets, data, (int)some_length()), 1);
    return octets;
}

static struct oct_der_plan plan_of(const ASN1_ITEM *item)
{
    struct oct_der_plan plan = {.length = ASN1_STRING_length, .data = ASN1_STRING_get0_data};
    assert_true(oct_der_make(&plan, item));
    return plan;
}

static bool is_refused(const ASN1_ITEM *item)
{
    struct oct_der_plan plan = {.length = ASN1_STRING_length, .data = ASN1_STRING_get0_data};
    return !oct_der_make(&plan, item);
}

static void expect_same(const struct oct_der_plan *plan, const struct flat *value)
{
    unsigned char own[8192], *theirs = NULL;
    const int length = ASN1_item_i2d((const ASN1_VALUE *)value, &theirs, ASN1_ITEM_rptr(FLAT));

    assert_true(length > 0);
    assert_int_equal(oct_der_write(plan, value, NULL), length);
    memset(own, 0xA5, sizeof own);
    assert_int_equal(oct_der_write(plan, value, own), length);
    assert_memory_equal(own, theirs, (size_t)length);
    assert_int_equal(own[length], 0xA5);
    OPENSSL_free(theirs);
}

static void test_same_bytes(void **state)
{
    const struct oct_der_plan plan = plan_of(ASN1_ITEM_rptr(FLAT));
    ASN1_OCTET_STRING *octets[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        octets[i] = ASN1_OCTET_STRING_new();
    for (int i = 0; i < RUNS; i++) {
        const struct flat value = {.version = (uint32_t)some_number(32),
                                   .plain32 = (uint32_t)some_number(32),
                                   .zero32 = (uint32_t)some_number(32),
                                   .signed32 = (int32_t)some_number(32),
                                   .verified = (int32_t)some_number(32),
                                   .when = (int64_t)some_number(64),
                                   .flags = some_number(64),
                                   .needed = some_octets(octets[0], false),
                                   .implicit = some_octets(octets[1], true),
                                   .optional = some_octets(octets[2], true),
                                   .last = some_octets(octets[3], true)};
        expect_same(&plan, &value);
    }
    for (int i = 0; i < 4; i++)
        ASN1_OCTET_STRING_free(octets[i]);
}

/* A certificate, a field that is missing, and a string that is too long. */
static void test_left_to_openssl(void **state)
{
    static const unsigned char data[65536];
    const struct oct_der_plan plan = plan_of(ASN1_ITEM_rptr(FLAT));
    struct flat value = {.needed = ASN1_OCTET_STRING_new()};

    (void)state;
    assert_int_not_equal(oct_der_write(&plan, &value, NULL), 0);
    value.peer = X509_new();
    assert_int_equal(oct_der_write(&plan, &value, NULL), 0);
    X509_free(value.peer);
    value.peer = NULL;
    assert_int_equal(ASN1_OCTET_STRING_set(value.needed, data, sizeof data), 1);
    assert_int_equal(oct_der_write(&plan, &value, NULL), 0);
    ASN1_OCTET_STRING_free(value.needed);
    value.needed = NULL;
    assert_int_equal(oct_der_write(&plan, &value, NULL), 0);
}

static void test_other_structs(void **state)
{
    (void)state;
    assert_true(is_refused(ASN1_ITEM_rptr(LISTS)));
    assert_true(is_refused(ASN1_ITEM_rptr(LARGE_TAG)));
    assert_true(is_refused(ASN1_ITEM_rptr(X509)));
    assert_true(is_refused(ASN1_ITEM_rptr(ASN1_OCTET_STRING)));
    /* Good as long as it is not there. */
    const struct oct_der_plan numbers = plan_of(ASN1_ITEM_rptr(NUMBERS)), parts = plan_of(ASN1_ITEM_rptr(IN_PARTS));
    struct other value = {.number = NULL};
    assert_int_equal(oct_der_write(&numbers, &value, NULL), 2);
    assert_int_equal(oct_der_write(&parts, &value, NULL), 2);
    value.number = ASN1_INTEGER_new();
    value.octets = ASN1_OCTET_STRING_new();
    assert_int_equal(oct_der_write(&numbers, &value, NULL), 0);
    assert_int_equal(oct_der_write(&parts, &value, NULL), 0);
    ASN1_INTEGER_free(value.number);
    ASN1_OCTET_STRING_free(value.octets);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_same_bytes, test_left_to_openssl, test_other_structs);
}
