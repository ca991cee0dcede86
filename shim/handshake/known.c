/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What is known of SSL objects, in a table by their address. Nothing is stored in the object: a program may use numbers
 * of its extra data that it never reserved, and ours would be among them.
 *
 * libssl tells of an object's end by the call that frees the extra data, which it makes of libcrypto's; that is met in
 * its own table of addresses (libssl/slots.h). So no entry outlives its object, whoever frees that. What has no room in
 * the table is OpenSSL's memory: a program that has a collector for that finds by it what else is.
 */
#include "handshake/known.h"

#include "libssl/slots.h"

#include <string.h>

#define BUCKETS 4096

struct entry {
    struct entry *next;
    const SSL *ssl; /* NULL: the first of a bucket is free */
    void *of[OCT_KNOWN_KINDS];
    unsigned references; /* beyond the first */
};

/* All that a call asks for lies in one line of the cache. */
OCT_LATE struct bucket {
    struct entry first;
    unsigned away;    /* how many calls of its objects are paused */
    uint32_t changes; /* of its connections */
    bool locked;
} __attribute__((aligned(64))) oct_known_buckets[BUCKETS];

/* What the thread has asked for last, and will mostly ask for next. */
static __thread struct {
    const SSL *ssl;
    const struct bucket *bucket;
    struct oct_conn *conn;
    uint32_t changes;
} last;

/* Objects are some KB large. */
static struct bucket *bucket_of(const SSL *s)
{
    return &oct_known_buckets[(((uintptr_t)s >> 4) * 0x9e3779b97f4a7c15u >> 40) % BUCKETS];
}

/* Held for a few loads; the child of a fork finds all of them free. */
static void lock(struct bucket *bucket)
{
    while (__atomic_exchange_n(&bucket->locked, true, __ATOMIC_ACQUIRE))
        __builtin_ia32_pause();
}

static void unlock(struct bucket *bucket)
{
    __atomic_store_n(&bucket->locked, false, __ATOMIC_RELEASE);
}

void oct_known_forked(void (*tell)(struct oct_conn *conn))
{
    for (unsigned i = 0; i < BUCKETS; i++)
        if (oct_known_buckets[i].locked)
            unlock(&oct_known_buckets[i]);
    for (unsigned i = 0; i < BUCKETS; i++)
        for (const struct entry *entry = &oct_known_buckets[i].first; entry != NULL; entry = entry->next)
            if (entry->of[OCT_KNOWN_CONN] != NULL)
                tell(entry->of[OCT_KNOWN_CONN]);
}

/* NULL: s has none. Under the lock. */
static struct entry *entry_of(struct bucket *bucket, const SSL *s)
{
    struct entry *entry = &bucket->first;
    while (entry != NULL && entry->ssl != s)
        entry = entry->next;
    return entry;
}

/* Objects of another thread may come meanwhile, and are none of the caller's. */
static bool is_empty(struct bucket *bucket)
{
    return __atomic_load_n(&bucket->first.ssl, __ATOMIC_RELAXED) == NULL &&
           __atomic_load_n(&bucket->first.next, __ATOMIC_RELAXED) == NULL;
}

/* Under the lock; who calls frees what it returns. */
static struct entry *take_out(struct entry *entry, struct bucket *bucket)
{
    struct entry *before = &bucket->first;
    if (entry == before) {
        __atomic_store_n(&entry->ssl, NULL, __ATOMIC_RELAXED);
        memset(entry->of, 0, sizeof entry->of);
        entry->references = 0;
        return NULL;
    }
    while (before->next != entry)
        before = before->next;
    __atomic_store_n(&before->next, entry->next, __ATOMIC_RELAXED);
    return entry;
}

/* Under the lock. */
static void changed(struct bucket *bucket)
{
    __atomic_add_fetch(&bucket->changes, 1, __ATOMIC_RELEASE);
}

void *oct_known(const SSL *s, enum oct_known_kind kind)
{
    if (kind == OCT_KNOWN_CONN && last.ssl == s &&
        __atomic_load_n(&last.bucket->changes, __ATOMIC_ACQUIRE) == last.changes)
        return last.conn;
    struct bucket *const bucket = bucket_of(s);
    const uint32_t now = __atomic_load_n(&bucket->changes, __ATOMIC_ACQUIRE);
    if (is_empty(bucket))
        return NULL;
    lock(bucket);
    const struct entry *entry = entry_of(bucket, s);
    void *found = entry != NULL ? entry->of[kind] : NULL;
    unlock(bucket);
    if (kind == OCT_KNOWN_CONN) {
        last.ssl = s;
        last.bucket = bucket;
        last.conn = found;
        last.changes = now;
    }
    return found;
}

bool oct_known_ask(const SSL *s, bool (*ask)(struct oct_conn *conn))
{
    struct bucket *const bucket = bucket_of(s);
    if (is_empty(bucket))
        return false;
    lock(bucket);
    const struct entry *entry = entry_of(bucket, s);
    struct oct_conn *conn = entry != NULL ? entry->of[OCT_KNOWN_CONN] : NULL;
    const bool said = conn != NULL && ask(conn);
    unlock(bucket);
    return said;
}

void oct_known_away(const SSL *s, int more)
{
    __atomic_add_fetch(&bucket_of(s)->away, (unsigned)more, __ATOMIC_SEQ_CST);
}

bool oct_known_may_be_away(const SSL *s)
{
    const struct bucket *bucket = last.ssl == s && s != NULL ? last.bucket : bucket_of(s);
    return __atomic_load_n(&bucket->away, __ATOMIC_RELAXED) != 0;
}

/* Takes an entry out that has nothing any more. Under the lock; who calls frees what it returns. */
static struct entry *take_out_empty(struct entry *entry, struct bucket *bucket)
{
    if (entry->references != 0)
        return NULL;
    for (int i = 0; i < OCT_KNOWN_KINDS; i++)
        if (entry->of[i] != NULL)
            return NULL;
    return take_out(entry, bucket);
}

/* The entry of s, which is made if there is none: NULL if there is no memory. Its lock is held. */
static struct entry *find(struct bucket *bucket, const SSL *s)
{
    struct entry *first = &bucket->first, *made = NULL;
    lock(bucket);
    struct entry *entry = entry_of(bucket, s);
    if (entry == NULL && first->ssl != NULL) {
        unlock(bucket); /* a collector may run */
        made = oct_ssl()->CRYPTO_zalloc(sizeof *made, __FILE__, __LINE__);
        lock(bucket);
        entry = entry_of(bucket, s);
        if (entry == NULL && made != NULL) {
            made->ssl = s;
            made->next = first->next;
            __atomic_store_n(&first->next, made, __ATOMIC_RELAXED);
            return made;
        }
        oct_ssl()->CRYPTO_free(made, __FILE__, __LINE__);
    } else if (entry == NULL) {
        entry = first;
        __atomic_store_n(&entry->ssl, s, __ATOMIC_RELAXED);
    }
    return entry;
}

bool oct_known_set(const SSL *s, enum oct_known_kind kind, void *value)
{
    struct bucket *const bucket = bucket_of(s);
    struct entry *entry, *empty = NULL;

    if (value != NULL) {
        entry = find(bucket, s);
    } else {
        lock(bucket);
        entry = entry_of(bucket, s);
    }
    if (entry != NULL) {
        entry->of[kind] = value;
        changed(bucket);
        empty = take_out_empty(entry, bucket);
    }
    unlock(bucket);
    oct_ssl()->CRYPTO_free(empty, __FILE__, __LINE__);
    return entry != NULL || value == NULL;
}

void oct_known_refer(const SSL *s)
{
    struct bucket *const bucket = bucket_of(s);
    struct entry *entry = find(bucket, s);
    if (entry != NULL)
        entry->references++;
    unlock(bucket);
}

bool oct_known_unrefer(const SSL *s)
{
    struct bucket *const bucket = bucket_of(s);
    struct entry *empty = NULL;
    if (is_empty(bucket))
        return false;
    lock(bucket);
    struct entry *entry = entry_of(bucket, s);
    const bool others = entry != NULL && entry->references != 0;
    if (others) {
        entry->references--;
        empty = take_out_empty(entry, bucket);
    }
    unlock(bucket);
    oct_ssl()->CRYPTO_free(empty, __FILE__, __LINE__);
    return others;
}

static void object_gone(const SSL *object)
{
    struct bucket *const bucket = bucket_of(object);
    struct entry gone = {.ssl = NULL}, *empty = NULL;

    if (is_empty(bucket))
        return;
    lock(bucket);
    struct entry *entry = entry_of(bucket, object);
    if (entry != NULL) {
        gone = *entry;
        empty = take_out(entry, bucket);
        changed(bucket);
    }
    unlock(bucket);
    if (gone.of[OCT_KNOWN_CONN] != NULL)
        oct_conn_gone(gone.of[OCT_KNOWN_CONN]);
    oct_ssl()->CRYPTO_free(gone.of[OCT_KNOWN_QUIC], __FILE__, __LINE__);
    oct_ssl()->CRYPTO_free(empty, __FILE__, __LINE__);
}

/* libssl's own call, for an object that goes. */
static void free_ex_data(int class, void *object, CRYPTO_EX_DATA *data)
{
    oct_ssl()->CRYPTO_free_ex_data(class, object, data);
    if (class == CRYPTO_EX_INDEX_SSL)
        object_gone(object);
}

/* AWS-LC tells kinds by address. Of one that has no number there is no other object at that of a connection. */
static void free_ex_data_of(void *class, void *object, CRYPTO_EX_DATA *data)
{
    void (*real)(void *, void *, CRYPTO_EX_DATA *);
    *(void **)&real = (void *)oct_ssl()->CRYPTO_free_ex_data;
    real(class, object, data);
    object_gone(object);
}

bool oct_known_setup(void)
{
    if (oct_ssl()->awslc != NULL)
        return oct_slot_set(oct_slot_libssl(), "CRYPTO_free_ex_data", (void *)free_ex_data_of);
    return oct_slot_set(oct_slot_libssl(), "CRYPTO_free_ex_data", (void *)free_ex_data);
}
