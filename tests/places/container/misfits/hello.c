/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A program that has nothing to do with TLS: what it prints and returns must not change. */
#include <stdio.h>

int main(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        printf("argument %d: %s\n", i, argv[i]);
    fputs("one line of errors\n", stderr);
    return 3;
}
