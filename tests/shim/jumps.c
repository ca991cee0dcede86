/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * For ThreadSanitizer, in front of its runtime: the jumps between the stacks of OpenSSL's jobs are the C library's own.
 * The runtime's keep a list of places to come back to, by the height of the stack. So one from another stack makes it
 * forget those of a job, and it ends the process. The shim tells it of the jobs themselves (shim/handshake/sanitize.h).
 */
#include <dlfcn.h>
#include <stdlib.h>

/* Read by the jumps below, which have no stack of their own to call anything from. */
__attribute__((visibility("hidden"))) void *octuple_setjmp, *octuple_longjmp;

__attribute__((constructor)) static void find(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    octuple_setjmp = libc != NULL ? dlsym(libc, "_setjmp") : NULL;
    octuple_longjmp = libc != NULL ? dlsym(libc, "_longjmp") : NULL;
    if (octuple_setjmp == NULL || octuple_longjmp == NULL)
        abort();
}

__asm__(".pushsection .text\n"
        ".globl _setjmp\n"
        ".type _setjmp, @function\n"
        "_setjmp:\n"
        "\tjmp *octuple_setjmp(%rip)\n"
        ".size _setjmp, . - _setjmp\n"
        ".globl _longjmp\n"
        ".type _longjmp, @function\n"
        "_longjmp:\n"
        "\tjmp *octuple_longjmp(%rip)\n"
        ".size _longjmp, . - _longjmp\n"
        ".popsection\n");
