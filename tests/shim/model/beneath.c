/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What lies beneath handshake/: a slice that keeps its place in a list of steps instead of a stack, a queue that does
 * nothing but tell, and the program's two threads. thread.c is in this file, because what a thread does at its end and
 * behind a fork is nobody else's.
 */
#include "../../../shim/handshake/thread.c"

#include "model.h"

#include "events/events.h"
#include "handshake/doors.h"
#include "handshake/known.h"
#include "handshake/ride.h"
#include "handshake/storm.h"
#include "libssl/call.h"
#include "memory/memory.h"
#include "quic/quic.h"
#include "trace/stays.h"

#include "base/call_scope.h"
#include "base/thread_mode.h"

#include <time.h>

#define JOBS_MAX 8

struct oct_shim_slice {
    bool away, gone, told;
    const SSL *of;
    oct_handshake_call *call;
    int shutdown;
};

struct oct_queue {
    struct oct_conn *jobs[JOBS_MAX];
    unsigned count;
};

static struct {
    struct oct_thread *thread;
    struct oct_queue queue;
} threads[THREADS];
static int now;
static struct oct_conn *running; /* the call that runs in a slice */
static bool draining;
bool beneath_paused, beneath_awry, beneath_busy, beneath_left_behind;
bool oct_watching = true;
int oct_shim_mode_now = OCT_SHIM_ON;
bool (*oct_shim_decide)(const struct oct_ssl_functions *ssl);

/* --- slices */

static void reopen(struct oct_conn *conn)
{
    if (!conn->slice->away)
        return;
    conn->slice->away = false;
    oct_known_away(conn->slice->of, -1);
    if (conn->ssl != NULL)
        oct_ssl()->SSL_set_shutdown(conn->ssl, conn->slice->shutdown);
}

static void take_back(const struct oct_conn *conn)
{
    for (int i = 0; i < THREADS; i++) {
        struct oct_queue *queue = &threads[i].queue;
        for (unsigned j = 0; j < queue->count; j++)
            if (queue->jobs[j] == conn)
                queue->jobs[j--] = queue->jobs[--queue->count];
    }
}

bool oct_slice_run(struct oct_conn *conn, oct_handshake_call *call, void *arg, int *value)
{
    const bool begins = !oct_slice_is_away(conn);
    struct oct_conn *before = running;
    *value = -1;
    if (conn->thread != oct_thread_peek())
        wrong("a slice runs on another thread");
    if (fake_no_memory && (begins || beneath_awry))
        return false;
    if (begins && conn->slice == NULL)
        conn->slice = oct_ssl()->CRYPTO_zalloc(sizeof *conn->slice, __FILE__, __LINE__);
    if (begins) {
        conn->slice->call = call;
        conn->slice->gone = false;
    }
    if (!draining)
        reopen(conn);
    running = conn;
    beneath_paused = false;
    const int said = begins ? call(conn->ssl, arg) : fake_goes_on(conn->ssl);
    running = before;
    if (!beneath_paused) {
        reopen(conn);
        *value = said;
        return true;
    }
    beneath_paused = false;
    conn->slice->away = true;
    conn->slice->told = false;
    conn->slice->of = conn->ssl;
    oct_known_away(conn->ssl, 1);
    conn->slice->shutdown = oct_ssl()->SSL_get_shutdown(conn->ssl);
    oct_ssl()->SSL_set_shutdown(conn->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    return false;
}

bool beneath_pauses(SSL *s, enum oct_slice_work work)
{
    struct oct_queue *queue = oct_queue_thread();
    struct oct_conn *conn = running;
    if (conn == NULL || conn->ssl != s || draining || !oct_handshake_may_pause(conn, work))
        return false;
    queue->jobs[queue->count++] = conn;
    beneath_paused = true;
    return true;
}

bool beneath_goes_on(SSL *s)
{
    (void)s;
    take_back(running);
    return !draining;
}

bool oct_slice_possible(void)
{
    return true;
}

bool oct_slice_may_begin(struct oct_thread *t)
{
    (void)t;
    return running == NULL;
}

enum oct_slice_place oct_slice_place(const struct oct_conn *conn)
{
    (void)conn;
    return beneath_awry ? OCT_SLICE_OVERLAPS : OCT_SLICE_FITS;
}

bool oct_slice_is_away(const struct oct_conn *conn)
{
    return conn->slice != NULL && conn->slice->away && !conn->slice->gone;
}

bool oct_slice_began_with(const struct oct_conn *conn, oct_handshake_call *call)
{
    return conn->slice != NULL && conn->slice->call == call;
}

int oct_slice_shutdown(const struct oct_conn *conn)
{
    return conn->slice->shutdown;
}

void oct_slice_abandon(struct oct_conn *conn)
{
    if (!oct_slice_is_away(conn))
        return;
    take_back(conn);
    conn->slice->gone = true;
}

void oct_slice_free(struct oct_conn *conn)
{
    if (conn->slice != NULL)
        reopen(conn);
    oct_ssl()->CRYPTO_free(conn->slice, __FILE__, __LINE__);
    conn->slice = NULL;
}

uintptr_t oct_own_stack(struct oct_thread *t, uintptr_t here)
{
    (void)t;
    return here;
}

/* --- the queue */

struct oct_queue *oct_queue_thread(void)
{
    return &threads[now].queue;
}

struct oct_queue *oct_queue_thread_peek(void)
{
    return &threads[now].queue;
}

unsigned oct_queue_poll(struct oct_queue *queue)
{
    const unsigned count = queue->count;
    queue->count = 0;
    for (unsigned i = 0; i < count; i++)
        if (!queue->jobs[i]->slice->told) {
            queue->jobs[i]->slice->told = true;
            oct_handshake_told(queue->jobs[i]);
        }
    return count;
}

unsigned oct_queue_poll_waited(struct oct_queue *queue, uint64_t nanoseconds)
{
    (void)queue, (void)nanoseconds;
    return 0;
}

unsigned oct_queue_run_full(struct oct_queue *queue)
{
    (void)queue;
    return 0;
}

unsigned oct_queue_waiting(const struct oct_queue *queue)
{
    return queue->count;
}

void oct_queue_set_deferred(struct oct_queue *queue, int deferred)
{
    (void)queue, (void)deferred;
}

uint64_t beneath_jobs(const struct oct_conn *conn)
{
    uint64_t jobs = 0;
    for (int i = 0; i < THREADS; i++)
        for (unsigned j = 0; j < threads[i].queue.count; j++)
            jobs += threads[i].queue.jobs[j] == conn;
    return jobs;
}

/* --- liboctuple's others */

static enum oct_thread_mode mode;

void oct_thread_set_mode(enum oct_thread_mode to)
{
    mode = to;
}

enum oct_thread_mode oct_thread_mode(bool on_fibre)
{
    (void)on_fibre;
    return mode;
}

bool oct_thread_is_only_one(void)
{
    return false;
}

void oct_thread_set_draining(bool on)
{
    draining = on;
}

void oct_call_scope_begin(void)
{
}

void oct_call_scope_end(void)
{
}

bool oct_fork_lock_watch(struct oct_fork_lock *watched)
{
    (void)watched;
    return true;
}

/* The thread that waits for another one lets it run: that one comes to its loop. */
int nanosleep(const struct timespec *time, struct timespec *rest)
{
    const int me = now, other = 1 - me;
    (void)time, (void)rest;
    if (beneath_busy || threads[other].thread == NULL)
        return 0;
    beneath_switch(other);
    oct_finish_wanted(threads[other].thread);
    beneath_switch(me);
    return 0;
}

/* --- threads */

/* Every program here lets libssl read its sockets. */
static bool is_on(void)
{
    return false;
}

static bool will_show(struct oct_conn *conn, const struct oct_thread *t)
{
    (void)conn, (void)t;
    return false;
}

static const struct oct_way no_memory = {.is_on = is_on, .will_show = will_show};

int beneath_now(void)
{
    return now;
}

void beneath_switch(int thread)
{
    threads[now].thread = oct_thread_own;
    now = thread;
    oct_thread_own = threads[now].thread;
}

void beneath_begin(void)
{
    static bool set_up;
    if (!set_up && (!oct_thread_setup(NULL) || !oct_known_setup()))
        abort();
    set_up = true;
    oct_way_memory = &no_memory;
    for (int i = 0; i < THREADS; i++)
        threads[i].thread = NULL;
    now = 0;
    oct_thread_own = NULL;
    running = NULL;
    draining = beneath_left_behind = beneath_awry = beneath_busy = beneath_paused = false;
    mode = OCT_THREAD_BLOCKING;
    oct_fd_set_process();
}

/* As the C library has it: first what was asked for before other destructors, then the thread's own key. */
void beneath_end_thread(int thread)
{
    const int me = now;
    beneath_switch(thread);
    if (oct_thread_own != NULL) {
        struct oct_thread *t = oct_thread_own;
        t->waits = false;
        oct_finish_end(t);
        thread_end(t);
        oct_thread_own = NULL;
    }
    threads[thread].queue.count = 0;
    threads[thread].thread = NULL;
    if (me != thread)
        beneath_switch(me);
}

/* The other threads are not in the child, and what they had paused is lost there. Nor are jobs. */
void beneath_fork(void)
{
    for (int i = 0; i < THREADS; i++)
        threads[i].queue.count = 0;
    forked_child();
    beneath_left_behind = threads[1 - now].thread != NULL && threads[1 - now].thread->orphans != NULL;
    free(threads[1 - now].thread);
    threads[1 - now].thread = NULL;
}

/* --- what is not here */

struct oct_memory_counters *oct_memory_counters(void)
{
    static struct oct_memory_counters counters;
    return &counters;
}

struct oct_quic_counters *oct_quic_counters(void)
{
    static struct oct_quic_counters counters;
    return &counters;
}

struct oct_stay_counters *oct_stay_counters(void)
{
    static struct oct_stay_counters counters;
    return &counters;
}

bool oct_door_is_open(void)
{
    return false;
}

void oct_early_free(struct oct_early *early)
{
    (void)early;
}

unsigned short octuple_call_semaphore;

void oct_call_tell(uint64_t start, enum oct_call call, const SSL *s, int value, const void *data, size_t length)
{
    (void)start, (void)call, (void)s, (void)value, (void)data, (void)length;
}

void oct_ride_followed(struct oct_thread *t, const SSL *s)
{
    (void)t, (void)s;
}

void oct_ride_go(struct oct_thread *t)
{
    (void)t;
}

void oct_storm_look(struct oct_conn *conn, struct oct_thread *t)
{
    (void)conn, (void)t;
}

void oct_storm_after(struct oct_conn *conn, struct oct_thread *t)
{
    (void)conn, (void)t;
}

void oct_storm_ended(struct oct_conn *conn, bool completed)
{
    (void)conn, (void)completed;
}

unsigned oct_quic_resume(struct oct_thread *t, bool sleep)
{
    (void)t, (void)sleep;
    return 0;
}

struct oct_thread *oct_memory_reader(void)
{
    return NULL;
}

size_t oct_memory_answer(struct oct_thread *t, int fd, void *buf, size_t n, int flags)
{
    (void)t, (void)fd, (void)buf, (void)n, (void)flags;
    return 0;
}

size_t oct_memory_answer_message(struct oct_thread *t, int fd, struct msghdr *message, int flags)
{
    (void)t, (void)fd, (void)message, (void)flags;
    return 0;
}

size_t oct_memory_give(struct oct_thread *t, int fd, void *buf, size_t n)
{
    (void)t, (void)fd, (void)buf, (void)n;
    return 0;
}

size_t oct_memory_give_part(struct oct_thread *t, int fd, const struct iovec *parts)
{
    (void)t, (void)fd, (void)parts;
    return 0;
}

void oct_quic_read(int fd)
{
    (void)fd;
}

void oct_hello_note(struct oct_thread *t, int fd, const void *buf, size_t n, int flags, ssize_t got)
{
    (void)t, (void)fd, (void)buf, (void)n, (void)flags, (void)got;
}

bool oct_hello_adopt(struct oct_conn *conn, struct oct_thread *t)
{
    (void)conn, (void)t;
    return false;
}

void oct_unshare_begin(struct oct_fd_parting *parting)
{
    (void)parting;
}

void oct_unshare_end(const struct oct_fd_parting *parting, bool done)
{
    (void)parting, (void)done;
}

bool oct_look_at(int fd)
{
    (void)fd;
    return false;
}

ssize_t oct_look_finds(ssize_t got, void *buf, size_t n)
{
    (void)buf, (void)n;
    return got;
}
