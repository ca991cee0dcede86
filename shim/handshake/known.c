/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What is known of SSL objects, in a table by their address. Nothing is stored in the object: a program may use numbers
 * of its extra data that it never reserved, and ours would be among them.
 *
 * libssl tells of an object's end by the call that frees the extra data, which it makes of libcrypto's; that is met in
 * its own table of addresses (libssl/slots.h). So no entry outlives its object, whoever frees that. Entries are
 * OpenSSL's memory: a program that has a collector for that finds by them what else is.
 */
#include "handshake/known.h"

#include "libssl/slots.h"

#include <string.h>

#define BUCKETS 8192
#define LOCKS   256 /* BUCKETS is a multiple */

struct entry {
    struct entry *next;
    const SSL *ssl;
    void *of[OCT_KNOWN_KINDS];
    unsigned references; /* beyond the first */
};

static struct entry *buckets[BUCKETS];
static unsigned char locks[LOCKS];
static uint32_t changes[LOCKS]; /* of what each of them guards */

/* What the thread has asked for last, and will mostly ask for next. */
static __thread struct {
    const SSL *ssl;
    struct oct_conn *conn;
    uint32_t changes;
} last;

/* Objects are some KB large. */
static unsigned bucket_of(const SSL *s)
{
    return (unsigned)(((uintptr_t)s >> 4) * 0x9e3779b97f4a7c15u >> 40) % BUCKETS;
}

/* Held for a few loads; the child of a fork finds all of them free. */
static void lock(unsigned bucket)
{
    while (__atomic_exchange_n(&locks[bucket % LOCKS], 1, __ATOMIC_ACQUIRE) != 0)
        __builtin_ia32_pause();
}

static void unlock(unsigned bucket)
{
    __atomic_store_n(&locks[bucket % LOCKS], 0, __ATOMIC_RELEASE);
}

void oct_known_forked(void (*tell)(struct oct_conn *conn))
{
    memset(locks, 0, sizeof locks);
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++)
        for (const struct entry *entry = buckets[bucket]; entry != NULL; entry = entry->next)
            if (entry->of[OCT_KNOWN_CONN] != NULL)
                tell(entry->of[OCT_KNOWN_CONN]);
}

static struct entry **place_of(unsigned bucket, const SSL *s)
{
    struct entry **at = &buckets[bucket];
    while (*at != NULL && (*at)->ssl != s)
        at = &(*at)->next;
    return at;
}

/* Under the lock. */
static void changed(unsigned bucket)
{
    __atomic_add_fetch(&changes[bucket % LOCKS], 1, __ATOMIC_RELEASE);
}

void *oct_known(const SSL *s, enum oct_known_kind kind)
{
    const unsigned bucket = bucket_of(s);
    const uint32_t now = __atomic_load_n(&changes[bucket % LOCKS], __ATOMIC_ACQUIRE);
    if (kind == OCT_KNOWN_CONN && last.ssl == s && last.changes == now)
        return last.conn;
    if (__atomic_load_n(&buckets[bucket], __ATOMIC_RELAXED) == NULL)
        return NULL;
    lock(bucket);
    const struct entry *entry = *place_of(bucket, s);
    void *found = entry != NULL ? entry->of[kind] : NULL;
    unlock(bucket);
    if (kind == OCT_KNOWN_CONN) {
        last.ssl = s;
        last.conn = found;
        last.changes = now;
    }
    return found;
}

bool oct_known_ask(const SSL *s, bool (*ask)(struct oct_conn *conn))
{
    const unsigned bucket = bucket_of(s);
    if (__atomic_load_n(&buckets[bucket], __ATOMIC_RELAXED) == NULL)
        return false;
    lock(bucket);
    const struct entry *entry = *place_of(bucket, s);
    struct oct_conn *conn = entry != NULL ? entry->of[OCT_KNOWN_CONN] : NULL;
    const bool said = conn != NULL && ask(conn);
    unlock(bucket);
    return said;
}

/* Takes an entry out that has nothing any more. Under the lock; who calls frees what it returns. */
static struct entry *take_out_empty(struct entry **at)
{
    struct entry *entry = *at;
    if (entry->references != 0)
        return NULL;
    for (int i = 0; i < OCT_KNOWN_KINDS; i++)
        if (entry->of[i] != NULL)
            return NULL;
    *at = entry->next;
    return entry;
}

/* The entry of s, and its lock is held. If there is none yet it is *made, which is then NULL. */
static struct entry **find(unsigned bucket, const SSL *s, struct entry **made)
{
    lock(bucket);
    struct entry **at = place_of(bucket, s);
    if (*at == NULL && *made != NULL) {
        (*made)->ssl = s;
        *at = *made;
        *made = NULL;
    }
    return at;
}

bool oct_known_set(const SSL *s, enum oct_known_kind kind, void *value)
{
    const unsigned bucket = bucket_of(s);
    struct entry *made = value != NULL ? oct_ssl()->CRYPTO_zalloc(sizeof *made, __FILE__, __LINE__) : NULL;
    struct entry **at = find(bucket, s, &made), *entry = *at, *empty = NULL;

    if (entry != NULL) {
        entry->of[kind] = value;
        changed(bucket);
        empty = take_out_empty(at);
    }
    unlock(bucket);
    oct_ssl()->CRYPTO_free(made != NULL ? made : empty, __FILE__, __LINE__);
    return entry != NULL || value == NULL;
}

void oct_known_refer(const SSL *s)
{
    const unsigned bucket = bucket_of(s);
    struct entry *made = oct_ssl()->CRYPTO_zalloc(sizeof *made, __FILE__, __LINE__);
    struct entry *entry = *find(bucket, s, &made);
    if (entry != NULL)
        entry->references++;
    unlock(bucket);
    oct_ssl()->CRYPTO_free(made, __FILE__, __LINE__);
}

bool oct_known_unrefer(const SSL *s)
{
    const unsigned bucket = bucket_of(s);
    struct entry *empty = NULL;
    bool others = false;
    if (__atomic_load_n(&buckets[bucket], __ATOMIC_RELAXED) == NULL)
        return false;
    lock(bucket);
    struct entry **at = place_of(bucket, s);
    if (*at != NULL && (*at)->references != 0) {
        others = true;
        (*at)->references--;
        empty = take_out_empty(at);
    }
    unlock(bucket);
    oct_ssl()->CRYPTO_free(empty, __FILE__, __LINE__);
    return others;
}

/* libssl's own call, for an object that goes. */
static void free_ex_data(int class, void *object, CRYPTO_EX_DATA *data)
{
    const unsigned bucket = bucket_of(object);

    oct_ssl()->CRYPTO_free_ex_data(class, object, data);
    if (class != CRYPTO_EX_INDEX_SSL || __atomic_load_n(&buckets[bucket], __ATOMIC_RELAXED) == NULL)
        return;
    lock(bucket);
    struct entry **at = place_of(bucket, object), *entry = *at;
    if (entry != NULL)
        *at = entry->next;
    changed(bucket);
    unlock(bucket);
    if (entry == NULL)
        return;
    if (entry->of[OCT_KNOWN_CONN] != NULL)
        oct_conn_gone(entry->of[OCT_KNOWN_CONN]);
    oct_ssl()->CRYPTO_free(entry->of[OCT_KNOWN_QUIC], __FILE__, __LINE__);
    oct_ssl()->CRYPTO_free(entry, __FILE__, __LINE__);
}

bool oct_known_setup(void)
{
    return oct_slot_set(oct_slot_libssl(), "CRYPTO_free_ex_data", (void *)free_ex_data);
}
