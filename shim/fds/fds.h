/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the program told epoll about its file descriptors, for all threads. */
#ifndef OCT_SHIM_FDS_H
#define OCT_SHIM_FDS_H

#include "libssl/resolve.h"

struct oct_conn;

struct oct_registration {
    int epfd;
    uint32_t events; /* as given to epoll_ctl(); 0: it was registered and has been taken out again */
    epoll_data_t data;
    uint32_t generation; /* of the descriptor */
};

/* How many epoll instances may lie in one another; the kernel allows no more. */
#define OCT_NESTS_MAX 5

/* True if an instance that is registered so makes known, every time, that something in it can be read. */
static inline bool oct_fd_tells(const struct oct_registration *at)
{
    return (at->events & (EPOLLIN | EPOLLRDNORM)) != 0 && (at->events & (EPOLLONESHOT | EPOLLEXCLUSIVE)) == 0;
}

/* How often fd has been taken out of an instance: to be asked before epoll_ctl(). */
uint32_t oct_fd_removals(int fd);
/* epoll_ctl() succeeded. Another thread may have got an event of fd before that is noted, and have moved it on. */
void oct_fd_note(int epfd, int op, int fd, const struct epoll_event *event, uint32_t removals_before);
/* fd is being closed: forgets it. Called before the close, as the number may be somebody else's right after. */
void oct_fd_closed(int fd);
void oct_fd_closed_range(unsigned first, unsigned last);

/* `to` is another number of what `from` is, as dup() makes it. Copies of an epoll instance's descriptor are one
 * instance: some programs register by one of them and wait by the other (tokio). */
void oct_fd_copied(int from, int to);
/* The first descriptor of fd's instance that was copied; fd itself, if it is no copy. */
int oct_fd_original(int fd);

/* accept() gave fd. */
void oct_fd_accepted(int fd);
/* True if fd came from accept() and no epoll instance has heard of it since. */
bool oct_fd_fresh(int fd);
/* epoll_ctl() is about to add fd, which is fresh no more. True if it came from accept(): then it is no copy of another.
 */
bool oct_fd_before_add(int fd);

/* fd, at which a whole hello waits, came from this listening socket. judged: what oct_fd_led() is to return. */
void oct_fd_came(int fd, int listener, unsigned judged);
/* libssl is about to read at fd, or has. 0 also if nothing is known of it. */
unsigned oct_fd_led(int fd);
/* So many hellos that came from this socket have been read by libssl, and none by anybody else. */
bool oct_fd_leads(int listener, unsigned hellos);
/* So many have come that nobody has read, since this was emptied. */
bool oct_fd_is_full(int listener, int hellos);
void oct_fd_empty(int listener);

/* False if fd has been in no epoll instance that is still open, or is in more than one. */
bool oct_fd_registered(int fd, struct oct_registration *out);

/* The inode of a socket, which is the same whatever its number is; 0: it is none. */
ino_t oct_fd_inode(int fd);
/* The number is about to say no more which socket that is: notes the inode, once. */
void oct_fd_identify(int fd, ino_t *inode);

/* fd leads to conn, of the thread with this id; not any more. A descriptor that closes leads nowhere, and its inode is
 * noted. */
void oct_fd_lead(int fd, struct oct_conn *conn, ino_t *inode, uint64_t thread);
void oct_fd_lead_end(int fd, const struct oct_conn *conn);
/* The connection that fd leads to, if it is that thread's, else NULL. */
struct oct_conn *oct_fd_conn(int fd, uint64_t thread);

/* Tells the descriptor from later ones of the same number. */
uint32_t oct_fd_generation(int fd);
/* False if fd has been closed since it was of that generation. */
bool oct_fd_is_same(int fd, uint32_t generation);

/* True if something has been registered in fd, which is the descriptor of an epoll instance. */
bool oct_fd_is_instance(int fd);
/* True if some instance has ever been registered in another. */
bool oct_fd_any_nested(void);

/* True if some thread has waited on epfd. */
bool oct_fd_is_waited_on(int epfd);
/* The thread with this id waits on epfd; sleeps: with a timeout other than 0. */
void oct_fd_waits(int epfd, uint64_t thread, bool sleeps);
/* True if that thread, and no other, has waited on epfd, and sleeps on it or on an instance around it. */
bool oct_fd_slept_on(int epfd, uint64_t thread);
/* loops_stay: no thread of this process takes over the event loop that another one has waited in. */
void oct_fd_start(bool loops_stay);

/* The process that the notes are about: a vfork()ed child closes its own descriptors, but in our memory. */
void oct_fd_set_process(void);

#endif
