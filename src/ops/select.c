/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See select.h. */
#include "ops/select.h"

#include "base/settings.h"
#include "ops/aead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const struct oct_row *const rows[OCT_SELECTIONS] = {
    [OCT_SELECT_PUBLIC_KEY] = oct_rows_public_key,
    [OCT_SELECT_MLKEM] = oct_rows_mlkem,
    [OCT_SELECT_MLDSA] = oct_rows_mldsa,
    [OCT_SELECT_AEAD + OCT_AEAD_AES_128_GCM] = oct_rows_gcm[OCT_AEAD_AES_128_GCM],
    [OCT_SELECT_AEAD + OCT_AEAD_AES_192_GCM] = oct_rows_gcm[OCT_AEAD_AES_192_GCM],
    [OCT_SELECT_AEAD + OCT_AEAD_AES_256_GCM] = oct_rows_gcm[OCT_AEAD_AES_256_GCM],
    [OCT_SELECT_AEAD + OCT_AEAD_CHACHA20_POLY1305] = oct_rows_chacha,
    [OCT_SELECT_AEAD + OCT_AEAD_SM4_GCM] = oct_rows_sm4_gcm,
    [OCT_SELECT_AEAD + OCT_AEAD_SM4_CCM] = oct_rows_sm4_ccm,
};

void oct_scope_make(struct oct_scope *scope, const struct oct_cpu *cpu, const char *table, const char *width)
{
    struct oct_cpu rest = *cpu;
    enum oct_cpu_width wish;
    *scope = (struct oct_scope){.cpu = *cpu, .width = OCT_WIDTH_OFF};
    if (table && strcmp(table, "c") == 0) {
        scope->tables = OCT_TABLES_PORTABLE;
        scope->why = "OCTUPLE_TABLE=c: the portable table, for tests";
        scope->width_why = "OCTUPLE_TABLE=c: the portable tier, for tests";
    } else if (!oct_cpu_limit(&rest, table)) {
        scope->why = strcmp(table, "off") == 0 ? "OCTUPLE_TABLE=off" : oct_setting_row(OCT_SETTING_TABLE)->wrong;
        scope->width_why = scope->why;
    } else {
        scope->tables = OCT_TABLES_VECTORS;
        if (table && strcmp(table, "auto") != 0)
            strncpy(scope->name, table, sizeof scope->name - 1);
        if (oct_cpu_width_parse(&wish, width)) {
            scope->width = oct_cpu_width_choose(&rest, wish);
            scope->width_why = scope->width == oct_cpu_width_choose(cpu, wish)
                                   ? oct_cpu_width_reason(&rest, wish)
                                   : "OCTUPLE_TABLE names a table without wider vectors";
        } else {
            scope->width_why = oct_setting_row(OCT_SETTING_WIDTH)->wrong;
        }
    }
    scope->rest = rest.usable;
}

static bool permits(const struct oct_scope *scope, const struct oct_row *row)
{
    if (row->needs == 0 || scope->tables != OCT_TABLES_VECTORS)
        return row->needs == 0 && scope->tables == OCT_TABLES_PORTABLE;
    if (row->name && scope->name[0])
        return strcmp(row->name, scope->name) == 0;
    if (row->name)
        return row->has && (!row->ports || (row->ports == OCT_PORTS_SHARED) == oct_cpu_shares_ports(&scope->cpu));
    return row->width <= (int)scope->width && (!row->halved || oct_cpu_halves_zmm(&scope->cpu));
}

static bool runs(const struct oct_scope *scope, const struct oct_row *row)
{
    return (row->needs & ~(row->name ? scope->cpu.usable : scope->rest)) == 0;
}

/* Lattices are of the public-key operations: without a table for these they have none. */
static bool is_lattice(enum oct_selection which)
{
    return which == OCT_SELECT_MLKEM || which == OCT_SELECT_MLDSA;
}

const struct oct_row *oct_row_next(enum oct_selection which, const struct oct_scope *scope, const struct oct_row *after)
{
    const struct oct_row *row = after ? after + 1 : rows[which];
    const bool possible = !is_lattice(which) || oct_row_next(OCT_SELECT_PUBLIC_KEY, scope, NULL)->ops;
    while (row->ops && !(possible && permits(scope, row) && runs(scope, row)))
        row++;
    return row;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct oct_scope process;

/* Once: asking the CPU takes longer than an operation where a hypervisor answers. */
static void make(void)
{
    struct oct_cpu cpu;
    oct_cpu_detect(&cpu);
    oct_scope_make(&process, &cpu, oct_setting(OCT_SETTING_TABLE), oct_setting(OCT_SETTING_WIDTH));
}

const struct oct_scope *oct_scope(void)
{
    pthread_once(&once, make);
    return &process;
}

/* Two threads that ask at once both test, and agree: a lock would have to be unlocked in the child of a fork. */
static const struct oct_row *choose(enum oct_selection which)
{
    static _Atomic(const struct oct_row *) chosen[OCT_SELECTIONS];
    const struct oct_row *row = atomic_load_explicit(&chosen[which], memory_order_relaxed);
    if (row)
        return row;
    do
        row = oct_row_next(which, oct_scope(), row);
    while (row->ops && which >= OCT_SELECT_AEAD && oct_aead_known_answer(row->ops, (int)which - OCT_SELECT_AEAD) != 0);
    atomic_store(&chosen[which], row);
    return row;
}

/* Why a table for keys: of those that there could have been, the last one's lack counts. */
static const char *key_reason(enum oct_selection which, const struct oct_row *row)
{
    const struct oct_scope *scope = oct_scope();
    const struct oct_row *keys = is_lattice(which) ? choose(OCT_SELECT_PUBLIC_KEY) : row;
    const struct oct_row *tried = rows[keys->ops ? which : OCT_SELECT_PUBLIC_KEY];
    if (scope->tables != OCT_TABLES_VECTORS)
        return scope->why;
    if (row->ops)
        return scope->name[0] ? keys->wish : keys->has;
    const char *reason =
        scope->name[0] ? oct_setting_row(OCT_SETTING_TABLE)->wrong : "this build has no tables of vectors";
    for (; tried->ops; tried++)
        if (permits(scope, tried))
            reason = oct_cpu_missing(&scope->cpu, tried->needs);
    return reason;
}

/* Why this table for a cipher, and not a wider one that the policy allows. */
static const char *cipher_reason(enum oct_selection which, const struct oct_row *row)
{
    const struct oct_scope *scope = oct_scope();
    bool wider = false, is_limited = false;
    for (const struct oct_row *tried = rows[which]; tried != row; tried++) {
        if (!permits(scope, tried))
            continue;
        if (runs(scope, tried))
            return row->ops ? "wider vectors failed their known-answer test on this machine"
                            : "its known-answer test failed on this machine";
        wider = true;
        is_limited |= (tried->needs & ~scope->cpu.usable) == 0;
    }
    if (is_limited)
        return "OCTUPLE_TABLE names a table that needs fewer instructions";
    if (!row->ops && scope->width != OCT_WIDTH_OFF)
        return "the CPU lacks instructions for it";
    return row->ops && wider ? "the CPU lacks instructions for wider vectors" : scope->width_why;
}

const void *oct_selected(enum oct_selection which, const char **reason)
{
    const struct oct_row *row = choose(which);
    if (reason)
        *reason = which < OCT_SELECT_AEAD ? key_reason(which, row) : cipher_reason(which, row);
    return row->ops;
}

const void *oct_possible(enum oct_selection which)
{
    return oct_row_next(which, oct_scope(), NULL)->ops;
}

const void *oct_runnable(enum oct_selection which, unsigned i)
{
    const struct oct_scope *scope = oct_scope();
    const struct oct_row *row = rows[which];
    while (row->ops)
        row++;
    while (row-- != rows[which])
        if (runs(scope, row) && (scope->tables != OCT_TABLES_PORTABLE || row->needs == 0) && i-- == 0)
            return row->ops;
    return NULL;
}
