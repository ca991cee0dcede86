/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Parameters of key derivations: see kdf.h for which are usual. */
#include "kdf.h"

#include <openssl/core_names.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* libssl gives at most five seeds. OpenSSL takes six in one list, empty ones included, from 3.6 on, and any number
 * before. */
#define MAX_SEEDS  6
#define MAX_COPIES 10

/* What a list of parameters is going to change, once all of it has been read. */
struct changes {
    int mode;
    bool has_mode;
    enum oct_hash hash;
    size_t len[OCT_KDF_FIELDS];
    unsigned set; /* bit: enum oct_kdf_field */
    unsigned seeds, copies;
    struct {
        uint8_t *to;
        const void *from;
        size_t len;
    } copy[MAX_COPIES];
};

/* The names that OpenSSL's digests call themselves come first. */
static const struct name {
    const char *text;
    enum oct_hash hash;
} hash_names[] = {
    {"SHA2-256", OCT_HASH_SHA256}, {"SHA2-384", OCT_HASH_SHA384}, {"SHA256", OCT_HASH_SHA256},
    {"SHA384", OCT_HASH_SHA384},   {"SHA-256", OCT_HASH_SHA256},  {"SHA-384", OCT_HASH_SHA384},
};

static int read_hash(struct changes *c, const OSSL_PARAM *p)
{
    if (c->hash != OCT_HASH_NONE || p->data_type != OSSL_PARAM_UTF8_STRING || p->data == NULL)
        return 0;
    for (size_t i = 0; i < sizeof hash_names / sizeof hash_names[0]; i++) {
        if (strcasecmp(p->data, hash_names[i].text) == 0) {
            c->hash = hash_names[i].hash;
            return 1;
        }
    }
    return 0;
}

/* Seeds that are empty are passed over; they go one behind the other, and behind those of before. */
static int read_field(struct oct_kdf *kdf, struct changes *c, enum oct_kdf_field field, const OSSL_PARAM *p)
{
    const int is_seed = kdf->type->kind == OCT_KDF_TLS1_PRF && field == OCT_KDF_DATA;
    const int is_first = (c->set & 1u << field) == 0;
    const size_t before = !is_first ? c->len[field] : is_seed ? kdf->len[field] : 0;

    if (is_seed && ++c->seeds > MAX_SEEDS)
        return 0;
    if (is_seed && (p->data == NULL || p->data_size == 0))
        return 1;
    if (p->data_type != OSSL_PARAM_OCTET_STRING || p->data == NULL || p->data_size == 0 || (!is_first && !is_seed) ||
        p->data_size > OCT_KDF_ROOM - before || c->copies == MAX_COPIES)
        return 0;
    c->set |= 1u << field;
    c->len[field] = before + p->data_size;
    c->copy[c->copies].to = kdf->field[field] + before;
    c->copy[c->copies].from = p->data;
    c->copy[c->copies].len = p->data_size;
    c->copies++;
    return 1;
}

/* Most names differ in their first letter. */
static bool is_named(const OSSL_PARAM *p, const char *name)
{
    return p->key[0] == name[0] && strcmp(p->key, name) == 0;
}

static int read_one(struct oct_kdf *kdf, struct changes *c, const OSSL_PARAM *p)
{
    const char *const *names = kdf->type->names;

    for (enum oct_kdf_field field = 0; field < OCT_KDF_FIELDS; field++)
        if (names[field] != NULL && is_named(p, names[field]))
            return read_field(kdf, c, field, p);
    if (is_named(p, OSSL_KDF_PARAM_DIGEST))
        return read_hash(c, p);
    if (!kdf->type->has_mode || !is_named(p, OSSL_KDF_PARAM_MODE) || c->has_mode ||
        p->data_type != OSSL_PARAM_INTEGER || !OSSL_PARAM_get_int(p, &c->mode))
        return 0;
    c->has_mode = true;
    return c->mode == EVP_KDF_HKDF_MODE_EXTRACT_ONLY || c->mode == EVP_KDF_HKDF_MODE_EXPAND_ONLY ||
           (c->mode == EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND && kdf->type->kind == OCT_KDF_HKDF);
}

int oct_kdf_params_set(struct oct_kdf *kdf, const OSSL_PARAM params[])
{
    struct changes c = {.set = 0};

    for (const OSSL_PARAM *p = params; p->key != NULL; p++)
        if (!read_one(kdf, &c, p))
            return 0;
    /* TLS13-KDF needs a mode from the first call on, and forgets data that are not set again: both go to OpenSSL. */
    if (kdf->type->kind == OCT_KDF_TLS13 &&
        ((!c.has_mode && kdf->mode == 0) || (kdf->len[OCT_KDF_DATA] != 0 && (c.set & 1u << OCT_KDF_DATA) == 0)))
        return 0;
    for (unsigned i = 0; i < c.copies; i++)
        memcpy(c.copy[i].to, c.copy[i].from, c.copy[i].len);
    for (enum oct_kdf_field field = 0; field < OCT_KDF_FIELDS; field++)
        if ((c.set & 1u << field) != 0)
            kdf->len[field] = c.len[field];
    kdf->mode = c.has_mode ? c.mode : kdf->mode;
    kdf->hash = c.hash != OCT_HASH_NONE ? c.hash : kdf->hash;
    return 1;
}

size_t oct_kdf_params_get(struct oct_kdf *kdf, OSSL_PARAM params[OCT_KDF_PARAMS])
{
    static const char *const names[] = {NULL, "SHA2-256", "SHA2-384"};
    size_t n = 0;

    if (kdf->mode != 0)
        params[n++] = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &kdf->mode);
    if (kdf->hash != OCT_HASH_NONE)
        params[n++] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)names[kdf->hash], 0);
    for (enum oct_kdf_field field = 0; field < OCT_KDF_FIELDS; field++)
        if (kdf->len[field] > 0)
            params[n++] =
                OSSL_PARAM_construct_octet_string(kdf->type->names[field], kdf->field[field], kdf->len[field]);
    params[n] = OSSL_PARAM_construct_end();
    return n;
}

int oct_kdf_params_answer(const struct oct_kdf *kdf, OSSL_PARAM params[])
{
    OSSL_PARAM *p = &params[0];

    if (kdf->type->kind != OCT_KDF_HKDF || p[0].key == NULL || p[1].key != NULL)
        return 0;
    if (is_named(p, OSSL_KDF_PARAM_SIZE)) {
        if (kdf->mode != EVP_KDF_HKDF_MODE_EXTRACT_ONLY)
            return OSSL_PARAM_set_size_t(p, SIZE_MAX);
        /* Without a digest it is an error to ask for the size of what is extracted. */
        return kdf->hash != OCT_HASH_NONE && OSSL_PARAM_set_size_t(p, oct_hash_size(kdf->hash));
    }
    if (!is_named(p, OSSL_KDF_PARAM_INFO))
        return 0;
    if (kdf->len[OCT_KDF_DATA] != 0)
        return OSSL_PARAM_set_octet_string(p, kdf->field[OCT_KDF_DATA], kdf->len[OCT_KDF_DATA]);
    p->return_size = 0;
    return 1;
}
