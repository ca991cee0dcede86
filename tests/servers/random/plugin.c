/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. The server is PLUGIN. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *server = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, char **) = NULL;
    if (server != NULL)
        *(void **)&run = dlsym(server, "main");
    if (run != NULL)
        return run(argc, argv);
    fprintf(stderr, "%s\n", dlerror());
    return 3;
}
