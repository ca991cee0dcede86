/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where a server listens: the sockets that it and its descendants hold, by the numbers that the kernel gives them in
 * /proc/PID/fd, looked up in the list of its network namespace. Master and workers share sockets, so those of all
 * count.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/core/process.h"
#include "doctor.h"

#define LISTEN 0x0a /* TCP_LISTEN, as the kernel writes it */

/* All sockets, connections among them: a busy server has a great many. */
struct sockets {
    unsigned long *inode;
    size_t count, room;
};

/* Returns 0 if its descriptors cannot be seen. */
static int note_sockets(struct sockets *sockets, pid_t pid)
{
    char path[64], link[64];
    const struct dirent *entry;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return 0;
    while ((entry = readdir(folder)) != NULL) {
        ssize_t len = readlinkat(dirfd(folder), entry->d_name, link, sizeof link - 1);
        link[len > 0 ? len : 0] = '\0';
        if (strncmp(link, "socket:[", 8) != 0)
            continue;
        if (sockets->count == sockets->room) {
            size_t room = sockets->room > 0 ? 2 * sockets->room : 1024;
            unsigned long *larger = realloc(sockets->inode, room * sizeof *larger);
            if (larger == NULL)
                continue;
            sockets->inode = larger;
            sockets->room = room;
        }
        sockets->inode[sockets->count++] = strtoul(link + 8, NULL, 10);
    }
    closedir(folder);
    return 1;
}

/* Words of 32 bits in the order of the machine, in hexadecimal digits. */
static void read_words(void *to, const char *hex, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        char digits[9] = "";
        memcpy(digits, hex + 8 * i, 8);
        unsigned word = (unsigned)strtoul(digits, NULL, 16);
        memcpy((char *)to + sizeof word * i, &word, sizeof word);
    }
}

static in_port_t number_of(const struct doctor_port *port)
{
    struct sockaddr_in address; /* the port stands where IPv6 has it too */
    memcpy(&address, &port->address, sizeof address);
    return address.sin_port;
}

static void add(struct doctor_ports *ports, const char *hex, unsigned number)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)number)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)number)};
    struct doctor_port port = {0};
    char text[INET6_ADDRSTRLEN];
    /* An address for all of the machine's is reached by loopback. */
    if (strlen(hex) == 8) {
        read_words(&v4.sin_addr, hex, 1);
        port.any = v4.sin_addr.s_addr == htonl(INADDR_ANY);
        if (port.any)
            v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        memcpy(&port.address, &v4, port.size = sizeof v4);
        inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
        snprintf(port.name, sizeof port.name, "%s:%u", text, number);
    } else if (strlen(hex) == 32) {
        read_words(&v6.sin6_addr, hex, 4);
        port.any = IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr);
        if (port.any)
            v6.sin6_addr = in6addr_loopback;
        memcpy(&port.address, &v6, port.size = sizeof v6);
        inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
        snprintf(port.name, sizeof port.name, "[%s]:%u", text, number);
    } else {
        return;
    }
    /* Workers may have a socket each for one address, and a server one for each version of IP. */
    for (unsigned i = 0; i < ports->count; i++) {
        const struct doctor_port *other = &ports->port[i];
        if (!strcmp(other->name, port.name) || (other->any && port.any && number_of(other) == number_of(&port)))
            return;
    }
    if (ports->count == DOCTOR_PORTS)
        ports->missed++;
    else
        ports->port[ports->count++] = port;
}

static void read_list(struct doctor_ports *ports, const struct sockets *sockets, pid_t pid, const char *list)
{
    char *line = NULL;
    size_t room = 0;
    FILE *in = process_open(pid, list);
    while (in != NULL && getline(&line, &room, in) > 0) {
        /* "SLOT: ADDRESS:PORT PEER:PORT STATE QUEUES TIMER RETRANSMITS USER TIMEOUT INODE ..." */
        char *word[10], *rest = line;
        size_t words = 0, i = 0;
        while (words < sizeof word / sizeof word[0] && rest != NULL) {
            word[words] = strsep(&rest, " \n");
            words += *word[words] != '\0';
        }
        char *colon = words == sizeof word / sizeof word[0] ? strchr(word[1], ':') : NULL;
        if (colon == NULL || strtoul(word[3], NULL, 16) != LISTEN)
            continue;
        const unsigned long inode = strtoul(word[9], NULL, 10);
        while (i < sockets->count && sockets->inode[i] != inode)
            i++;
        if (i < sockets->count) {
            *colon = '\0';
            add(ports, word[1], (unsigned)strtoul(colon + 1, NULL, 16));
        }
    }
    free(line);
    if (in != NULL)
        fclose(in);
}

void doctor_find_ports(struct doctor_ports *ports, pid_t pid)
{
    static pid_t pids[PROCESS_MAX];
    struct sockets sockets = {0};
    char path[64];
    struct stat theirs, ours;
    unsigned count = process_tree(pid, pids, PROCESS_MAX), seen = 0;
    for (unsigned i = 0; i < count; i++)
        seen += note_sockets(&sockets, pids[i]) != 0;
    read_list(ports, &sockets, pid, "net/tcp");
    read_list(ports, &sockets, pid, "net/tcp6");
    free(sockets.inode);
    if (seen == 0) {
        ports->obstacle = doctor_when_PORTS_UNSEEN;
        ports->advice = doctor_advice_PORTS_UNSEEN;
        return;
    }
    if (ports->count == 0) {
        ports->obstacle = "it listens on no TCP port";
        return;
    }
    /* The process's addresses are those of its own network. */
    snprintf(path, sizeof path, "/proc/%ld/ns/net", (long)pid);
    if (stat(path, &theirs) == 0 && stat("/proc/self/ns/net", &ours) == 0 && theirs.st_ino == ours.st_ino)
        return;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET) != 0) {
        ports->count = 0;
        ports->obstacle = doctor_when_PORTS_APART;
        ports->advice = doctor_advice_PORTS_APART;
    }
    if (fd >= 0)
        close(fd);
}
