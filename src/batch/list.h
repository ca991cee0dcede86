/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A first-in-first-out list through the jobs themselves. A job knows the list that it is in, so that it can be unlinked
 * from whichever it has got to.
 */
#ifndef OCT_BATCH_LIST_H
#define OCT_BATCH_LIST_H

#include <stddef.h>

#include <octuple/queue.h>

struct oct_job_list {
    struct oct_job *head, *tail;
    unsigned count;
};

static inline void oct_list_append(struct oct_job_list *list, struct oct_job *job)
{
    job->list = list;
    job->next = NULL;
    job->prev = list->tail;
    if (list->tail != NULL)
        list->tail->next = job;
    else
        list->head = job;
    list->tail = job;
    list->count++;
}

static inline void oct_list_unlink(struct oct_job *job)
{
    struct oct_job_list *list = job->list;

    if (job->prev != NULL)
        job->prev->next = job->next;
    else
        list->head = job->next;
    if (job->next != NULL)
        job->next->prev = job->prev;
    else
        list->tail = job->prev;
    list->count--;
    job->next = job->prev = NULL;
    job->list = NULL;
}

/* Takes the first job; NULL if there is none. */
static inline struct oct_job *oct_list_pop(struct oct_job_list *list)
{
    struct oct_job *job = list->head;
    if (job != NULL)
        oct_list_unlink(job);
    return job;
}

#endif
