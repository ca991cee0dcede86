/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which programs bear a pause where libssl is fed through memory. Such a program looks at what libssl has written right
 * behind each call, so that no look can force a paused one: it has to come back by the record (memory.h). That is
 * knowledge of these programs, and no other is tried in the hope that it does. OCTUPLE_LOOPS overrules.
 *
 * asyncio (sslproto.py) and uvloop (sslproto.pyx): data_received() gives the bytes to libssl, then calls it.
 * Twisted (protocols/tls.py) over pyOpenSSL: dataReceived() does the same.
 * Node.js (crypto_tls.cc): OnStreamRead() gives the bytes to its BIO, and then cycles.
 * Traffic Server (SSLNetVConnection.cc): reads the hello itself, and lets libssl read from the socket after it.
 */
#include "memory/memory.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* It exports the symbol, and has loaded an object whose name holds the other text. */
static const struct {
    const char *symbol, *object;
} programs[] = {
    {"PyModule_Create2", "/_asyncio."},   {"PyModule_Create2", "/uvloop/loop."},
    {"PyModule_Create2", "/_rust.abi3."}, {"PyModule_Create2", "/_openssl.abi3."},
    {"node_module_register", ""},         {"TSPluginRegister", ""},
};

static int has_name(struct dl_phdr_info *info, size_t size, void *text)
{
    (void)size;
    return info->dlpi_name != NULL && strstr(info->dlpi_name, text) != NULL;
}

bool oct_memory_program(void)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (dlsym(RTLD_DEFAULT, programs[i].symbol) != NULL &&
            dl_iterate_phdr(has_name, (void *)programs[i].object) != 0)
            return true;
    return false;
}
