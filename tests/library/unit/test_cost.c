/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/batch/cost.c: estimates that one outlier does not upset, decisions that are the cheapest, and recovery from wrong
 * ones. */
#include "unit.h"

#include "base/policy.h"
#include "batch/cost.h"

static struct oct_cost learned(uint64_t small, uint64_t big, uint64_t plain)
{
    struct oct_cost cost = {.frozen = false};
    for (int i = 0; i < 2 * OCT_POLICY_COST_SURE; i++) {
        oct_cost_note_vector(&cost, 4, small);
        oct_cost_note_vector(&cost, 8, big);
        oct_cost_note_fallback(&cost, plain);
    }
    return cost;
}

static void test_estimate_warms_up(void **state)
{
    struct oct_estimate e = {.samples = 0};
    (void)state;
    oct_estimate_add(&e, 9000);
    assert_int_equal(e.value, 9000);
    oct_estimate_add(&e, 1000);
    oct_estimate_add(&e, 5000);
    oct_estimate_add(&e, 1100);
    assert_int_equal(e.value, 1000);
}

static void test_estimate_outlier(void **state)
{
    struct oct_estimate e = {.value = 8000, .samples = OCT_POLICY_COST_SURE};
    (void)state;
    oct_estimate_add(&e, 50000000);
    assert_int_equal(e.value, 8250);
    e.value = 8000;
    oct_estimate_add(&e, 1);
    assert_int_equal(e.value, 7000);
}

static void converges(uint64_t from, uint64_t to, unsigned within)
{
    struct oct_estimate e = {.value = from, .samples = OCT_POLICY_COST_SURE};
    for (unsigned i = 0; i < within; i++)
        oct_estimate_add(&e, to);
    assert_in_range(e.value, to - to / 50 - 8, to + to / 50 + 8);
}

static void test_estimate_follows(void **state)
{
    (void)state;
    converges(1000, 2000, 150);
    converges(2000, 1000, 20);
    converges(1, 100000, 600);
    converges(100000, 1000, 60);
}

/* Every second sample is anything up to ten times the true cost. A mean would settle at twice the true cost even with
 * clipped samples; the estimate stays below that always, and near the truth most of the time. */
static void test_estimate_on_a_busy_machine(void **state)
{
    struct oct_estimate e = {.samples = 0};
    uint32_t random = 1;
    uint64_t sum = 0;
    (void)state;
    for (int i = 0; i < 5000; i++) {
        random = random * 1664525u + 1013904223u;
        oct_estimate_add(&e, random >> 31 ? 100000 + (random >> 8) % 900000 : 100000);
        assert_in_range(e.value, 100000, 199999);
        sum += e.value;
    }
    assert_in_range(sum / 5000, 100000, 120000);
}

static void test_estimate_extremes(void **state)
{
    struct oct_estimate e = {.samples = 0};
    (void)state;
    for (int i = 0; i < 1000; i++)
        oct_estimate_add(&e, UINT64_MAX);
    assert_true(e.value <= (uint64_t)1 << 40);
    for (int i = 0; i < 1000; i++)
        oct_estimate_add(&e, 0);
    assert_true(e.value >= 1);
    struct oct_cost cost = learned(UINT64_MAX, UINT64_MAX, UINT64_MAX);
    assert_int_equal(oct_cost_break_even(&cost), 2);
}

/* Whatever is still unknown: from two jobs on. */
static void test_before_measurements(void **state)
{
    struct oct_cost cost = {.frozen = false};
    (void)state;
    assert_int_equal(oct_cost_break_even(&cost), 2);
    assert_int_equal(oct_cost_plan(&cost, 1, 0), 0);
    assert_int_equal(oct_cost_plan(&cost, 1, 1), 1);
    assert_int_equal(oct_cost_plan(&cost, 2, 0), 2);
    assert_int_equal(oct_cost_plan(&cost, 8, 0), 8);
    oct_cost_note_fallback(&cost, 1000);
    assert_int_equal(oct_cost_break_even(&cost), 2);
    oct_cost_note_vector(&cost, 8, 3000);
    assert_int_equal(oct_cost_break_even(&cost), 2); /* the small vector has not been seen, and is to be */
    oct_cost_note_vector(&cost, 2, 1500);
    assert_int_equal(oct_cost_break_even(&cost), 2);
}

static void test_break_even(void **state)
{
    static const struct {
        uint64_t small, big, plain;
        unsigned expected;
    } cases[] = {
        {999, 2000, 1000, 1},  {1000, 2000, 1000, 2},    {1500, 3000, 1000, 2}, {2000, 4000, 1000, 3},
        {3999, 7998, 1000, 4}, {4000, 4999, 1000, 5},    {5000, 7500, 1000, 8}, {5000, 7999, 1000, 8},
        {5000, 8000, 1000, 9}, {90000, 180000, 1000, 9},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct oct_cost cost = learned(cases[i].small, cases[i].big, cases[i].plain);
        assert_int_equal(oct_cost_break_even(&cost), cases[i].expected);
    }
}

/* What `lanes` of `jobs` in lanes and the rest on the fallback cost. */
static uint64_t price(uint64_t small, uint64_t big, uint64_t plain, unsigned jobs, unsigned lanes)
{
    return (lanes == 0 ? 0 : lanes <= 4 ? small : big) + (jobs - lanes) * plain;
}

/* Never slower: the plan costs no more than any other number of lanes, all costs, all fills. */
static void test_plan_is_the_cheapest(void **state)
{
    (void)state;
    for (uint64_t small = 100; small < 6000; small += 100)
        for (uint64_t big = small; big <= 2 * small; big += small / 3)
            for (unsigned jobs = 1; jobs <= 8; jobs++)
                for (unsigned must = 0; must <= jobs; must++) {
                    struct oct_cost cost = learned(small, big, 1000);
                    unsigned lanes = oct_cost_plan(&cost, jobs, must);
                    assert_in_range(lanes, must, jobs);
                    if (must == 0)
                        assert_int_equal(lanes != 0, jobs >= oct_cost_break_even(&cost));
                    for (unsigned other = must; other <= jobs; other++)
                        assert_true(price(small, big, 1000, jobs, lanes) <= price(small, big, 1000, jobs, other));
                }
}

/* The machine's own figures: RSA-2048 and RSA-4096 of the measured CPU, in nanoseconds. */
static void test_plan_on_known_costs(void **state)
{
    (void)state;
    struct oct_cost rsa2048 = learned(225000, 450000, 213000);
    assert_int_equal(oct_cost_plan(&rsa2048, 1, 0), 0);
    assert_int_equal(oct_cost_plan(&rsa2048, 2, 0), 2);
    assert_int_equal(oct_cost_plan(&rsa2048, 5, 0), 4);
    assert_int_equal(oct_cost_plan(&rsa2048, 6, 0), 6);
    struct oct_cost rsa4096 = learned(1600000, 3200000, 3200000);
    assert_int_equal(oct_cost_plan(&rsa4096, 1, 0), 1);
    assert_int_equal(oct_cost_plan(&rsa4096, 5, 0), 5);
}

static struct oct_cost learned_whole(uint64_t vector, uint64_t plain)
{
    struct oct_cost cost = {.whole = true};
    for (unsigned i = 1; i <= 8; i++) {
        oct_cost_note_vector(&cost, i, vector);
        oct_cost_note_fallback(&cost, plain);
    }
    return cost;
}

/* One vector for one to eight jobs: what one size taught holds for all, and nothing is gained by splitting. */
static void test_whole(void **state)
{
    struct oct_cost cost = {.whole = true};
    (void)state;
    oct_cost_note_fallback(&cost, 1000);
    oct_cost_note_vector(&cost, 8, 6500);
    assert_int_equal(oct_cost_break_even(&cost), 7);
    for (uint64_t vector = 100; vector < 10000; vector += 100)
        for (unsigned jobs = 1; jobs <= 8; jobs++)
            for (unsigned must = 0; must <= jobs; must++) {
                cost = learned_whole(vector, 1000);
                const bool pays = vector < jobs * 1000;
                assert_int_equal(oct_cost_plan(&cost, jobs, must), pays || must != 0 ? jobs : 0);
                assert_int_equal(pays, jobs >= oct_cost_break_even(&cost));
            }
}

/* A vector of any size that pays counts as used; one that never does is tried again. */
static void test_whole_is_tried_again(void **state)
{
    struct oct_cost cost = learned_whole(1000000, 1000);
    (void)state;
    assert_int_equal(oct_cost_break_even(&cost), 9);
    for (int i = 1; i < OCT_POLICY_TRIAL; i++)
        assert_int_equal(oct_cost_plan(&cost, 8, 0), 0);
    assert_int_equal(oct_cost_plan(&cost, 3, 0), 3);
    oct_cost_note_vector(&cost, 3, 1500);
    assert_int_equal(oct_cost_break_even(&cost), 2);
    assert_int_equal(oct_cost_plan(&cost, 8, 0), 8);
}

static void test_frozen(void **state)
{
    struct oct_cost cost = {.frozen = true};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        oct_cost_note_vector(&cost, 8, 1000000);
        oct_cost_note_fallback(&cost, 1);
        assert_int_equal(oct_cost_plan(&cost, 8, 0), 8);
        assert_int_equal(oct_cost_plan(&cost, 1, 0), 0);
    }
    assert_int_equal(oct_cost_break_even(&cost), 2);
}

/* How many plans it takes, with true costs as given, until decisions are right again. */
static unsigned plans_until_lanes(struct oct_cost *cost, unsigned jobs, uint64_t small, uint64_t big)
{
    for (unsigned plans = 1; plans < 10000; plans++) {
        unsigned lanes = oct_cost_plan(cost, jobs, 0);
        if (lanes != 0)
            oct_cost_note_vector(cost, lanes, lanes <= 4 ? small : big);
        if (oct_cost_break_even(cost) <= jobs && lanes == jobs)
            return plans;
    }
    return 10000;
}

static void test_vector_is_tried_again(void **state)
{
    (void)state;
    struct oct_cost cost = learned(1000000, 2000000, 1000);
    assert_int_equal(oct_cost_break_even(&cost), 9);
    assert_int_equal(plans_until_lanes(&cost, 4, 1500, 3000), OCT_POLICY_TRIAL);
    assert_int_equal(oct_cost_break_even(&cost), 2);
}

/* The big vector is thought dear while the small one is in use: only its own disuse counts. */
static void test_big_vector_is_tried_again(void **state)
{
    (void)state;
    struct oct_cost cost = learned(1500, 100000, 1000);
    unsigned tries = 0, plans = 0;
    for (; plans < 1000 && tries == 0; plans++) {
        unsigned lanes = oct_cost_plan(&cost, 8, 0);
        tries += lanes == 8;
        oct_cost_note_vector(&cost, lanes, lanes == 8 ? 3000 : 1500);
    }
    assert_int_equal(plans, OCT_POLICY_TRIAL);
    assert_int_equal(oct_cost_plan(&cost, 8, 0), 8);
}

/* The first measurement of a size, or the first two, met a thread that was preempted: the next occasions show it. */
static void test_first_measurement_is_an_outlier(void **state)
{
    (void)state;
    for (unsigned jobs = 2; jobs <= 8; jobs++)
        for (unsigned outliers = 1; outliers < OCT_POLICY_COST_SURE; outliers++) {
            struct oct_cost cost = {.frozen = false};
            const uint64_t right = jobs <= 4 ? 1500 : 2900; /* and no split is cheaper */
            oct_cost_note_fallback(&cost, 1000);
            for (unsigned i = 0; i < outliers; i++) {
                assert_int_equal(oct_cost_plan(&cost, jobs, 0), jobs);
                oct_cost_note_vector(&cost, jobs, 5000000);
            }
            for (int i = 0; i < 10; i++) {
                assert_int_equal(oct_cost_plan(&cost, jobs, 0), jobs);
                oct_cost_note_vector(&cost, jobs, right);
            }
            assert_int_equal(oct_cost_break_even(&cost), 2);
        }
}

/* The same of the big vector, while the small one is known and could serve. */
static void test_first_big_measurement_is_an_outlier(void **state)
{
    struct oct_cost cost = {.frozen = false};
    (void)state;
    for (int i = 0; i < OCT_POLICY_COST_SURE; i++) {
        oct_cost_note_fallback(&cost, 1000);
        oct_cost_note_vector(&cost, 4, 1500);
    }
    assert_int_equal(oct_cost_plan(&cost, 8, 0), 8);
    oct_cost_note_vector(&cost, 8, 5000000);
    assert_int_equal(oct_cost_plan(&cost, 8, 0), 8);
    oct_cost_note_vector(&cost, 8, 3000);
    assert_int_equal(oct_cost_plan(&cost, 8, 0), 8);
}

/* A vector that is too dear costs a few chunks to be seen so, and then one in OCT_POLICY_TRIAL. */
static void test_dear_vector_is_soon_believed(void **state)
{
    struct oct_cost cost = {.whole = true};
    (void)state;
    oct_cost_note_fallback(&cost, 1000);
    for (int i = 0; i < OCT_POLICY_COST_SURE; i++) {
        assert_int_equal(oct_cost_plan(&cost, 3, 0), 3);
        oct_cost_note_vector(&cost, 3, 5000);
    }
    for (int i = 1; i < OCT_POLICY_TRIAL; i++)
        assert_int_equal(oct_cost_plan(&cost, 3, 0), 0);
    assert_int_equal(oct_cost_plan(&cost, 3, 0), 3);
    oct_cost_note_vector(&cost, 3, 5000);
    assert_int_equal(oct_cost_plan(&cost, 3, 0), 0);
}

/* While a vector really is dearer the trying costs little: one chunk in OCT_POLICY_TRIAL. */
static void test_trying_is_rare(void **state)
{
    struct oct_cost cost = learned(5000, 10000, 1000);
    unsigned vectors = 0;
    (void)state;
    for (unsigned i = 0; i < 100 * OCT_POLICY_TRIAL; i++)
        if (oct_cost_plan(&cost, 2, 0) != 0) {
            vectors++;
            oct_cost_note_vector(&cost, 2, 5000);
        }
    assert_int_equal(vectors, 100);
}

/* Who comes alone meets such a trial less and less often. */
static void test_trying_alone_is_rarer(void **state)
{
    struct oct_cost cost = learned(5000, 10000, 1000);
    unsigned wait = OCT_POLICY_TRIAL;
    (void)state;
    for (unsigned trial = 0; trial < 10; trial++) {
        for (unsigned i = 1; i < wait; i++)
            assert_int_equal(oct_cost_plan(&cost, 1, 0), 0);
        assert_int_equal(oct_cost_plan(&cost, 1, 0), 1);
        oct_cost_note_vector(&cost, 1, 5000);
        wait = trial < OCT_POLICY_TRIAL_DOUBLED ? 2 * wait : wait;
    }
}

/* A trial that is won makes all of that forgotten. */
static void test_trying_alone_begins_anew(void **state)
{
    struct oct_cost cost = learned(5000, 10000, 1000);
    (void)state;
    for (unsigned trial = 0; trial < 3; trial++) {
        while (oct_cost_plan(&cost, 1, 0) == 0)
            continue;
        oct_cost_note_vector(&cost, 1, trial < 2 ? 5000 : 500);
    }
    assert_int_equal(oct_cost_plan(&cost, 1, 0), 1);
    for (unsigned i = 0; i < 1000 && oct_cost_plan(&cost, 1, 0) != 0; i++)
        oct_cost_note_vector(&cost, 1, 5000);
    assert_int_equal(plans_until_lanes(&cost, 1, 500, 3000), OCT_POLICY_TRIAL - 1);
}

/* A cost of the fallback that was measured at a bad moment makes vectors look cheap; nobody falls back any more, until
 * one is handed back. */
static void test_plain_is_measured_again(void **state)
{
    struct oct_cost cost = learned(2000, 4000, 10000000);
    unsigned vectors = 0, i;
    (void)state;
    assert_int_equal(oct_cost_break_even(&cost), 1);
    for (i = 0; oct_cost_break_even(&cost) == 1 && i < 100000; i++) {
        unsigned lanes = oct_cost_plan(&cost, 1, 0);
        vectors += lanes;
        if (lanes == 0)
            oct_cost_note_fallback(&cost, 1000);
        else
            oct_cost_note_vector(&cost, lanes, 2000);
    }
    assert_true(i <= OCT_POLICY_COST_REFRESH);
    assert_true(vectors > 0);
}

static void test_handing_back_is_rare(void **state)
{
    struct oct_cost cost = learned(1500, 3000, 1000);
    unsigned handed = 0;
    (void)state;
    for (unsigned i = 0; i < 50 * OCT_POLICY_COST_REFRESH; i++) {
        unsigned lanes = oct_cost_plan(&cost, 8, 0);
        handed += 8 - lanes;
        oct_cost_note_vector(&cost, lanes, 3000);
    }
    assert_int_equal(handed, 50);
    for (unsigned i = 0; i < 50 * OCT_POLICY_COST_REFRESH; i++)
        assert_int_equal(oct_cost_plan(&cost, 8, 8), 8);
}

/* Who always comes alone tries a vector when it know the fallback well, and not in the first handshake of a process.
 */
static void test_wants_vector(void **state)
{
    struct oct_cost cost = {.whole = true};
    (void)state;
    for (int i = 0; i < OCT_POLICY_COST_SURE; i++) {
        assert_false(oct_cost_wants_vector(&cost));
        oct_cost_note_fallback(&cost, 1000);
    }
    assert_true(oct_cost_wants_vector(&cost));
    for (int i = 0; i < OCT_POLICY_COST_SURE; i++) {
        assert_true(oct_cost_wants_vector(&cost));
        oct_cost_note_vector(&cost, 1, 1000);
    }
    assert_false(oct_cost_wants_vector(&cost));
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_estimate_warms_up, test_estimate_outlier, test_estimate_follows,
                     test_estimate_on_a_busy_machine, test_estimate_extremes, test_before_measurements, test_break_even,
                     test_plan_is_the_cheapest, test_plan_on_known_costs, test_whole, test_whole_is_tried_again,
                     test_frozen, test_vector_is_tried_again, test_big_vector_is_tried_again,
                     test_first_measurement_is_an_outlier, test_first_big_measurement_is_an_outlier,
                     test_dear_vector_is_soon_believed, test_trying_is_rare, test_trying_alone_is_rarer,
                     test_trying_alone_begins_anew, test_plain_is_measured_again, test_handing_back_is_rare,
                     test_wants_vector);
}
