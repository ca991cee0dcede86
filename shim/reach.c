/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Programs that have libssl's functions from dlsym(): .NET, Envoy with OpenSSL, plug-ins. What they ask of the libssl
 * that is served they get from here. Nobody else's answer changes:
 *
 *   - RTLD_NEXT and RTLD_DEFAULT go by who calls. dlsym() and dlvsym() here jump to those behind, which find the
 *     program's own return address.
 *   - A function of a libssl that is not served stays.
 *   - So does one that another preloaded library stands in front of, behind this one: that one may call it. Then
 *     nothing pauses in the process.
 *   - Names that do not begin as libssl's cost a comparison.
 *
 * Where the program was started with that libssl, every caller's functions are its own, and the answer is the hook that
 * a linked program has. Elsewhere a caller may have another libssl besides, and calls alone do not tell which one is
 * meant (copies.c). So the answer is an entry of its own in front of the hook, which says it. Its symbol has the same
 * name, with a version that nobody asks for, so that dladdr() tells the name.
 *
 * The auditing interface of ld.so (LD_AUDIT) could change such answers too. It loads a second C library into every
 * process that is started.
 */
#include "shim.h"

#include "base/settings.h"
#include "handshake/doors.h"
#include "libssl/defined.h"
#include "libssl/object.h"
#include "trace/stays.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

typedef void *look_function(void *handle, const char *name);
typedef void *look_version_function(void *handle, const char *name, const char *version);

/* That of all entries here. */
const struct oct_ssl_functions *oct_reach_copy __attribute__((visibility("hidden")));

/* clang-format off */
/* What lies in front of a hook: rax, r10 and r11 are nobody's at a call. */
#define ENTRY(name, since)                                                                                             \
    ".if " since " >= 0\n"                                                                                             \
    ".p2align 4\n"                                                                                                     \
    ".globl octuple_reach_" #name "\n"                                                                                 \
    ".type octuple_reach_" #name ", @function\n"                                                                       \
    "octuple_reach_" #name ":\n"                                                                                       \
    ".cfi_startproc\n"                                                                                                 \
    "    endbr64\n"                                                                                                    \
    "    movq oct_reach_copy(%rip), %r11\n"                                                                            \
    "    movq oct_ssl_reached@gottpoff(%rip), %r10\n"                                                                  \
    "    movq %r11, %fs:(%r10)\n"                                                                                      \
    "    jmp " #name "@PLT\n"                                                                                          \
    ".cfi_endproc\n"                                                                                                   \
    ".size octuple_reach_" #name ", .-octuple_reach_" #name "\n"                                                       \
    ".symver octuple_reach_" #name ", " #name "@OCTUPLE, remove\n"                                                     \
    ".endif\n"
#define HOOKED(name) ENTRY(name, "0")
/* dlsym() and dlvsym(): oct_reach() says which function goes on with the call, or what its answer is. */
#define LOOK(name, version, versioned)                                                                                 \
    ".p2align 4\n"                                                                                                     \
    ".globl " #name "\n"                                                                                               \
    ".type " #name ", @function\n"                                                                                     \
    #name ":\n"                                                                                                        \
    ".cfi_startproc\n"                                                                                                 \
    "    endbr64\n"                                                                                                    \
    "    pushq %rdi\n    .cfi_adjust_cfa_offset 8\n"                                                                   \
    "    pushq %rsi\n    .cfi_adjust_cfa_offset 8\n"                                                                   \
    "    pushq %rdx\n    .cfi_adjust_cfa_offset 8\n"                                                                   \
    "    " version "\n"                                                                                                \
    "    movq 24(%rsp), %rcx\n"                                                                                        \
    "    movl $" #versioned ", %r8d\n"                                                                                 \
    "    call oct_reach\n"                                                                                             \
    "    movq %rdx, %r11\n"                                                                                            \
    "    popq %rdx\n    .cfi_adjust_cfa_offset -8\n"                                                                   \
    "    popq %rsi\n    .cfi_adjust_cfa_offset -8\n"                                                                   \
    "    popq %rdi\n    .cfi_adjust_cfa_offset -8\n"                                                                   \
    "    testq %rax, %rax\n"                                                                                           \
    "    jz 1f\n"                                                                                                      \
    "    jmp *%rax\n"                                                                                                  \
    "1:  movq %r11, %rax\n"                                                                                            \
    "    ret\n"                                                                                                        \
    ".cfi_endproc\n"                                                                                                   \
    ".size " #name ", .-" #name "\n"

__asm__(".text\n"
        LOOK(dlsym, "xorl %edx, %edx", 0)
#if defined(__GLIBC__)
        LOOK(dlvsym, "", 1)
#endif
        OCT_SSL_HOOKS(HOOKED) OCT_SSL_YOUNGER_HOOKS(HOOKED) OCT_AWSLC_YOUNGER_HOOKS(HOOKED)
#define OCT_DOOR(name, argument, three, four) ENTRY(name, OCT_DOOR_SINCE(three, four))
#include "libssl/doors.def"
);
/* clang-format on */

/* Those behind: of the object that is next in the order of all, or of the C library. */
static void *behind[2];

OCT_UNWATCHED static void *look_behind(bool versioned)
{
    void *function = __atomic_load_n(&behind[versioned], __ATOMIC_RELAXED);
    if (function == NULL)
        __atomic_store_n(&behind[versioned], function = oct_object_behind(versioned ? "dlvsym" : "dlsym"),
                         __ATOMIC_RELAXED);
    return function;
}

/* As all names in the lists above begin. */
OCT_UNWATCHED static bool may_be_hook(const char *name)
{
    return name != NULL && ((name[0] == 'S' && (name[1] == 'S' || name[1] == 'R')) ||
                            (name[0] == 'B' && name[1] == 'I') || (name[0] == 'D' && name[1] == 'T'));
}

static bool off;

OCT_AT_START void oct_reach_start(const char *setting)
{
    size_t length;
    const char *says = oct_setting_option(setting, "dlsym", &length);
    off = says != NULL && length == strlen("off") && strncmp(says, "off", length) == 0;
}

/* What the caller gets instead of a function of some libssl's; NULL: that one. A program that gets one of the libssl
 * that is served, in front of which there would be a guard, has a way that nobody guards. */
static void *instead(void *function, const char *name, const void *caller)
{
    if (oct_same_object(caller, (const void *)instead) || oct_same_object(function, (const void *)instead) ||
        oct_same_object(caller, function) || !oct_shim_wanted() || oct_ssl_instead != NULL ||
        __atomic_load_n(&oct_shim_mode_now, __ATOMIC_ACQUIRE) == OCT_SHIM_OFF)
        return NULL;
    const struct oct_ssl_functions *ssl = oct_ssl_at(function);
    void *mine = ssl != NULL && ssl->servable ? oct_hook_named(name, ssl->handle != NULL) : NULL;
    if (mine == NULL)
        return NULL;
    if (off || oct_symbol(ssl->handle, name) != function) {
        oct_door_leave_open(ssl);
        (void)__atomic_add_fetch(&oct_stay_counters()->refused, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    __atomic_store_n(&oct_reach_copy, ssl, __ATOMIC_RELEASE);
    /* Its sockets matter from now on, unless it has been decided that they do not. */
    if (__atomic_load_n(&oct_shim_mode_now, __ATOMIC_ACQUIRE) == OCT_SHIM_UNKNOWN)
        __atomic_store_n(&oct_watching, true, __ATOMIC_RELAXED);
    return mine;
}

/* For the assembly above. `go_on`: the function to be jumped to; NULL: the answer is `found`. */
struct oct_reached {
    void *go_on, *found;
};
struct oct_reached oct_reach(void *handle, const char *name, const char *version, const void *caller, bool versioned);
OCT_UNWATCHED struct oct_reached oct_reach(void *handle, const char *name, const char *version, const void *caller,
                                           bool versioned)
{
    static __thread bool busy; /* with what this function looks up itself */
    void *real = look_behind(versioned);

    if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || !may_be_hook(name) || busy)
        return (struct oct_reached){.go_on = real};
    void *found =
        versioned ? ((look_version_function *)real)(handle, name, version) : ((look_function *)real)(handle, name);
    if (found == NULL)
        return (struct oct_reached){.go_on = NULL};
    const int errno_before = errno;
    busy = true;
    void *mine = instead(found, name, caller);
    busy = false;
    (void)dlerror(); /* what was not found meanwhile is no news for the program */
    errno = errno_before;
    return (struct oct_reached){.found = mine != NULL ? mine : found};
}
