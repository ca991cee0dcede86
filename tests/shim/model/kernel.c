/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Sockets and epoll, as much of them as matters here. Nobody sleeps. */
#include "model.h"

#include "fds/fds.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#define FILES 24
#define FIRST 100 /* numbers that the process has nothing at */
#define NOTES 32

enum kind { NOTHING, SOCKET, INSTANCE, COUNTER };
static struct file {
    enum kind kind;
    unsigned id;
    int bytes; /* that can be read */
    bool blocks;
} files[FILES];
static struct note {
    int epfd, fd; /* 0: free */
    uint32_t events;
    epoll_data_t data;
    bool due; /* edge-triggered: there is something new */
} notes[NOTES];
static unsigned last_id;
static bool slept;

static struct file *file_at(int fd)
{
    return fd >= FIRST && fd < FIRST + FILES && files[fd - FIRST].kind != NOTHING ? &files[fd - FIRST] : NULL;
}

static int fails(int error)
{
    errno = error;
    return -1;
}

static int open_file(enum kind kind)
{
    for (int i = 0; i < FILES; i++)
        if (files[i].kind == NOTHING) {
            files[i] = (struct file){.kind = kind, .id = ++last_id};
            return FIRST + i;
        }
    wrong("the model has too few files");
}

int kernel_socket(void)
{
    return open_file(SOCKET);
}

int kernel_instance(void)
{
    return open_file(INSTANCE);
}

void kernel_send(int fd)
{
    struct file *file = file_at(fd);
    if (file == NULL)
        return;
    file->bytes++;
    for (int i = 0; i < NOTES; i++)
        if (notes[i].fd == fd)
            notes[i].due = true;
}

int kernel_bytes(int fd)
{
    const struct file *file = file_at(fd);
    return file != NULL ? file->bytes : 0;
}

void kernel_set_blocks(int fd, bool blocks)
{
    file_at(fd)->blocks = blocks;
}

void kernel_begin(void)
{
    for (int i = 0; i < FILES; i++) /* what has waked a thread stays for a while */
        if (files[i].kind != COUNTER)
            files[i].kind = NOTHING;
    memset(notes, 0, sizeof notes);
    slept = false;
}

int kernel_files(void)
{
    int open = 0;
    for (int i = 0; i < FILES; i++)
        open += files[i].kind != NOTHING && files[i].kind != COUNTER;
    return open;
}

static int close_file(int fd)
{
    struct file *file = file_at(fd);
    if (file == NULL)
        return fails(EBADF);
    for (int i = 0; i < NOTES; i++)
        if (notes[i].fd == fd || notes[i].epfd == fd)
            notes[i].fd = notes[i].epfd = 0;
    file->kind = NOTHING;
    return 0;
}

static int control(int epfd, int op, int fd, struct epoll_event *event)
{
    struct note *note = NULL, *unused = NULL;
    if (file_at(epfd) == NULL || file_at(fd) == NULL)
        return fails(EBADF);
    for (int i = 0; i < NOTES; i++) {
        if (notes[i].fd == fd && notes[i].epfd == epfd)
            note = &notes[i];
        if (notes[i].fd == 0)
            unused = &notes[i];
    }
    if ((note != NULL) == (op == EPOLL_CTL_ADD))
        return fails(note != NULL ? EEXIST : ENOENT);
    if (op == EPOLL_CTL_DEL) {
        note->fd = note->epfd = 0;
        return 0;
    }
    note = note != NULL ? note : unused;
    *note = (struct note){epfd, fd, event->events, event->data, file_at(fd)->bytes > 0};
    return 0;
}

static int wait_at_once(int epfd, struct epoll_event *events, int max, int timeout)
{
    int n = 0;
    for (int i = 0; i < NOTES && n < max; i++) {
        struct note *note = &notes[i];
        if (note->fd == 0 || note->epfd != epfd || file_at(note->fd)->bytes == 0 || (note->events & EPOLLIN) == 0)
            continue;
        if ((note->events & EPOLLET) != 0 && !note->due)
            continue;
        note->due = false;
        events[n++] = (struct epoll_event){.events = EPOLLIN, .data = note->data};
        if ((note->events & EPOLLONESHOT) != 0)
            note->events = 0;
    }
    slept |= n == 0 && timeout != 0;
    return n;
}

static int wait_masked(int epfd, struct epoll_event *events, int max, int timeout, const sigset_t *mask)
{
    (void)mask;
    return wait_at_once(epfd, events, max, timeout);
}

static ssize_t receive(int fd, void *buf, size_t n, int flags)
{
    struct file *file = file_at(fd);
    if (file == NULL)
        return fails(EBADF);
    if (file->bytes == 0 || n == 0)
        return fails(EAGAIN);
    file->bytes -= (flags & MSG_PEEK) == 0;
    *(char *)buf = 'm';
    return 1;
}

static int file_control(int fd, int command, ...)
{
    const struct file *file = file_at(fd);
    if (file == NULL)
        return fails(EBADF);
    return command == F_GETFL && !file->blocks ? O_NONBLOCK : 0;
}

int eventfd(unsigned count, int flags)
{
    (void)flags;
    const int fd = open_file(COUNTER);
    file_at(fd)->bytes = (int)count;
    return fd;
}

int fstat(int fd, struct stat *to)
{
    const struct file *file = file_at(fd);
    if (file == NULL)
        return fails(EBADF);
    *to = (struct stat){.st_mode = S_IFSOCK, .st_ino = file->id};
    return 0;
}

const struct oct_libc_functions *oct_libc(void)
{
    static const struct oct_libc_functions libc = {
        .epoll_ctl = control,
        .epoll_wait = wait_at_once,
        .epoll_pwait = wait_masked,
        .close = close_file,
        .fcntl = file_control,
        .recv = receive,
    };
    return &libc;
}
