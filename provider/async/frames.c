/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The stack itself tells whether an operation is libssl's own or that of a callback: from the operation outwards there
 * is code of the program before there is code of libssl. This needs no list of callbacks, so it holds for those of
 * X.509, of BIOs and of OpenSSL's next release too, and for handshakes that a callback drives.
 *
 * Unwinding costs microseconds, and a server comes here by some ten paths, over and over. So a path is remembered:
 * where on the stack its return addresses lie, relative to this one. If all are found there again, by some twenty
 * loads, the verdict is the same one.
 */
#include "frames.h"

#include "base/base.h"
#include "base/slice.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#define FRAMES_MAX  64
#define KNOWN_PATHS 12 /* of a thread: a server has some ten */

enum owner { OWNER_PROGRAM, OWNER_LIBSSL, OWNER_LIBCRYPTO, OWNER_OCTUPLE, OWNER_LIBC };

struct frame {
    uint32_t offset; /* of the return address, in bytes above the innermost one */
    uintptr_t address;
};

struct path {
    unsigned count; /* 0: none */
    bool may_pause;
    struct frame frames[FRAMES_MAX];
};

/* Of a thread, made when it first asks: each thread has its module's own memory as a whole, and most never ask. */
struct known_paths {
    unsigned next;
    struct path of[KNOWN_PATHS];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static bool thread_end_known;
static _Thread_local struct known_paths *known;

struct walk {
    uintptr_t base; /* where the innermost return address lies */
    uintptr_t end;  /* where that of the slice lies: what stands outside of it is its caller's */
    struct path *path;
    bool program;         /* some frame is the program's */
    bool callback;        /* and one of libssl lies outside of it */
    bool whole;           /* all frames fit into the path */
    enum owner last[2];   /* the outermost frame, and the one inside of it */
    uintptr_t last_place; /* where the outermost return address lies */
};

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* By its file's name: private copies have a dash and digits behind it. What has no name is the program or unknown. */
static enum owner owner_of_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;

    if (begins_with(name, "libssl.") || begins_with(name, "libssl-"))
        return OWNER_LIBSSL;
    if (begins_with(name, "libcrypto.") || begins_with(name, "libcrypto-"))
        return OWNER_LIBCRYPTO;
    if (begins_with(name, "octuple.so") || begins_with(name, "liboctuple"))
        return OWNER_OCTUPLE;
    if (begins_with(name, "libc.so") || begins_with(name, "libc-") || begins_with(name, "ld-musl-"))
        return OWNER_LIBC;
    return OWNER_PROGRAM;
}

/* dladdr() takes the dynamic linker's lock, which a thread in dlopen() may hold for long; glibc 2.35 has a way without.
 */
static enum owner owner_of(uintptr_t address)
{
#if defined(DLFO_STRUCT_HAS_EH_DBASE)
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0)
        return OWNER_PROGRAM;
    return owner_of_name(found.dlfo_link_map->l_name);
#else
    Dl_info info;
    return dladdr((void *)address, &info) != 0 ? owner_of_name(info.dli_fname) : OWNER_PROGRAM;
#endif
}

static void judge(struct walk *walk, enum owner owner, uintptr_t place)
{
    walk->program = walk->program || owner == OWNER_PROGRAM;
    walk->callback = walk->callback || (owner == OWNER_LIBSSL && walk->program);
    walk->last[1] = walk->last[0];
    walk->last[0] = owner;
    walk->last_place = place;
}

/* The unwinder gives a frame's next instruction, and the end of the frame inside of it, below which that address lies.
 */
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
    struct walk *walk = arg;
    const uintptr_t address = _Unwind_GetIP(context), place = _Unwind_GetCFA(context) - sizeof address;
    struct path *path = walk->path;

    if (place < walk->base || address == 0)
        return _URC_NO_REASON; /* of this file, or beyond the end */
    if (place > walk->end)
        return _URC_NORMAL_STOP;
    judge(walk, owner_of(address), place);
    if (path->count == FRAMES_MAX || place - walk->base > UINT32_MAX || *(const uintptr_t *)place != address)
        walk->whole = false;
    else
        path->frames[path->count++] = (struct frame){(uint32_t)(place - walk->base), address};
    /* Beyond the start the frames of a slice's caller may have been put aside: nothing there may be looked at. */
    return place == walk->end ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

/* A slice begins in the shim, at its top; a job of OpenSSL's in libcrypto, which the C library has started. A walk that
 * ends elsewhere has met code that tells nothing of its frames, or a stack of the program's own: the safe answer is no.
 */
static bool reached_the_start(const struct walk *walk, const struct oct_slice *slice)
{
    if (slice != NULL)
        return walk->last[0] == OWNER_OCTUPLE && walk->last_place == slice->top - sizeof(uintptr_t);
    return walk->last[0] == OWNER_LIBCRYPTO || (walk->last[0] == OWNER_LIBC && walk->last[1] == OWNER_LIBCRYPTO);
}

static OCT_NOINLINE bool walk_stack(struct path *path, uintptr_t base, const struct oct_slice *slice)
{
    struct walk walk = {.base = base,
                        .end = slice != NULL ? slice->top - sizeof(uintptr_t) : UINTPTR_MAX,
                        .path = path,
                        .whole = true,
                        .last = {OWNER_PROGRAM, OWNER_PROGRAM}};

    path->count = 0;
    _Unwind_Backtrace(visit, &walk);
    path->may_pause = !walk.callback && reached_the_start(&walk, slice);
    /* What was not seen to its end may differ there the next time. */
    if (!walk.whole || !reached_the_start(&walk, slice))
        path->count = 0;
    return path->may_pause;
}

/* From the inside outwards: an address that is right says that its frame is there, and how far it reaches, so that the
 * next one may be read. The functions on these paths have frames of fixed size. */
__attribute__((no_sanitize("address"))) static bool is_path(const struct path *path, uintptr_t base)
{
    for (unsigned i = 0; i < path->count; i++)
        if (*(const uintptr_t *)(base + path->frames[i].offset) != path->frames[i].address)
            return false;
    return path->count != 0;
}

static void forget(void *memory)
{
    known = NULL;
    free(memory);
}

static void make_thread_key(void)
{
    thread_end_known = pthread_key_create(&thread_end, forget) == 0;
}

static struct known_paths *known_get(void)
{
    if (known != NULL)
        return known;
    pthread_once(&once, make_thread_key);
    known = thread_end_known ? calloc(1, sizeof *known) : NULL;
    if (known != NULL && pthread_setspecific(thread_end, known) != 0)
        forget(known);
    return known;
}

OCT_NOINLINE bool oct_frames_may_pause(const struct oct_slice *slice)
{
    const uintptr_t base = (uintptr_t)__builtin_dwarf_cfa() - sizeof base;
    struct known_paths *paths = known_get();
    struct path unknown;

    if (paths == NULL)
        return walk_stack(&unknown, base, slice);
    for (unsigned i = 0; i < KNOWN_PATHS; i++)
        if (is_path(&paths->of[i], base))
            return paths->of[i].may_pause;
    paths->next = (paths->next + 1) % KNOWN_PATHS;
    return walk_stack(&paths->of[paths->next], base, slice);
}
