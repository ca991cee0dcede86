/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A program with several plug-ins that have TLS: makes connections with all of them in turn and says what came of it.
 *
 * usage: host local|global lazy|now ROUNDS THREADS PLUGIN...   (with WITH_TLS: the program has TLS itself)
 *
 * Each round loads the plug-ins in their order, works, and unloads them.
 */
#include "work.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDES_MAX 4
#define TURNS_MAX 3000
#define SAID_MAX  1024

struct side {
    const char *name;
    void *handle;
    struct work *(*open)(void);
    int (*turn)(struct work *);
    int (*close)(struct work *);
    void (*library)(char *, size_t);
};

static struct side sides[SIDES_MAX];
static int side_count;

static void *find(void *handle, const char *name)
{
    void *found = dlsym(handle, name);
    if (found == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    return found;
}

static void load(struct side *side, const char *path, int mode)
{
    side->name = strrchr(path, '/') + 1;
    side->handle = dlopen(path, mode);
    if (side->handle == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    *(void **)&side->open = find(side->handle, "work_open");
    *(void **)&side->turn = find(side->handle, "work_turn");
    *(void **)&side->close = find(side->handle, "work_close");
    *(void **)&side->library = find(side->handle, "work_library");
}

/* All sides' connections in turn; says what came of them. */
static void *work(void *said)
{
    struct work *w[SIDES_MAX];
    int left = 1;
    for (int i = 0; i < side_count; i++)
        w[i] = sides[i].open();
    for (int turn = 0; left > 0 && turn < TURNS_MAX; turn++) {
        left = 0;
        for (int i = 0; i < side_count; i++)
            left += sides[i].turn(w[i]);
    }
    for (int i = 0; i < side_count; i++) {
        char library[64];
        const size_t used = strlen(said);
        sides[i].library(library, sizeof library);
        snprintf((char *)said + used, SAID_MAX - used, "%s: %d good, by %s\n", sides[i].name, sides[i].close(w[i]),
                 library);
    }
    return NULL;
}

static void work_in(int threads)
{
    static char said[16][SAID_MAX];
    pthread_t thread[16];
    memset(said, 0, sizeof said);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, said[i]) != 0)
            exit(3);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    if (threads == 0)
        work(said[0]);
    for (int i = 0; i < (threads > 0 ? threads : 1); i++)
        fputs(said[i], stdout);
}

int main(int count, char **arguments)
{
    const int scope = strcmp(arguments[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
    const int when = strcmp(arguments[2], "now") == 0 ? RTLD_NOW : RTLD_LAZY;
    for (int round = 0; round < atoi(arguments[3]); round++) {
        side_count = 0;
#ifdef WITH_TLS
        sides[side_count++] = (struct side){"program", NULL, work_open, work_turn, work_close, work_library};
#endif
        for (int i = 5; i < count; i++)
            load(&sides[side_count++], arguments[i], scope | when);
        work_in(atoi(arguments[4]));
        for (int i = 0; i < side_count; i++)
            if (sides[i].handle != NULL)
                dlclose(sides[i].handle);
    }
    puts("ended");
    return 0;
}
