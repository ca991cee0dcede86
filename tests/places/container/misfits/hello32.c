/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A program of 32 bits, linked with the C library of a root, without its headers and its start files. */
int puts(const char *text);
int fflush(void *stream);
_Noreturn void _exit(int code);

void _start(void)
{
    puts("32 bits");
    fflush(0);
    _exit(4);
}
