/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What glibc declares and another C library may not have: the shim stands in front of these wherever it is loaded. */
#ifndef OCT_SHIM_LIBC_H
#define OCT_SHIM_LIBC_H

#include <sys/epoll.h>
#include <unistd.h>

#if !defined(__GLIBC__)
int close_range(unsigned int first, unsigned int last, int flags);
void closefrom(int first);
int fcntl64(int fd, int command, ...);
struct iovec;
ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags);
int epoll_pwait2(int epfd, struct epoll_event *events, int max, const struct timespec *time, const sigset_t *mask);

#if !defined(CLOSE_RANGE_CLOEXEC)
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif
#if !defined(CLOSE_RANGE_UNSHARE)
#define CLOSE_RANGE_UNSHARE (1u << 1)
#endif
#endif

#endif
