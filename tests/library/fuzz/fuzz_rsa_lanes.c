/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * oct_rsa_private_x8() and oct_rsa_public_x8() with arguments made of fuzz: lane counts, null pointers, keys of several
 * sizes and kinds, inputs of any value, outputs that are the inputs. Results are undone by the inverse operation; an
 * error leaves everything untouched.
 */
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 512
#define FILL      0xa7

struct call {
    struct oct_rsa_lane lane[OCT_LANES + 2];
    uint8_t in[OCT_LANES + 2][MAX_BYTES], was[OCT_LANES + 2][MAX_BYTES], out[OCT_LANES + 2][MAX_BYTES];
    const struct fuzz_key *from[OCT_LANES + 2];
    unsigned lanes;
    int private, wrong; /* wrong: some argument is one that the header forbids */
};

/* n and its neighbours, zero, and anything. */
static void choose_input(struct fuzz_input *in, uint8_t *to, const struct fuzz_key *key)
{
    const size_t len = key->len[0];
    switch (fuzz_below(in, 6)) {
    case 0:
        memset(to, 0, len);
        to[len - 1] = (uint8_t)fuzz_below(in, 3);
        break;
    case 1:
        memcpy(to, key->byte[0], len);
        to[len - 1] ^= (uint8_t)fuzz_below(in, 4);
        break;
    case 2:
        memset(to, 0xff, len);
        break;
    case 3:
        memcpy(to, key->byte[0], len);
        to[fuzz_below(in, (unsigned)len)] ^= (uint8_t)fuzz_byte(in);
        break;
    default:
        fuzz_bytes(in, to, len);
        to[0] &= 0x7f;
    }
}

static void choose_lane(struct fuzz_input *in, struct call *c, unsigned i, unsigned size)
{
    const unsigned odd = fuzz_byte(in);
    const struct fuzz_key *key = &fuzz_keys()[odd < 4 ? odd % FUZZ_SIZES : size];
    struct oct_rsa_lane *lane = &c->lane[i];
    c->from[i] = key;
    *lane = (struct oct_rsa_lane){odd % 16 == 5 && !c->private ? key->public : key->private, c->in[i], c->out[i]};
    choose_input(in, c->in[i], key);
    if (odd % 16 == 6)
        lane->out = c->in[i];
    if (odd == 7)
        lane->key = key->public;
    if (odd == 8)
        lane->key = NULL;
    if (odd == 9)
        lane->in = NULL;
    if (odd == 10)
        lane->out = NULL;
    memcpy(c->was[i], c->in[i], sizeof c->was[i]);
    memset(c->out[i], FILL, sizeof c->out[i]);
}

static int is_wrong(const struct call *c)
{
    if (c->lanes < 1 || c->lanes > OCT_LANES)
        return 1;
    for (unsigned i = 0; i < c->lanes; i++) {
        const struct oct_rsa_lane *l = &c->lane[i];
        if (!l->key || !l->in || !l->out || oct_rsa_key_bits(l->key) != oct_rsa_key_bits(c->lane[0].key))
            return 1;
        if (c->private && !oct_rsa_key_is_private(l->key))
            return 1;
    }
    return 0;
}

static int run(const struct call *c, int private, const struct oct_rsa_lane *lane, struct oct_lanes *result)
{
    return private ? oct_rsa_private_x8(lane, c->lanes, result) : oct_rsa_public_x8(lane, c->lanes, result);
}

static void check_refused(const struct call *c, const struct oct_lanes *result)
{
    FUZZ_CHECK(result->ok == 0x5a && result->invalid == 0xa5);
    for (unsigned i = 0; i < OCT_LANES + 2; i++) {
        FUZZ_CHECK(memcmp(c->in[i], c->was[i], MAX_BYTES) == 0);
        for (unsigned j = 0; j < MAX_BYTES; j++)
            FUZZ_CHECK(c->out[i][j] == FILL);
    }
}

/* The inverse operation gives the input back. */
static void check_undone(struct call *c, const struct oct_lanes *result)
{
    static const uint8_t zero[MAX_BYTES];
    uint8_t back[OCT_LANES][MAX_BYTES];
    struct oct_rsa_lane lane[OCT_LANES];
    struct oct_lanes again;
    for (unsigned i = 0; i < c->lanes; i++) {
        const size_t len = c->from[i]->len[0];
        const int below = memcmp(c->was[i], c->from[i]->byte[0], len) < 0;
        FUZZ_CHECK((result->ok >> i & 1) == (unsigned)below && (result->invalid >> i & 1) == (unsigned)!below);
        FUZZ_CHECK(below || memcmp(c->lane[i].out, zero, len) == 0);
        lane[i] = (struct oct_rsa_lane){c->from[i]->private, c->lane[i].out, back[i]};
    }
    FUZZ_CHECK(result->ok >> c->lanes == 0 && result->invalid >> c->lanes == 0);
    FUZZ_CHECK(run(c, !c->private, lane, &again) == OCT_OK && again.ok == (1u << c->lanes) - 1);
    for (unsigned i = 0; i < c->lanes; i++)
        FUZZ_CHECK(!(result->ok >> i & 1) || memcmp(back[i], c->was[i], c->from[i]->len[0]) == 0);
}

/* Without the table that OCTUPLE_TABLE asks for there is nothing to do. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!oct_op_is_on(OCT_OP_RSA2048_PRIVATE)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_RSA2048_PRIVATE));
        exit(77);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct call c;
    struct fuzz_input in = {data, size};
    struct oct_lanes result = {.ok = 0x5a, .invalid = 0xa5};
    const unsigned how = fuzz_byte(&in);
    /* The larger sizes and the private operation now and then only: a sanitized c table is slow. */
    const unsigned which = how & 0x1f ? 0 : 1 + (how >> 7);
    c.private = (how >> 5 & 3) == 3;
    c.lanes = fuzz_below(&in, OCT_LANES + 2);
    for (unsigned i = 0; i < OCT_LANES + 2; i++)
        choose_lane(&in, &c, i, which);
    c.wrong = is_wrong(&c);
    const int status = run(&c, c.private, c.lane, &result);
    FUZZ_CHECK((status == OCT_ERR_ARGUMENT) == c.wrong && (c.wrong || status == OCT_OK));
    if (c.wrong)
        check_refused(&c, &result);
    else
        check_undone(&c, &result);
    return 0;
}
