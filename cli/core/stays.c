/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See stays.h. */
#include "stays.h"

static const struct stay_row rows[] = {
    [OCT_STAY_ALONE] = {"alone", "no other handshake was in flight on their thread",
                        "look again under load, or let fewer workers serve"},
    [OCT_STAY_INSIDE] =
        {"inside", "none of their operations could wait: they are not in lanes, or callbacks make them",
         "see which keys and groups it has: RSA of other sizes than 2048, 3072 and 4096 is not in lanes"},
    [OCT_STAY_NO_LOOP] =
        {"no-loop", "their thread does not wait for events by epoll",
         "threads that block run their operations together; io_uring and a process for each connection "
         "cannot"},
    [OCT_STAY_BLOCKING] = {"blocking", "their sockets block", "have the program use sockets that do not block"},
    [OCT_STAY_UNREGISTERED] = {"unregistered", "their sockets were in no instance of epoll, or in several",
                               "have it register each socket in one instance, before the handshake"},
    [OCT_STAY_ONESHOT] = {"oneshot", "their sockets are registered with EPOLLONESHOT",
                          "have it wait without EPOLLONESHOT while handshakes run"},
    [OCT_STAY_OTHER_THREAD] = {"other-thread", "another thread waits for events of their sockets too, or instead",
                               "give each thread an instance of epoll of its own; for tokio see OCTUPLE_LOOPS=stay"},
    [OCT_STAY_TABLE] = {"table", "their thread has a table of descriptors that is not known",
                        "have threads call unshare() themselves, or after they have waited for events"},
    [OCT_STAY_HIDDEN] = {"hidden", "their sockets were read by no function of the C library, as io_uring does",
                         "have it wait by epoll and read by recv() or its like"},
    [OCT_STAY_MEMORY] = {"memory", "they came through memory, in a program or a version that is not known to bear it",
                         "for TLS 1.3 try OCTUPLE_LOOPS=auto,memory=on"},
    [OCT_STAY_BIO_SSL] = {"bio-ssl", "the program has asked for BIO_f_ssl() or its like, and so nothing pauses in it",
                          "have it call SSL_accept() on objects of its own"},
    [OCT_STAY_DLSYM] = {"dlsym", "the program has functions of libssl from dlsym() past Octuple",
                        "take dlsym=off out of OCTUPLE_LOOPS, and name Octuple's library last in LD_PRELOAD"},
    [OCT_STAY_NOT_FOLLOWED] = {"not-followed", "the program does not call libssl when it is told that it can read",
                               NULL},
    [OCT_STAY_ASYNCHRONOUS] = {"asynchronous", "the program is asynchronous by itself (SSL_MODE_ASYNC)", NULL},
};
_Static_assert(sizeof rows / sizeof rows[0] == OCT_STAY_COUNT, "each reason has its words");

const struct stay_row *stays_row(unsigned reason)
{
    static const struct stay_row other = {"other", "a later version says why", NULL};
    return reason < OCT_STAY_COUNT ? &rows[reason] : &other;
}

void stays_add(struct oct_stay_counters *to, const struct oct_stay_counters *now,
               const struct oct_stay_counters *before)
{
    static const struct oct_stay_counters none;
    before = before != NULL ? before : &none;
    to->form = OCT_STAY_FORM;
    to->paused += now->paused - before->paused;
    to->resumed += now->resumed - before->resumed;
    to->refused += now->refused - before->refused;
    to->doors += now->doors - before->doors;
    for (unsigned i = 0; i < OCT_STAYS; i++)
        to->stayed[i] += now->stayed[i] - before->stayed[i];
}

uint64_t stays_full(const struct oct_stay_counters *stays)
{
    uint64_t full = stays->paused;
    for (unsigned i = 0; i < OCT_STAYS; i++)
        full += stays->stayed[i];
    return full;
}

unsigned stays_why(const struct oct_stay_counters *stays)
{
    return stays->refused != 0 ? OCT_STAY_DLSYM
           : stays->doors != 0 ? OCT_STAY_BIO_SSL
                               : stays_greatest(stays, OCT_STAY_COUNT);
}

unsigned stays_greatest(const struct oct_stay_counters *stays, unsigned other)
{
    unsigned greatest = OCT_STAY_COUNT;
    for (unsigned i = 0; i < OCT_STAY_COUNT; i++)
        if (i != other && stays->stayed[i] != 0 &&
            (greatest == OCT_STAY_COUNT || stays->stayed[i] > stays->stayed[greatest]))
            greatest = i;
    return greatest;
}

json_t *stays_json(const struct oct_stay_counters *stays)
{
    json_t *reasons = json_object();
    for (unsigned i = 0; i < OCT_STAY_COUNT; i++)
        if (stays->stayed[i] != 0)
            json_object_set_new(reasons, rows[i].name, json_integer((json_int_t)stays->stayed[i]));
    return json_pack("{s:I, s:I, s:I, s:o}", "full", (json_int_t)stays_full(stays), "paused", (json_int_t)stays->paused,
                     "resumed", (json_int_t)stays->resumed, "stayed", reasons);
}
