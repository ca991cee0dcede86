/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Operations in flat bytes: keys, and batches. Each family says itself how its lanes lie (flat_internal.h). */
#include "api/flat_internal.h"
#include "base/base.h"
#include "base/clock.h"

#include <octuple/counters.h>
#include <octuple/queue.h>

#include <stdlib.h>
#include <string.h>

/* A job has room for the lane of every operation that a queue runs. */
#define LANE_BYTES (offsetof(struct oct_job, done) - offsetof(struct oct_job, rsa))

struct oct_flat_key {
    int op;
    void *key; /* the family's own */
};

static const struct oct_flat *flat_of(int op)
{
    return op >= 0 && op < OCT_OP_COUNT ? oct_operations[op].family->flat : NULL;
}

int oct_flat_form_get(int op, struct oct_flat_form *form)
{
    const struct oct_flat *flat = flat_of(op);
    if (!form || op < 0 || op >= OCT_OP_COUNT)
        return OCT_ERR_ARGUMENT;
    if (!flat)
        return OCT_ERR_UNSUPPORTED;
    *form = (struct oct_flat_form){.lanes = OCT_LANES};
    flat->form(&oct_operations[op], form);
    return OCT_OK;
}

int oct_flat_key_new(struct oct_flat_key **key, int op, const uint8_t *bytes, size_t len)
{
    struct oct_flat_form form;
    if (!key || !bytes || oct_flat_form_get(op, &form) != OCT_OK || !form.key)
        return OCT_ERR_ARGUMENT;
    if (len != form.key)
        return OCT_ERR_LENGTH;
    struct oct_flat_key *made = malloc(sizeof *made);
    if (!made)
        return OCT_ERR_MEMORY;
    made->op = op;
    const int status = flat_of(op)->key_new(&oct_operations[op], &made->key, bytes);
    if (status == OCT_OK)
        *key = made;
    else
        free(made);
    return status;
}

void oct_flat_key_free(struct oct_flat_key *key)
{
    if (key)
        flat_of(key->op)->key_free(key->key);
    free(key);
}

int oct_flat_lay(int op, void *lane, const struct oct_flat_key *key, const struct oct_flat_lane *at)
{
    struct oct_flat_form form;
    const int status = oct_flat_form_get(op, &form);
    if (status != OCT_OK)
        return status;
    if (form.key && (!key || key->op != op))
        return OCT_ERR_ARGUMENT;
    if (at->in_len < form.in || at->in_len - form.in > form.more)
        return OCT_ERR_LENGTH;
    if ((at->in_len && !at->in) || (form.out && !at->out))
        return OCT_ERR_ARGUMENT;
    struct oct_flat_lane own = *at;
    own.key = form.key ? key->key : NULL;
    flat_of(op)->lay(&oct_operations[op], lane, &own);
    return OCT_OK;
}

/* All lanes of a call, one after the other as the family's batch call wants them. */
static int lay_all(int op, uint8_t *lane, unsigned lanes, const struct oct_flat_key *const key[], const uint8_t *in,
                   const size_t in_len[], uint8_t *out)
{
    struct oct_flat_form form;
    const int known = oct_flat_form_get(op, &form);
    struct oct_flat_lane at = {.in = in, .out = out};
    if (known != OCT_OK)
        return known;
    for (unsigned i = 0; i < lanes; i++) {
        at.in_len = in_len ? in_len[i] : 0;
        const int laid = oct_flat_lay(op, lane + i * oct_operations[op].family->lane_bytes, key ? key[i] : NULL, &at);
        if (laid != OCT_OK)
            return laid; /* a length that is too large may reach beyond all memory */
        if (at.in)
            at.in += at.in_len;
        if (at.out)
            at.out += form.out;
    }
    return OCT_OK;
}

/* What lanes had drawn when something went wrong. */
static void clear_outputs(int op, unsigned lanes, uint8_t *out)
{
    struct oct_flat_form form;
    if (oct_flat_form_get(op, &form) == OCT_OK)
        oct_cleanse(out, lanes * form.out);
}

int oct_flat_run(int op, unsigned lanes, const struct oct_flat_key *const key[], const uint8_t *in,
                 const size_t in_len[], uint8_t *out, struct oct_lanes *result)
{
    _Alignas(max_align_t) uint8_t lane[OCT_LANES * LANE_BYTES];
    if (lanes < 1 || lanes > OCT_LANES || !result)
        return OCT_ERR_ARGUMENT;
    int status = lay_all(op, lane, lanes, key, in, in_len, out);
    if (status != OCT_OK)
        return status;
    const struct oct_flat *flat = flat_of(op);
    const uint64_t begin = oct_clock_nanoseconds();
    status = flat->draw_x8 ? flat->draw_x8(&oct_operations[op], lane, lanes, result)
                           : oct_operation_x8(op, lane, lanes, result);
    if (status != OCT_OK && flat->draw_x8)
        clear_outputs(op, lanes, out);
    if (status == OCT_OK)
        oct_counters_note_batch(op, lanes, (unsigned)__builtin_popcount(result->ok), oct_clock_nanoseconds() - begin);
    return status;
}
