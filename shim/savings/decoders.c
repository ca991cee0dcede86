/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * For each key and each certificate that it reads, OpenSSL 3.0 walks over all decoders. It asks each one whether it is
 * of a name: of each name that the kind of key has, and of each input that a decoder found so far can have. These are
 * six hundred questions, and seventy more where a second provider has this kind, as ours does. Each takes a lock and an
 * allocation. Two in three have been asked before in the same walk.
 *
 * So answers are kept, on the stack, until the walk ends. libcrypto holds all decoders in question as long: an address
 * tells which one it is. Of a name the text is held against the one before, too. A program notices that reads all
 * authorities as it starts.
 */
#include "savings/savings.h"

#include "libssl/resolve.h"
#include "libssl/slots.h"

#include <openssl/decoder.h>
#include <stdint.h>
#include <string.h>

#define FEW_QUESTIONS 0x30100000L /* younger ones ask by numbers */
#define NAMES         8           /* OpenSSL's own kinds and inputs come to five at most */
#define NAME_BYTES    24          /* longer ones are asked each time */
#define SLOTS         256         /* it has 80 decoders, and as many again in its provider "base" */
#define ROOM          192         /* decoders at most: empty slots end a search */

/* What decoders have answered, each in the slot that its address's hash names, or in one behind. */
struct walk {
    struct name {
        const char *at; /* where libcrypto has it */
        char text[NAME_BYTES];
    } name[NAMES];
    struct answers {
        const OSSL_DECODER *decoder; /* NULL: empty */
        uint8_t known, yes;          /* bit i: of name[i] */
    } of[SLOTS];
    unsigned names, decoders;
};

_Static_assert(SLOTS == 1 << 8, "eight bits of a hash name a slot");

static __thread struct walk *now; /* that this thread is in; NULL: in none */

static struct {
    __typeof__(OSSL_DECODER_is_a) *is_a;
    __typeof__(OSSL_DECODER_do_all_provided) *do_all;
    __typeof__(OSSL_DECODER_CTX_add_extra) *add_extra;
} real;

/* NAMES: there is no room for another one. */
static unsigned number_of(struct walk *walk, const char *name)
{
    unsigned i = 0;
    while (i < walk->names && (walk->name[i].at != name || strcmp(walk->name[i].text, name) != 0))
        i++;
    if (i < walk->names)
        return i;
    const size_t len = strnlen(name, NAME_BYTES);
    if (i == NAMES || len == NAME_BYTES)
        return NAMES;
    walk->name[i].at = name;
    memcpy(walk->name[i].text, name, len + 1);
    return walk->names++;
}

/* NULL: there is no room for another decoder. */
static struct answers *answers_of(struct walk *walk, const OSSL_DECODER *decoder)
{
    unsigned i = (unsigned)((uintptr_t)decoder * 0x9e3779b97f4a7c15 >> 56); /* 2^64 by the golden ratio */
    while (walk->of[i].decoder != NULL && walk->of[i].decoder != decoder)
        i = (i + 1) % SLOTS;
    if (walk->of[i].decoder == NULL && walk->decoders == ROOM)
        return NULL;
    if (walk->of[i].decoder == NULL)
        walk->decoders++;
    walk->of[i].decoder = decoder;
    return &walk->of[i];
}

static int is_a(const OSSL_DECODER *decoder, const char *name)
{
    struct walk *walk = now;
    const unsigned number = walk != NULL ? number_of(walk, name) : NAMES;
    struct answers *answers = number < NAMES ? answers_of(walk, decoder) : NULL;

    if (answers == NULL)
        return real.is_a(decoder, name);
    if ((answers->known >> number & 1) == 0) {
        answers->known |= (uint8_t)(1u << number);
        answers->yes |= (uint8_t)((real.is_a(decoder, name) != 0) << number);
    }
    return answers->yes >> number & 1;
}

static void begin(struct walk *walk)
{
    memset(walk, 0, sizeof *walk);
    now = walk;
}

/* Alone it is over what the store of methods holds. Within the other one it collects decoders, and takes a reference to
 * each. */
static void do_all(OSSL_LIB_CTX *libctx, void (*see)(OSSL_DECODER *decoder, void *arg), void *arg)
{
    struct walk walk;
    const bool is_within = now != NULL;

    if (!is_within)
        begin(&walk);
    real.do_all(libctx, see, arg);
    if (!is_within)
        now = NULL;
}

static int add_extra(OSSL_DECODER_CTX *ctx, OSSL_LIB_CTX *libctx, const char *query)
{
    struct walk walk;

    begin(&walk);
    const int ok = real.add_extra(ctx, libctx, query);
    now = NULL;
    return ok;
}

void oct_decoders_setup(void *handle)
{
    __typeof__(OpenSSL_version_num) *version;
    *(void **)&version = oct_symbol(handle, "OpenSSL_version_num");
    if (real.is_a != NULL || version == NULL || version() >= FEW_QUESTIONS)
        return;
    *(void **)&real.is_a = oct_symbol(handle, "OSSL_DECODER_is_a");
    *(void **)&real.do_all = oct_symbol(handle, "OSSL_DECODER_do_all_provided");
    *(void **)&real.add_extra = oct_symbol(handle, "OSSL_DECODER_CTX_add_extra");
    if (real.is_a == NULL || real.do_all == NULL || real.add_extra == NULL)
        return;
    if (oct_slot_set((const void *)version, "OSSL_DECODER_is_a", (void *)is_a)) {
        (void)oct_slot_set((const void *)version, "OSSL_DECODER_do_all_provided", (void *)do_all);
        (void)oct_slot_set((const void *)version, "OSSL_DECODER_CTX_add_extra", (void *)add_extra);
    }
}
