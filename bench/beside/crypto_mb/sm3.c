/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM3 of messages of 1 KB beside crypto_mb, which takes sixteen at once, as Octuple can: eight, or all of them. */
#include "crypto_mb.h"

#include <crypto_mb/sm3.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE 1024
#define MOST    OCT_SM3_LANES

struct state {
    unsigned lanes;
    uint8_t message[MOST][MESSAGE], digest[MOST][OCT_SM3_BYTES], their_digest[MOST][OCT_SM3_BYTES];
    struct oct_sm3_lane lane[MOST];
    const int8u *messages[MOST];
    int8u *digests[MOST];
    int lens[MOST];
};

static unsigned our_sm3(void *arg)
{
    struct state *s = arg;
    return oct_sm3_x16(s->lane, s->lanes) == OCT_OK ? s->lanes * MESSAGE : 0;
}

static unsigned their_sm3(void *arg)
{
    struct state *s = arg;
    return mbx_sm3_msg_digest_mb16(s->messages, s->lens, s->digests) == MBX_STATUS_OK ? s->lanes * MESSAGE : 0;
}

/* crypto_mb wants a message in each of its lanes; those without one of ours have an empty one. */
static void *open_state(const struct beside_row *row)
{
    struct state *s = calloc(1, sizeof *s);
    if (s == NULL || !beside_fill(s->message, sizeof s->message)) {
        free(s);
        return NULL;
    }
    s->lanes = (unsigned)row->which;
    for (unsigned i = 0; i < MOST; i++) {
        s->lane[i] = (struct oct_sm3_lane){s->message[i], MESSAGE, s->digest[i]};
        s->messages[i] = s->message[i];
        s->digests[i] = s->their_digest[i];
        s->lens[i] = i < s->lanes ? MESSAGE : 0;
    }
    return s;
}

static int same_digests(void *arg)
{
    struct state *s = arg;
    return memcmp(s->digest, s->their_digest, s->lanes * sizeof s->digest[0]) == 0;
}

const struct beside_row crypto_mb_sm3[] = {
    {"sm3-1024", "B/s", 8, MESSAGE, open_state, free, our_sm3, their_sm3, same_digests},
    {"sm3-1024-sixteen", "B/s", MOST, MESSAGE, open_state, free, our_sm3, their_sm3, same_digests},
    {0},
};
