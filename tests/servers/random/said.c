/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. In memory that all processes share. */
#include "server.h"

#include <stdio.h>
#include <sys/mman.h>

const char *const point_names[POINTS] = {"hello",    "servername", "alpn",    "certificate", "verify",  "keylog",
                                         "ticket",   "unticket",   "session", "info",        "message", "padding",
                                         "security", "bio",        "wait",    "accept"};
static const char *const odd_names[ODDS] = {"errno", "retry",  "want",  "queue",   "value",
                                            "door",  "blocks", "early", "unknown", "late"};
static struct said *said;

void said_open(void)
{
    said = mmap(NULL, GUESTS * sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (said == MAP_FAILED)
        fail("mmap");
}

struct said *said_of(int id)
{
    return &said[id];
}

static void print_guest(const struct said *s)
{
    printf("{\"end\": \"%s\", \"echoed\": %d, \"open\": %d, \"resumed\": %d, \"version\": %d", s->end, s->echoed,
           s->opened - s->closed, s->resumed, s->version);
    if (s->not_decided != 0)
        printf(", \"not decided\": %d", s->not_decided);
    for (int i = 0; i < AT_PADDING; i++)
        if (s->counts[i] != 0)
            printf(", \"%s\": %u", point_names[i], s->counts[i]);
    printf("}");
}

/* Of all guests: what is odd is so whatever becomes of its client. */
static void print_odd(void)
{
    unsigned odd = 0;
    for (int i = 0; i < GUESTS; i++)
        odd |= said[i].odd;
    printf("\"odd\": \"");
    for (int i = 0; i < ODDS; i++)
        if (odd >> i & 1)
            printf("%s ", odd_names[i]);
    printf("\"");
}

void said_print(int open, int bad_ends)
{
    const char *between = "";
    printf("{\"open\": %d, \"bad ends\": %d, ", open, bad_ends);
    print_odd();
    printf(", \"guests\": {");
    for (int i = 0; i < GUESTS; i++)
        if (said[i].opened != 0) {
            printf("%s\"%d\": ", between, i);
            print_guest(&said[i]);
            between = ", ";
        }
    printf("}}\n");
    fflush(stdout);
}
