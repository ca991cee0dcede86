/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * libssl writes the session of each ticket as DER four times: the length and the bytes, with the session's number and
 * without. der.c does that in a tenth of the time. The first few are written by OpenSSL too: where one differs, OpenSSL
 * writes all from then on. It writes a session, too, that has something that der.c does not know.
 */
#include "libssl/resolve.h"
#include "libssl/slots.h"
#include "savings/der.h"
#include "savings/savings.h"

#include <openssl/crypto.h>
#include <stdatomic.h>
#include <string.h>

#define TRIALS       16
#define TRIAL_LENGTH 4096

/* The first struct that libssl asks for is the session; it has no other of its own. */
static _Atomic(const ASN1_ITEM *) planned;
static struct oct_der_plan plan;
static atomic_uint trials; /* so many were the same; more: it is no longer tried */
static atomic_bool usable; /* made, and never different */

static const struct oct_der_plan *plan_for(const ASN1_ITEM *item)
{
    const ASN1_ITEM *none = NULL;
    if (item == atomic_load(&planned))
        return atomic_load(&usable) ? &plan : NULL;
    if (item->itype != ASN1_ITYPE_SEQUENCE || !atomic_compare_exchange_strong(&planned, &none, item))
        return NULL;
    plan.length = oct_ssl()->ASN1_STRING_length;
    plan.data = oct_ssl()->ASN1_STRING_get0_data;
    if (!oct_der_make(&plan, item))
        return NULL;
    atomic_store(&usable, true);
    return &plan;
}

/* By both: what OpenSSL makes is what the caller gets. */
static int try_both(const struct oct_der_plan *by, const ASN1_VALUE *value, unsigned char **out, const ASN1_ITEM *item)
{
    unsigned char own[TRIAL_LENGTH], *begin = *out;
    const size_t length = oct_der_write(by, value, NULL);
    const int theirs = oct_ssl()->ASN1_item_i2d(value, out, item);

    if (length == 0 || length > sizeof own)
        return theirs;
    if (theirs < 0 || length != (size_t)theirs || oct_der_write(by, value, own) != length ||
        memcmp(own, begin, length) != 0)
        atomic_store(&usable, false);
    oct_ssl()->OPENSSL_cleanse(own, length);
    atomic_fetch_add(&trials, 1);
    return theirs;
}

static int encode(const ASN1_VALUE *value, unsigned char **out, const ASN1_ITEM *item)
{
    const struct oct_der_plan *by = value != NULL ? plan_for(item) : NULL;
    const bool is_written = out != NULL && *out != NULL;
    size_t length = 0;

    if (by != NULL && is_written && atomic_load(&trials) < TRIALS)
        return try_both(by, value, out, item);
    if (by != NULL && (out == NULL || is_written) && atomic_load(&trials) >= TRIALS)
        length = oct_der_write(by, value, is_written ? *out : NULL);
    if (length == 0)
        return oct_ssl()->ASN1_item_i2d(value, out, item);
    if (is_written)
        *out += length;
    return (int)length;
}

void oct_sessions_setup(void)
{
    (void)oct_slot_set(oct_slot_libssl(), "ASN1_item_i2d", (void *)encode);
}
