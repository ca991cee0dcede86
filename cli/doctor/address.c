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

int doctor_read_address(struct doctor_port *port, const char *text)
{
    const char *colon = strrchr(text, ':'), *host = text;
    size_t len = colon != NULL ? (size_t)(colon - text) : 0;
    char *end;
    *port = (struct doctor_port){0};
    /* "[::1]:443" has its address between brackets, without which an address of IPv6 is not told from the port. */
    if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
        host++;
        len -= 2;
    } else if (memchr(text, ':', len) != NULL) {
        return 0;
    }
    if (len == 0 || len >= sizeof port->host || strlen(text) >= sizeof port->name)
        return 0;
    long number = strtol(colon + 1, &end, 10);
    if (colon[1] < '0' || colon[1] > '9' || *end != '\0' || number <= 0 || number > 65535)
        return 0;
    snprintf(port->host, sizeof port->host, "%.*s", (int)len, host);
    snprintf(port->name, sizeof port->name, "%s", text);
    return 1;
}

int doctor_connect(const struct doctor_port *port, long deadline)
{
    int fd = socket(port->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int error = connect(fd, (const struct sockaddr *)&port->address, port->size) == 0 ? 0 : errno;
    if (error == EINPROGRESS || error == EINTR) {
        socklen_t size = sizeof error;
        if (!doctor_wait(fd, POLLOUT, deadline))
            error = ETIMEDOUT;
        else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
            error = errno;
    }
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

const char *doctor_find_address(struct doctor_port *port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    unsigned char bytes[sizeof(struct in6_addr)];
    int error = getaddrinfo(port->host, strrchr(port->name, ':') + 1, &hints, &found);
    if (error != 0)
        return gai_strerror(error);
    /* The first of several addresses that takes a connection; the first of all if none does. */
    int fd = -1;
    for (const struct addrinfo *next = found; found->ai_next != NULL && next != NULL && fd < 0; next = next->ai_next) {
        take(port, next);
        fd = doctor_connect(port, doctor_clock() + CHOOSE_MILLISECONDS);
    }
    if (fd >= 0)
        close(fd);
    else
        take(port, found);
    freeaddrinfo(found);
    /* TLS has no names that are addresses. */
    if (inet_pton(AF_INET, port->host, bytes) == 1 || strchr(port->host, ':') != NULL)
        port->host[0] = '\0';
    return NULL;
}
