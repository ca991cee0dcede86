/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The queue against a reference that is too simple to be wrong: arrays of jobs. Random submissions, cancellations,
 * polls and callbacks that do the same again; after each step both must agree on who was reported, in which order, in
 * which batch, with which status. Each job is an allocation of its own, freed the moment that the contract allows:
 * under AddressSanitizer a queue that touches a job too late is caught. Deterministic: the seeds are below.
 */
#include "unit.h"

#include "fake_engine.h"

#define OPS   3
#define MOST  64 /* jobs that wait */
#define STEPS 60000

struct item {
    struct oct_job job; /* first: the callback gets a pointer to it */
    bool lanes;         /* whether the reference ran it in lanes */
};

struct row {
    struct item *item[MOST];
    unsigned count;
};

enum call { CALL_POLL, CALL_FULL, CALL_SUBMIT };

static struct {
    struct oct_queue *queue;
    struct row ready[OPS], late[OPS], finished;
    enum call call;
    int call_op;
    bool busy, deferred;
    unsigned reported; /* in this call */
    unsigned runs;
    uint64_t random;
} m;

static unsigned any(unsigned below)
{
    m.random ^= m.random << 13;
    m.random ^= m.random >> 7;
    m.random ^= m.random << 17;
    return (unsigned)((m.random >> 20) % below);
}

static void row_append(struct row *n, struct item *item)
{
    assert_true(n->count < MOST);
    n->item[n->count++] = item;
}

static struct item *row_take(struct row *n, unsigned at)
{
    struct item *item = n->item[at];
    memmove(&n->item[at], &n->item[at + 1], (n->count - at - 1) * sizeof n->item[0]);
    n->count--;
    return item;
}

static unsigned total(void)
{
    unsigned sum = m.finished.count;
    for (int op = 0; op < OPS; op++)
        sum += m.ready[op].count + m.late[op].count;
    return sum;
}

/* The reference's whole scheduler: which operation runs next in this call, or -1. */
static int next_op(void)
{
    for (int op = 0; op < OPS; op++) {
        if (m.call == CALL_SUBMIT && op != m.call_op)
            continue;
        if (m.ready[op].count >= (m.call == CALL_POLL ? 1u : 8u))
            return op;
    }
    return -1;
}

static bool reference_run(void)
{
    int op = next_op();
    if (op < 0)
        return false;
    unsigned jobs = m.ready[op].count < 8 ? m.ready[op].count : 8;
    bool lanes = jobs > 1 || !(m.ready[op].item[0]->job.flags & OCT_JOB_MAY_FALL_BACK);
    for (unsigned i = 0; i < jobs; i++) {
        struct item *item = row_take(&m.ready[op], 0);
        row_append(&m.finished, item);
        item->lanes = lanes;
        if (lanes && m.runs + 1 == fake.runs)
            assert_ptr_equal(fake.lane[i], &item->job);
    }
    m.runs += lanes;
    return true;
}

/* The job that has to be reported next, NULL if the call has to end. */
static struct item *next_report(void)
{
    if (m.finished.count == 0 && !reference_run())
        return NULL;
    return row_take(&m.finished, 0);
}

static int expected_status(const struct item *item)
{
    return item->job.rsa.in != NULL ? (int)(item->job.rsa.in - FAKE_STATUS) : OCT_OK;
}

static void check_report(const struct item *item)
{
    assert_int_equal(item->job.state, OCT_JOB_DONE);
    assert_int_equal(item->job.status, item->lanes ? expected_status(item) : OCT_ERR_FALLBACK);
    m.reported++;
}

/* Jobs without a callback are reported in silence. */
static void skip_silent(struct item *until)
{
    struct item *item;
    while ((item = next_report()) != until) {
        assert_non_null(item);
        assert_null(item->job.done);
        check_report(item);
        free(item);
    }
}

static void do_submit(struct item *item);
static void do_cancel(void);
static struct item *new_item(void);

static void done(struct oct_job *job)
{
    struct item *item = (struct item *)job;

    assert_true(m.busy);
    skip_silent(item);
    check_report(item);
    assert_int_equal(fake.runs, m.runs);
    if (any(8) == 0) {
        do_submit(item);
    } else {
        memset(item, 0xee, sizeof *item);
        free(item);
    }
    for (unsigned i = any(4); i > 0; i--) {
        unsigned what = any(8);
        if (what < 3)
            do_cancel();
        else if (what < 6)
            do_submit(new_item());
        else
            assert_int_equal(what == 6 ? oct_queue_poll(m.queue) : oct_queue_run_full(m.queue), 0);
    }
    assert_int_equal(oct_queue_waiting(m.queue), total());
}

static struct item *new_item(void)
{
    struct item *item = calloc(1, sizeof *item);
    item->job.op = (int)any(OPS);
    item->job.flags = any(3) ? OCT_JOB_MAY_FALL_BACK : 0;
    item->job.done = any(6) ? done : NULL;
    item->job.rsa.in = any(10) ? NULL : FAKE_STATUS + OCT_ERR_FAULT;
    return item;
}

static void call_begin(enum call call, int op)
{
    m.call = call;
    m.call_op = op;
    m.busy = true;
    m.reported = 0;
}

static void call_end(unsigned completed)
{
    skip_silent(NULL);
    assert_int_equal(completed, m.reported);
    assert_int_equal(fake.runs, m.runs);
    for (int op = 0; op < OPS; op++)
        while (m.late[op].count != 0)
            row_append(&m.ready[op], row_take(&m.late[op], 0));
    m.busy = false;
}

static void do_submit(struct item *item)
{
    int op = item->job.op;

    if (total() + 1 >= MOST) {
        memset(item, 0xee, sizeof *item);
        free(item);
        return;
    }
    row_append(m.busy ? &m.late[op] : &m.ready[op], item);
    bool runs = !m.busy && !m.deferred && m.ready[op].count >= 8;
    if (runs)
        call_begin(CALL_SUBMIT, op);
    assert_int_equal(oct_queue_submit(m.queue, &item->job), OCT_OK);
    if (runs)
        call_end(m.reported + m.finished.count); /* submit does not say how many completed */
}

static struct row *any_list(void)
{
    unsigned which = any(2 * OPS + 1);
    return which == 2 * OPS ? &m.finished : which < OPS ? &m.ready[which] : &m.late[which - OPS];
}

static void do_cancel(void)
{
    struct row *list = any_list();
    if (list->count == 0)
        return;
    struct item *item = row_take(list, any(list->count));
    assert_true(oct_queue_holds(m.queue, &item->job));
    assert_int_equal(oct_queue_cancel(m.queue, &item->job), OCT_OK);
    assert_int_equal(oct_queue_cancel(m.queue, &item->job), OCT_ERR_STATE);
    assert_int_equal(item->job.state, OCT_JOB_IDLE);
    memset(item, 0xee, sizeof *item);
    free(item);
}

static void do_poll(void)
{
    call_begin(CALL_POLL, -1);
    call_end(oct_queue_poll(m.queue));
}

static void do_run_full(void)
{
    call_begin(CALL_FULL, -1);
    call_end(oct_queue_run_full(m.queue));
}

static void free_all(void)
{
    oct_queue_free(m.queue);
    for (int op = 0; op < OPS; op++)
        while (m.ready[op].count != 0) {
            struct item *item = row_take(&m.ready[op], 0);
            assert_int_equal(item->job.state, OCT_JOB_IDLE);
            free(item);
        }
}

static void start(uint64_t seed)
{
    memset(&m, 0, sizeof m);
    m.random = seed;
    m.queue = fake_queue(false);
}

static void step(void)
{
    unsigned what = any(100);
    if (what < 60)
        do_submit(new_item());
    else if (what < 78)
        do_cancel();
    else if (what < 88)
        do_poll();
    else if (what < 96)
        do_run_full();
    else if (what < 99)
        oct_queue_set_deferred(m.queue, m.deferred = any(2) != 0);
    assert_int_equal(oct_queue_waiting(m.queue), total());
    assert_int_equal(m.finished.count, 0);
}

static void run(uint64_t seed)
{
    unsigned reported = 0;
    start(seed);
    for (int i = 0; i < STEPS; i++) {
        step();
        reported += m.reported;
        m.reported = 0;
    }
    assert_true(reported > STEPS / 4); /* the walk did not get stuck where nothing happens */
    free_all();
}

static void test_model(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        run(seed * 0x9e3779b97f4a7c15u);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_model);
}
