/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * How a paused fibre is woken: one record per OpenSSL wait context (ASYNC_WAIT_CTX), which an application has one of
 * for each asynchronous connection.
 *
 * - By callback, if the application set one (ASYNC_WAIT_CTX_set_callback, SSL_set_async_callback). Where
 *   the preload shim serves the thread (base/thread_mode.h), it also polls the queue, and the callback is called
 *   when the job is done. Otherwise nobody may ever poll, so the callback is called when the
 *   job waits, and the resumed fibre polls.
 * - Else by an eventfd, made readable when the job waits, not when it is done: the application's next turn resumes the
 *   first fibre, that fibre polls for everyone, and no thread or timer is needed.
 *
 * Freeing the wait context (SSL_free on a paused connection) ends the record and cancels the job. On another thread it
 * leaves the job to run: the record then goes after that, or with the thread whose queue it waits in.
 */
#ifndef OCT_PROVIDER_WAKER_H
#define OCT_PROVIDER_WAKER_H

#include "task.h"

#include <openssl/async.h>
#include <stdbool.h>

struct oct_waker;

/* The record of the calling fibre's wait context, claimed for a job that is about to be submitted to `queue`.
 * Until oct_waker_end() it holds references to the job's keys, which the application may free while it waits. NULL if
 * it cannot be had (no memory, no descriptor, or another fibre waits on the same context). */
struct oct_waker *oct_waker_begin(ASYNC_JOB *fibre, struct oct_queue *queue, struct oct_job *job,
                                  void *const key[OCT_TASK_KEYS]);

/* To be called once, before the first pause, if the job still waits after it was submitted. */
void oct_waker_arm(struct oct_waker *wait);

/* 1 if the resumed fibre should poll the queue itself. 0 if somebody else does, who resumes no fibre whose job waits:
 * then the pause was none, because the program has blocked it (ASYNC_block_pause). */
bool oct_waker_should_poll(struct oct_waker *wait);

/* The job is done or cancelled: the record is free for the next one. */
void oct_waker_end(struct oct_waker *wait);

/* The `done` callback of every job submitted with a record; job->arg is the record. */
void oct_waker_done(struct oct_job *job);

#endif
