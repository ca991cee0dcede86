/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Preloaded, says yes for the kernel where a program hands a connection's records over to it (kTLS), and notes what it
 * was asked, in the file that OCTUPLE_TEST_ULP names. Nothing is encrypted after that: the connection is of no use.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define TCP_ULP_OPTION 31
#define TLS_LEVEL      282 /* SOL_TLS */

static int note = -1;

/* nginx empties the environment. */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("OCTUPLE_TEST_ULP");

    if (path != NULL)
        note = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

__attribute__((visibility("default"))) int setsockopt(int socket, int level, int name, const void *value,
                                                      socklen_t size)
{
    static int (*next)(int, int, int, const void *, socklen_t);
    const unsigned short *version = value;

    if (level == TLS_LEVEL)
        dprintf(note, "direction %d, version %x, cipher %d, %u bytes\n", name, version[0], version[1], size);
    if (level == TLS_LEVEL || (level == IPPROTO_TCP && name == TCP_ULP_OPTION))
        return 0;
    if (next == NULL)
        next = (int (*)(int, int, int, const void *, socklen_t))dlsym(RTLD_NEXT, "setsockopt");
    return next(socket, level, name, value, size);
}
