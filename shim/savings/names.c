/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * See names.h. libcrypto asks for a kind's names with each context and each new key, to find the number that this kind
 * had before there were providers: seven times in a handshake. What is kept here are the names and the two functions
 * that look for that number. They are called as before, and see methods that a program adds. A question of anybody else
 * goes to OpenSSL: encoders and decoders want the names that providers add later, too.
 *
 * A thread learns a kind from OpenSSL itself: from a context and a key that it makes of it. A reference to the kind
 * keeps another one from its address. A thread that ends behind its first handshakes learns none.
 */
#include "savings/names.h"

#include "libssl/slots.h"
#include "savings/savings.h"

#include <string.h>

#define PATIENCE      16          /* walks */
#define FOUND_AT_ONCE 0x30200000L /* younger ones keep the number with the kind */

/* What servers have keys of. */
static const char *const kinds[OCT_NAMES_KINDS] = {"RSA", "EC", "ED25519", "X25519", "X25519MLKEM768"};

struct found {
    const char *first, *each[OCT_NAMES_EACH];
    unsigned n;
};

/* The one that the kind is called by comes first: it has the number, and the others need not be looked up. */
static void find(const char *name, void *arg)
{
    struct found *found = arg;
    if (found->n < OCT_NAMES_EACH)
        found->each[found->n] = name;
    if (found->n < OCT_NAMES_EACH && strcmp(name, found->first) == 0) {
        found->each[found->n] = found->each[0];
        found->each[0] = name;
    }
    found->n++;
}

/* The first call says which keymgmt it is, and what the names are; each says who uses them. */
static void note(struct oct_names *names, const EVP_KEYMGMT *keymgmt, oct_names_use *use)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    struct oct_kind *kind = names->now;
    struct found found = {.first = kinds[kind - names->kinds]};

    if (kind->keymgmt == NULL && ssl->EVP_KEYMGMT_names_do_all(keymgmt, find, &found) && found.n <= OCT_NAMES_EACH &&
        ssl->EVP_KEYMGMT_up_ref((EVP_KEYMGMT *)keymgmt)) {
        kind->keymgmt = (EVP_KEYMGMT *)keymgmt;
        memcpy(kind->each, found.each, sizeof kind->each);
        kind->n = found.n;
    }
    if (kind->keymgmt == keymgmt && kind->uses < sizeof kind->use / sizeof *kind->use)
        kind->use[kind->uses++] = use;
}

static void ask(struct oct_names *names, const char *name)
{
    if (++names->walks <= PATIENCE || name == NULL)
        return;
    for (unsigned i = 0; i < OCT_NAMES_KINDS; i++)
        if (names->kinds[i].state == OCT_KIND_UNASKED && strcmp(kinds[i], name) == 0)
            names->kinds[i].state = OCT_KIND_ASKED;
}

static int names_do_all(const EVP_KEYMGMT *keymgmt, oct_names_use *use, void *data)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    struct oct_names *names = oct_names_here();

    for (unsigned i = 0; names != NULL && i < OCT_NAMES_KINDS; i++) {
        const struct oct_kind *kind = &names->kinds[i];
        if (kind->keymgmt != keymgmt || (use != kind->use[0] && use != kind->use[1]))
            continue;
        for (unsigned k = 0; k < kind->n; k++)
            use(kind->each[k], data);
        return 1;
    }
    if (names != NULL && names->now != NULL)
        note(names, keymgmt, use);
    else if (names != NULL)
        ask(names, ssl->EVP_KEYMGMT_get0_name(keymgmt));
    return ssl->EVP_KEYMGMT_names_do_all(keymgmt, use, data);
}

static void learn(struct oct_names *names, struct oct_kind *kind, const char *name)
{
    const struct oct_ssl_functions *ssl = oct_ssl();

    kind->state = OCT_KIND_LEARNED;
    names->now = kind;
    ssl->ERR_set_mark();
    ssl->EVP_PKEY_CTX_free(ssl->EVP_PKEY_CTX_new_from_name(NULL, name, NULL));
    EVP_PKEY *key = kind->keymgmt != NULL ? ssl->EVP_PKEY_new() : NULL;
    if (key != NULL)
        (void)ssl->EVP_PKEY_set_type_by_keymgmt(key, kind->keymgmt);
    ssl->EVP_PKEY_free(key);
    ssl->ERR_pop_to_mark();
    names->now = NULL;
}

void oct_names_learn(struct oct_names *names, uint64_t epoch)
{
    if (names->epoch != epoch) {
        oct_names_drop(names);
        names->epoch = epoch;
    }
    for (unsigned i = 0; i < OCT_NAMES_KINDS; i++)
        if (names->kinds[i].state == OCT_KIND_ASKED)
            learn(names, &names->kinds[i], kinds[i]);
}

void oct_names_drop(struct oct_names *names)
{
    for (unsigned i = 0; i < OCT_NAMES_KINDS; i++)
        oct_ssl()->EVP_KEYMGMT_free(names->kinds[i].keymgmt);
    *names = (struct oct_names){.epoch = 0};
}

void oct_names_setup(void)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    if (ssl->OpenSSL_version_num() < FOUND_AT_ONCE)
        (void)oct_slot_set((const void *)ssl->CRYPTO_malloc, "EVP_KEYMGMT_names_do_all", (void *)names_do_all);
}
