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

/* The length of the character there, and which it is; 0 if these bytes are none. */
static unsigned decode(const unsigned char *at, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned len = at[0] < 0x80 ? 1 : at[0] >= 0xf0 && at[0] < 0xf8 ? 4 : at[0] >= 0xe0 ? 3 : at[0] >= 0xc0 ? 2 : 0;
    if (len == 0 || at[0] >= 0xf8)
        return 0;
    *character = len == 1 ? at[0] : at[0] & (0x7fu >> len);
    for (unsigned i = 1; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        *character = *character << 6 | (at[i] & 0x3f);
    }
    bool is_none = *character < least[len] || *character > 0x10ffff || (*character >= 0xd800 && *character < 0xe000);
    return is_none ? 0 : len;
}

char *cli_clean(char *text)
{
    unsigned char *at = (unsigned char *)text;
    while (*at != '\0') {
        uint32_t c = 0;
        unsigned len = decode(at, &c);
        /* Control characters of both kinds, and what turns the direction of writing or cannot be seen, are not. */
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
