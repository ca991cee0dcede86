/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * An address that was given, and a connection with a deadline: a host that drops packets must not hold up the report.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/base/clock.h"
#include "ports.h"

/* For each address of a name that has several. */
enum { CHOOSE_MILLISECONDS = 1000 };

long doctor_clock(void)
{
    return (long)(oct_clock_nanoseconds() / (OCT_NANOSECONDS / 1000));
}

int doctor_wait(int fd, short events, long deadline)
{
    struct pollfd one = {.fd = fd, .events = events};
    for (;;) {
        long left = deadline - doctor_clock();
        int ready = left > 0 ? poll(&one, 1, (int)left) : 0;
        if (ready >= 0 || errno != EINTR)
            return ready > 0;
    }
}

static bool is_number(const char *host)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, host, bytes) == 1 || strchr(host, ':') != NULL;
}

/* "[::1]:443" has its address between brackets, without which an address of IPv6 is not told from the port. */
static int split(char host[NI_MAXHOST], const char **port, const char *text)
{
    const char *colon = strrchr(text, ':');
    size_t len = colon != NULL ? (size_t)(colon - text) : 0;
    if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
        text++;
        len -= 2;
    } else if (memchr(text, ':', len) != NULL) {
        return 0;
    }
    if (len == 0 || len >= NI_MAXHOST)
        return 0;
    memcpy(host, text, len);
    host[len] = '\0';
    *port = colon + 1;
    return 1;
}

static bool is_port(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && value > 0 && value <= 65535;
}

int doctor_read_address(struct doctor_port *port, const char *text)
{
    const char *number;
    *port = (struct doctor_port){0};
    if (strlen(text) >= sizeof port->name || !split(port->host, &number, text) || !is_port(number))
        return 0;
    snprintf(port->name, sizeof port->name, "%s", text);
    return 1;
}

/* What became of a connection that was begun. */
static int result_of(int fd, long deadline)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (!doctor_wait(fd, POLLOUT, deadline))
        return ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

int doctor_connect(const struct doctor_port *port, long deadline)
{
    int fd = socket(port->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int error = connect(fd, (const struct sockaddr *)&port->address, port->size) == 0 ? 0 : errno;
    error = error == EINPROGRESS || error == EINTR ? result_of(fd, deadline) : error;
    if (error != 0) {
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static void take(struct doctor_port *port, const struct addrinfo *found)
{
    memcpy(&port->address, found->ai_addr, found->ai_addrlen);
    port->size = found->ai_addrlen;
}

/* The first address that takes a connection; the first of all if none does. */
static void choose(struct doctor_port *port, const struct addrinfo *found)
{
    for (const struct addrinfo *next = found; next != NULL && found->ai_next != NULL; next = next->ai_next) {
        take(port, next);
        int fd = doctor_connect(port, doctor_clock() + CHOOSE_MILLISECONDS);
        if (fd >= 0) {
            close(fd);
            return;
        }
    }
    take(port, found);
}

const char *doctor_find_address(struct doctor_port *port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    int error = getaddrinfo(port->host, strrchr(port->name, ':') + 1, &hints, &found);
    if (error != 0)
        return gai_strerror(error);
    choose(port, found);
    freeaddrinfo(found);
    if (is_number(port->host))
        port->host[0] = '\0';
    return NULL;
}
