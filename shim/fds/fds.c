/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One entry per file descriptor of a table, in pages made when they are needed. An entry has its own lock, held for a
 * few instructions; a thread that cannot get it soon (its holder was lost in a fork) does without, and that descriptor
 * stays synchronous.
 */
#include "fds/fds.h"
#include "fds/tables.h"

#include "base/policy.h"
#include "base/thread_mode.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MANY_WAIT ((uint64_t)1)

struct oct_fd_entry {
    uint32_t lock;
    uint32_t generation; /* how often this number was closed */
    int epfd;            /* where it is registered */
    uint32_t epfd_generation;
    uint32_t events;   /* 0: not registered */
    uint32_t removals; /* how often it was taken out of an instance */
    bool used;         /* there is something to forget when it closes */
    bool accepted;     /* accept() gave it, so it is no copy of another */
    bool fresh;        /* accepted, and not registered since */
    bool added;        /* registered, if not now then before; where, the fields above say */
    bool twice;        /* registered in two epoll instances at once: not served */
    epoll_data_t data;
    struct oct_conn *conn; /* it leads there; to be looked at by the one thread only that has this id */
    ino_t *inode;          /* where conn has it */
    uint64_t thread;
    /* Came with its hello, which nobody has read yet: */
    int listener_and_1; /* from here; 0: it did not, or libssl has read it */
    uint32_t listener_generation;
    unsigned judged;
    /* Of a listening socket, by atomic accesses: */
    unsigned led; /* hellos that libssl has read */
    int ahead;    /* that nobody has read; about, where threads share it */
    bool strays;  /* somebody else has */
    /* Of the descriptor of an epoll instance: */
    bool instance;   /* something has been registered in it */
    bool has_copies; /* there have been others, as dup() makes them: all are one instance */
    bool copied;     /* it is a copy of `original` */
    int original;
    uint32_t original_generation;
    struct oct_fd_entry *inherited; /* that of the table from which it came, at this generation */
    uint32_t inherited_generation;
    uint64_t waiter;  /* the id of the one thread that waits on it, or MANY_WAIT */
    uint64_t sleeper; /* the id of the last thread that did so with a timeout other than 0 */
};

static bool nested; /* some instance has been registered in another */
static pid_t process;
static bool loops_stay;

OCT_AT_START void oct_fd_start(bool stay)
{
    loops_stay = stay;
}

ino_t oct_fd_inode(int fd)
{
    struct stat now;
    return fstat(fd, &now) == 0 && S_ISSOCK(now.st_mode) ? now.st_ino : 0;
}

void oct_fd_identify(int fd, ino_t *inode)
{
    if (fd >= 0 && __atomic_load_n(inode, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(inode, oct_fd_inode(fd), __ATOMIC_RELAXED);
}

OCT_AT_START void oct_fd_set_process(void)
{
    process = getpid();
    oct_tables_set_process(process);
}

static struct oct_fd_entry *entry_in(struct oct_fd_table *table, int fd, bool make)
{
    unsigned number = (unsigned)fd / OCT_FD_PAGE;
    if (table == NULL || fd < 0 || number >= OCT_FD_PAGES)
        return NULL;
    struct oct_fd_entry *page = __atomic_load_n(&table->pages[number], __ATOMIC_ACQUIRE);
    if (page == NULL && make) {
        struct oct_fd_entry *fresh = calloc(OCT_FD_PAGE, sizeof *fresh);
        for (int i = 0; fresh != NULL && i < OCT_FD_PAGE; i++)
            fresh[i].generation = table->generation;
        /* Another thread may have made the page meanwhile: then that one is taken. */
        if (fresh != NULL &&
            __atomic_compare_exchange_n(&table->pages[number], &page, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            page = fresh;
        else
            free(fresh);
    }
    return page != NULL ? &page[(unsigned)fd % OCT_FD_PAGE] : NULL;
}

static struct oct_fd_entry *entry_of(int fd, bool make)
{
    return entry_in(oct_table(), fd, make);
}

static bool lock(struct oct_fd_entry *e)
{
    for (unsigned i = 0; i < OCT_POLICY_LOCK_TRIES; i++) {
        if (__atomic_exchange_n(&e->lock, 1, __ATOMIC_ACQUIRE) == 0)
            return true;
        __builtin_ia32_pause();
    }
    return false;
}

static void unlock(struct oct_fd_entry *e)
{
    __atomic_store_n(&e->lock, 0, __ATOMIC_RELEASE);
}

static uint32_t generation_of(int fd)
{
    struct oct_fd_table *table = oct_table();
    const struct oct_fd_entry *e = entry_in(table, fd, false);
    return e != NULL ? __atomic_load_n(&e->generation, __ATOMIC_ACQUIRE) : table != NULL ? table->generation : ~0u;
}

static bool still_there(const struct oct_fd_entry *e)
{
    return e->events != 0 && e->epfd_generation == generation_of(e->epfd);
}

/* epfd belongs to an instance; what is known of its descriptor is to be forgotten when that closes. */
static void note_instance(int epfd)
{
    struct oct_fd_entry *e = entry_of(epfd, true);
    if (e == NULL || __atomic_load_n(&e->instance, __ATOMIC_RELAXED))
        return;
    if (!lock(e))
        return;
    __atomic_store_n(&e->instance, true, __ATOMIC_RELAXED);
    __atomic_store_n(&e->used, true, __ATOMIC_RELAXED);
    if (e->added)
        __atomic_store_n(&nested, true, __ATOMIC_RELAXED);
    unlock(e);
}

uint32_t oct_fd_removals(int fd)
{
    const struct oct_fd_entry *e = entry_of(fd, false);
    return e != NULL ? __atomic_load_n(&e->removals, __ATOMIC_ACQUIRE) : 0;
}

void oct_fd_note(int epfd_given, int op, int fd, const struct epoll_event *event, uint32_t removals_before)
{
    const int epfd = oct_fd_original(epfd_given);
    struct oct_fd_entry *e = entry_of(fd, op != EPOLL_CTL_DEL);
    if (op == EPOLL_CTL_ADD)
        note_instance(epfd);
    if (e == NULL || (op != EPOLL_CTL_DEL && event == NULL) || !lock(e))
        return;
    const bool same = still_there(e) && e->epfd == epfd;
    if (op == EPOLL_CTL_DEL) {
        e->events = same ? 0 : e->events;
        __atomic_add_fetch(&e->removals, 1, __ATOMIC_RELEASE);
    } else if (e->removals == removals_before) { /* else that is no longer so */
        if (op == EPOLL_CTL_ADD && still_there(e) && !same)
            e->twice = true;
        e->epfd = epfd;
        e->epfd_generation = generation_of(epfd);
        /* The kernel adds these two to every registration; with them it is never 0. */
        e->events = event->events | EPOLLERR | EPOLLHUP;
        e->data = event->data;
        e->added = true;
        e->fresh = false;
        __atomic_store_n(&e->used, true, __ATOMIC_RELAXED);
    }
    if (__atomic_load_n(&e->instance, __ATOMIC_RELAXED))
        __atomic_store_n(&nested, true, __ATOMIC_RELAXED);
    unlock(e);
}

/* A vfork()ed child copies its own descriptors. */
void oct_fd_copied(int from, int to)
{
    struct oct_fd_entry *e = oct_fd_is_instance(from) && getpid() == process ? entry_of(to, true) : NULL;
    const int original = oct_fd_original(from);
    struct oct_fd_entry *first = entry_of(original, false);
    if (e == NULL || first == NULL || !lock(e))
        return;
    __atomic_store_n(&first->has_copies, true, __ATOMIC_RELEASE);
    e->original = original;
    e->original_generation = generation_of(original);
    __atomic_store_n(&e->copied, true, __ATOMIC_RELEASE);
    __atomic_store_n(&e->instance, true, __ATOMIC_RELAXED);
    __atomic_store_n(&e->used, true, __ATOMIC_RELAXED);
    unlock(e);
}

/* One that outlives its original is an instance of its own, in which nothing is known to be. */
int oct_fd_original(int fd)
{
    struct oct_fd_entry *e = entry_of(fd, false);
    if (__builtin_expect(e == NULL || !__atomic_load_n(&e->copied, __ATOMIC_ACQUIRE), 1) || !lock(e))
        return fd;
    const bool lives = e->copied && e->original_generation == generation_of(e->original);
    const int original = e->original;
    unlock(e);
    return lives ? original : fd;
}

static struct oct_fd_entry *listener_of(const struct oct_fd_entry *e)
{
    struct oct_fd_entry *listener = entry_of(e->listener_and_1 - 1, false);
    return listener != NULL && generation_of(e->listener_and_1 - 1) == e->listener_generation ? listener : NULL;
}

static void count_down(struct oct_fd_entry *listener)
{
    if (__atomic_load_n(&listener->ahead, __ATOMIC_RELAXED) > 0)
        (void)__atomic_sub_fetch(&listener->ahead, 1, __ATOMIC_RELAXED);
}

/* fd closes. If its hello waits still, nobody has been served another way. */
static void end_unled(struct oct_fd_entry *e, int fd)
{
    struct oct_fd_entry *listener = listener_of(e);
    int waiting = 0;
    e->listener_and_1 = 0;
    if (listener == NULL)
        return;
    count_down(listener);
    if (syscall(SYS_ioctl, (long)fd, (long)FIONREAD, &waiting) != 0 || waiting <= 0)
        __atomic_store_n(&listener->strays, true, __ATOMIC_RELAXED);
}

void oct_fd_closed(int fd)
{
    struct oct_fd_entry *e = entry_of(fd, false);
    /* getpid() costs a system call, but only for a descriptor that was in an epoll instance. */
    if (e == NULL || !__atomic_load_n(&e->used, __ATOMIC_RELAXED) || getpid() != process || !lock(e))
        return;
    if (e->conn != NULL)
        oct_fd_identify(fd, e->inode);
    e->conn = NULL;
    if (e->listener_and_1 != 0)
        end_unled(e, fd);
    __atomic_add_fetch(&e->generation, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&e->led, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&e->ahead, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&e->strays, false, __ATOMIC_RELAXED);
    e->events = 0;
    __atomic_store_n(&e->thread, 0, __ATOMIC_RELAXED);
    e->twice = e->added = e->accepted = e->fresh = false;
    __atomic_store_n(&e->copied, false, __ATOMIC_RELAXED);
    __atomic_store_n(&e->has_copies, false, __ATOMIC_RELAXED);
    __atomic_store_n(&e->inherited, NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&e->used, false, __ATOMIC_RELAXED);
    __atomic_store_n(&e->instance, false, __ATOMIC_RELAXED);
    __atomic_store_n(&e->waiter, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&e->sleeper, 0, __ATOMIC_RELAXED);
    unlock(e);
}

void oct_fd_closed_range(unsigned first, unsigned last)
{
    const struct oct_fd_table *table = oct_table();
    unsigned end = last < OCT_FD_PAGES * OCT_FD_PAGE ? last + 1 : OCT_FD_PAGES * OCT_FD_PAGE;
    for (unsigned fd = first; table != NULL && fd < end; fd++)
        if (__atomic_load_n(&table->pages[fd / OCT_FD_PAGE], __ATOMIC_ACQUIRE) == NULL)
            fd |= OCT_FD_PAGE - 1;
        else
            oct_fd_closed((int)fd);
}

void oct_fd_accepted(int fd)
{
    struct oct_fd_entry *e = entry_of(fd, true);
    if (e == NULL || !lock(e))
        return;
    e->accepted = true;
    e->fresh = !e->added;
    __atomic_store_n(&e->used, true, __ATOMIC_RELAXED);
    unlock(e);
}

/* A number that was closed unseen is taken as it is now. */
void oct_fd_came(int fd, int listener, unsigned judged)
{
    struct oct_fd_entry *e = entry_of(fd, true), *from = entry_of(listener, true);
    if (e == NULL || from == NULL || !lock(e))
        return;
    __atomic_store_n(&from->used, true, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&from->ahead, e->listener_and_1 == 0, __ATOMIC_RELAXED);
    e->listener_and_1 = listener + 1;
    e->listener_generation = generation_of(listener);
    e->judged = judged;
    __atomic_store_n(&e->used, true, __ATOMIC_RELAXED);
    unlock(e);
}

unsigned oct_fd_led(int fd)
{
    struct oct_fd_entry *e = entry_of(fd, false);
    if (e == NULL || !lock(e))
        return 0;
    struct oct_fd_entry *from = e->listener_and_1 != 0 ? listener_of(e) : NULL;
    const unsigned judged = e->listener_and_1 != 0 ? e->judged : 0;
    e->listener_and_1 = 0;
    unlock(e);
    if (from == NULL)
        return judged;
    count_down(from);
    (void)__atomic_add_fetch(&from->led, 1, __ATOMIC_RELAXED);
    return judged;
}

bool oct_fd_leads(int listener, unsigned hellos)
{
    const struct oct_fd_entry *e = entry_of(listener, false);
    return e != NULL && __atomic_load_n(&e->led, __ATOMIC_RELAXED) >= hellos &&
           !__atomic_load_n(&e->strays, __ATOMIC_RELAXED);
}

bool oct_fd_is_full(int listener, int hellos)
{
    const struct oct_fd_entry *e = entry_of(listener, false);
    return e != NULL && __atomic_load_n(&e->ahead, __ATOMIC_RELAXED) >= hellos;
}

void oct_fd_empty(int listener)
{
    struct oct_fd_entry *e = entry_of(listener, false);
    if (e != NULL)
        __atomic_store_n(&e->ahead, 0, __ATOMIC_RELAXED);
}

bool oct_fd_fresh(int fd)
{
    struct oct_fd_entry *e = entry_of(fd, false);
    if (e == NULL || !lock(e))
        return false;
    bool fresh = e->fresh;
    unlock(e);
    return fresh;
}

bool oct_fd_before_add(int fd)
{
    struct oct_fd_entry *e = entry_of(fd, false);
    if (e == NULL || !lock(e))
        return false;
    const bool accepted = e->accepted;
    e->fresh = false;
    unlock(e);
    return accepted;
}

enum place { NOWHERE, IN_ONE, IN_SEVERAL };

static enum place place_of(int fd, struct oct_registration *out)
{
    struct oct_fd_entry *e = entry_of(fd, false);
    if (e == NULL || !__atomic_load_n(&e->used, __ATOMIC_RELAXED) || !lock(e))
        return NOWHERE;
    enum place place = !e->added || e->epfd_generation != generation_of(e->epfd) ? NOWHERE : IN_ONE;
    *out =
        (struct oct_registration){.epfd = e->epfd, .events = e->events, .data = e->data, .generation = e->generation};
    if (e->twice)
        place = IN_SEVERAL;
    unlock(e);
    return place;
}

bool oct_fd_registered(int fd, struct oct_registration *out)
{
    return place_of(fd, out) == IN_ONE;
}

void oct_fd_lead(int fd, struct oct_conn *conn, ino_t *inode, uint64_t thread)
{
    struct oct_fd_entry *e = entry_of(fd, true);
    if (e == NULL || !lock(e))
        return;
    e->conn = conn;
    e->inode = inode;
    __atomic_store_n(&e->thread, thread, __ATOMIC_RELAXED);
    __atomic_store_n(&e->used, true, __ATOMIC_RELAXED);
    unlock(e);
}

void oct_fd_lead_end(int fd, const struct oct_conn *conn)
{
    struct oct_fd_entry *e = entry_of(fd, false);
    if (e == NULL || !lock(e))
        return;
    if (e->conn == conn) {
        e->conn = NULL;
        __atomic_store_n(&e->thread, 0, __ATOMIC_RELAXED);
    }
    unlock(e);
}

struct oct_conn *oct_fd_conn(int fd, uint64_t thread)
{
    struct oct_fd_entry *e = entry_of(fd, false);
    if (e == NULL || __atomic_load_n(&e->thread, __ATOMIC_RELAXED) != thread || !lock(e))
        return NULL;
    struct oct_conn *conn = e->thread == thread ? e->conn : NULL;
    unlock(e);
    return conn;
}

uint32_t oct_fd_generation(int fd)
{
    return generation_of(fd);
}

bool oct_fd_is_same(int fd, uint32_t generation)
{
    return generation_of(fd) == generation;
}

bool oct_fd_is_instance(int fd)
{
    const struct oct_fd_entry *e = entry_of(fd, false);
    return e != NULL && __atomic_load_n(&e->instance, __ATOMIC_RELAXED);
}

bool oct_fd_any_nested(void)
{
    return __atomic_load_n(&nested, __ATOMIC_RELAXED);
}

/* The entry that tells who waits on an instance: that of the table where it was first. NULL: it is not known. */
static struct oct_fd_entry *waited_on(int epfd, bool make)
{
    struct oct_fd_entry *e = entry_of(epfd, make), *first;
    while (e != NULL && __builtin_expect((first = __atomic_load_n(&e->inherited, __ATOMIC_ACQUIRE)) != NULL, 0))
        e = __atomic_load_n(&first->generation, __ATOMIC_ACQUIRE) == e->inherited_generation ? first : NULL;
    return e;
}

void oct_fd_inherit(const struct oct_fd_table *from, struct oct_fd_table *to)
{
    for (int page = 0; page < OCT_FD_PAGES; page++) {
        struct oct_fd_entry *entries = __atomic_load_n(&from->pages[page], __ATOMIC_ACQUIRE);
        for (int i = 0; entries != NULL && i < OCT_FD_PAGE; i++) {
            struct oct_fd_entry *first = &entries[i];
            if (!__atomic_load_n(&first->instance, __ATOMIC_RELAXED) &&
                __atomic_load_n(&first->waiter, __ATOMIC_RELAXED) == 0)
                continue;
            if (oct_libc()->fcntl != NULL && oct_libc()->fcntl(page * OCT_FD_PAGE + i, F_GETFD) < 0)
                continue;
            struct oct_fd_entry *e = entry_in(to, page * OCT_FD_PAGE + i, true);
            if (e == NULL || !lock(first))
                continue;
            e->inherited_generation = first->generation;
            e->instance = first->instance;
            e->used = true;
            e->copied = first->copied;
            e->original = first->original;
            e->original_generation = to->generation;
            __atomic_store_n(&e->inherited, first, __ATOMIC_RELEASE);
            unlock(first);
        }
    }
}

void oct_fd_take_along(struct oct_fd_table *from, struct oct_fd_table *to, int fd, uint32_t *generation,
                       const struct oct_conn *conn)
{
    struct oct_fd_entry *before = entry_in(from, fd, false), *e = before != NULL ? entry_in(to, fd, true) : NULL;
    if (e == NULL || !lock(before))
        return;
    const bool known = before->generation == *generation && still_there(before) && !before->twice;
    if (known) {
        *e = (struct oct_fd_entry){.generation = e->generation, .used = true, .added = true};
        e->epfd = before->epfd;
        e->epfd_generation = to->generation;
        e->events = before->events;
        e->data = before->data;
        e->accepted = before->accepted;
        *generation = e->generation;
    }
    if (before->conn == conn) {
        e->conn = known ? before->conn : NULL;
        e->inode = before->inode;
        __atomic_store_n(&e->thread, known ? before->thread : 0, __ATOMIC_RELAXED);
        before->conn = NULL;
        __atomic_store_n(&before->thread, 0, __ATOMIC_RELAXED);
    }
    unlock(before);
}

void oct_fd_table_clear(struct oct_fd_table *table)
{
    for (int page = 0; page < OCT_FD_PAGES; page++)
        for (int i = 0; table->pages[page] != NULL && i < OCT_FD_PAGE; i++)
            table->pages[page][i] = (struct oct_fd_entry){.generation = table->generation};
}

void oct_fd_waits(int epfd, uint64_t me, bool sleeps)
{
    oct_table_note();
    struct oct_fd_entry *e = waited_on(epfd, true);
    uint64_t expected = 0;
    if (e == NULL)
        return;
    if (sleeps && __atomic_load_n(&e->sleeper, __ATOMIC_RELAXED) != me)
        __atomic_store_n(&e->sleeper, me, __ATOMIC_RELAXED);
    if (__atomic_load_n(&e->waiter, __ATOMIC_RELAXED) == me)
        return;
    __atomic_store_n(&e->used, true, __ATOMIC_RELAXED);
    if (!__atomic_compare_exchange_n(&e->waiter, &expected, me, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        __atomic_store_n(&e->waiter, MANY_WAIT, __ATOMIC_RELEASE);
}

bool oct_fd_is_waited_on(int epfd)
{
    const struct oct_fd_entry *e = waited_on(epfd, false);
    return e != NULL && __atomic_load_n(&e->waiter, __ATOMIC_SEQ_CST) != 0;
}

/* A program that copies an instance's descriptor may do so for several threads, of which the next one waits, and takes
 * any connection. That nobody else has waited so far proves nothing then: tokio's workers look like its one thread.
 * Where each thread has a runtime of its own (pingora's, without work stealing) whoever starts the program can say so.
 */
static bool may_be_shared(const struct oct_fd_entry *e)
{
    return __atomic_load_n(&e->has_copies, __ATOMIC_ACQUIRE) && !loops_stay && !oct_thread_is_only_one();
}

/* What an instance that is registered in another is slept on by, is what that one is slept on by: where this cannot be
 * followed, somebody else may be asleep on it. */
bool oct_fd_slept_on(int epfd, uint64_t thread)
{
    struct oct_registration at;
    for (int depth = 0; depth < OCT_NESTS_MAX; depth++) {
        const struct oct_fd_entry *e = waited_on(epfd, false);
        if (e == NULL || __atomic_load_n(&e->waiter, __ATOMIC_ACQUIRE) != thread || may_be_shared(e))
            return false;
        enum place place = place_of(epfd, &at);
        if (place == NOWHERE || (place == IN_ONE && at.events == 0))
            return __atomic_load_n(&e->sleeper, __ATOMIC_RELAXED) == thread;
        if (place == IN_SEVERAL || !oct_fd_tells(&at))
            return false;
        epfd = at.epfd;
    }
    return false;
}
