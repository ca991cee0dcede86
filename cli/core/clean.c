/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Words of strangers: names of processes, paths, environments, configurations. Whoever starts a process chooses these,
 * and root asks about it: nothing in them may reach a terminal that the terminal obeys, or that shows a line otherwise
 * than it is. What is printable in UTF-8 stays.
 */
#include <stdbool.h>
#include <stdint.h>
#include "cli.h"

char *cli_clean(char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char *at = (unsigned char *)text;
    while (*at != '\0') {
        /* The length of the character there, and which it is; 0 if these bytes are none. */
        unsigned len = at[0] < 0x80 ? 1 : at[0] < 0xc0 || at[0] >= 0xf8 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
        uint32_t c = len == 1 ? at[0] : at[0] & (0x7fu >> len);
        for (unsigned i = 1; i < len; i++) {
            len = (at[i] & 0xc0) == 0x80 ? len : 0;
            c = c << 6 | (at[i] & 0x3f);
        }
        if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
            len = 0;
        /* No control characters of both kinds, nor what turns the direction of writing or cannot be seen. */
        bool good = len > 0 && c >= 0x20 && !(c >= 0x7f && c < 0xa0) && c != 0xad && !(c >= 0x200b && c <= 0x200f) &&
                    !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2060 && c <= 0x206f) && c != 0x061c && c != 0xfeff &&
                    !(c >= 0xe0000 && c <= 0xe007f);
        for (unsigned i = 0; i < (len > 0 ? len : 1); i++) {
            *at = good ? *at : '?';
            at++;
        }
    }
    return text;
}
