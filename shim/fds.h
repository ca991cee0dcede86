/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the program told epoll about its file descriptors, for all threads. */
#ifndef OCT_SHIM_FDS_H
#define OCT_SHIM_FDS_H

#include "shim.h"

struct oct_registration {
    int epfd;
    uint32_t events; /* as given to epoll_ctl(); 0: it was registered and has been taken out again */
    epoll_data_t data;
    uint32_t generation; /* of the descriptor */
};

/* epoll_ctl() succeeded. */
void oct_fd_note(int epfd, int op, int fd, const struct epoll_event *event);
/* fd is being closed: forgets it. Called before the close, as the number may be somebody else's right after. */
void oct_fd_closed(int fd);
void oct_fd_closed_range(unsigned first, unsigned last);

/* accept() gave fd. */
void oct_fd_accepted(int fd);
/* True if fd came from accept() and no epoll instance has heard of it since. */
bool oct_fd_fresh(int fd);

/* False if fd has been in no epoll instance that is still open, or is in more than one. */
bool oct_fd_registered(int fd, struct oct_registration *out);

/* The calling thread waits on epfd. */
void oct_fd_waits(int epfd, const struct oct_thread *t);
/* True if t, and no other thread, has waited on epfd. */
bool oct_fd_waited_by(int epfd, const struct oct_thread *t);

/* The process that the notes are about: a vfork()ed child closes its own descriptors, but in our memory. */
void oct_fd_set_process(void);

#endif
