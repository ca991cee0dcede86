/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which tier serves each AEAD: the policy (OCTUPLE_TABLE, OCTUPLE_WIDTH, the CPU's clock) says how wide, the CPU what
 * there is, the known-answer test whether it works. A tier that fails its test leaves the place to the next narrower
 * one.
 */
#include "ops/aead.h"

#include "base/settings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct oct_cpu cpu;
static int portable; /* OCTUPLE_TABLE=c */
static enum oct_cpu_width width;
static const char *why;

/* 0: not tested yet; 1: none serves; 2 and more: tier number n - 2. Two threads that ask at once both test, and
 * agree: a lock would have to be unlocked in the child of a fork. */
static _Atomic unsigned verdict[OCT_AEAD_COUNT];

static void choose_policy(void)
{
    const char *table = oct_setting(OCT_SETTING_TABLE);
    enum oct_cpu_width wish;

    oct_cpu_detect(&cpu);
    if (table && strcmp(table, "c") == 0) {
        portable = 1;
        width = OCT_WIDTH_OFF;
        why = "OCTUPLE_TABLE=c: the portable tier, for tests";
    } else if (!oct_cpu_limit(&cpu, table)) {
        width = OCT_WIDTH_OFF;
        why = strcmp(table, "off") == 0 ? "OCTUPLE_TABLE=off" : oct_setting_row(OCT_SETTING_TABLE)->wrong;
    } else if (!oct_cpu_width_parse(&wish, oct_setting(OCT_SETTING_WIDTH))) {
        width = OCT_WIDTH_OFF;
        why = oct_setting_row(OCT_SETTING_WIDTH)->wrong;
    } else {
        width = oct_cpu_width_choose(&cpu, wish);
        why = oct_cpu_width_reason(&cpu, wish);
    }
}

enum oct_cpu_width oct_aead_width(const char **reason)
{
    pthread_once(&once, choose_policy);
    if (reason)
        *reason = why;
    return width;
}

static const struct oct_aead_tier *const tiers[OCT_AEAD_COUNT] = {
    [OCT_AEAD_AES_128_GCM] = oct_aead_gcm_tiers[OCT_AEAD_AES_128_GCM],
    [OCT_AEAD_AES_192_GCM] = oct_aead_gcm_tiers[OCT_AEAD_AES_192_GCM],
    [OCT_AEAD_AES_256_GCM] = oct_aead_gcm_tiers[OCT_AEAD_AES_256_GCM],
    [OCT_AEAD_CHACHA20_POLY1305] = oct_aead_chacha_tiers,
    [OCT_AEAD_SM4_GCM] = oct_aead_sm4_gcm_tiers,
    [OCT_AEAD_SM4_CCM] = oct_aead_sm4_ccm_tiers,
};

static unsigned count_tiers(const struct oct_aead_tier *tier)
{
    unsigned count = 0;
    while (count < OCT_AEAD_TIERS && tier[count].ops != NULL)
        count++;
    return count;
}

static int runs_here(const struct oct_aead_tier *tier)
{
    return (cpu.usable & tier->features) == tier->features;
}

static int allowed(const struct oct_aead_tier *tier)
{
    return portable ? tier->width == 0 : tier->width > 0 && tier->width <= (int)width;
}

static unsigned test_tiers(int aead, const struct oct_aead_tier *tier, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (allowed(&tier[i]) && runs_here(&tier[i]) && oct_aead_known_answer(tier[i].ops, aead) == 0)
            return i + 2;
    return 1;
}

/* Why tier number `chosen` (`count`: none) and not a wider one that the policy allows. */
static const char *why_this(const struct oct_aead_tier *tier, unsigned count, unsigned chosen)
{
    int wider = 0;
    for (unsigned i = 0; i < chosen; i++) {
        if (allowed(&tier[i]) && runs_here(&tier[i]))
            return chosen < count ? "wider vectors failed their known-answer test on this machine"
                                  : "its known-answer test failed on this machine";
        wider |= allowed(&tier[i]);
    }
    if (chosen == count)
        return portable || width != OCT_WIDTH_OFF ? "the CPU lacks instructions for it" : why;
    return wider ? "the CPU lacks instructions for wider vectors" : why;
}

const struct oct_aead_ops *oct_aead_selected(int aead, const char **reason)
{
    if (aead < 0 || aead >= OCT_AEAD_COUNT) {
        if (reason)
            *reason = "no such AEAD";
        return NULL;
    }
    pthread_once(&once, choose_policy);
    const struct oct_aead_tier *tier = tiers[aead];
    const unsigned count = count_tiers(tier);
    unsigned known = atomic_load_explicit(&verdict[aead], memory_order_relaxed);
    if (known == 0) {
        known = test_tiers(aead, tier, count);
        atomic_store(&verdict[aead], known);
    }
    if (reason)
        *reason = why_this(tier, count, known == 1 ? count : known - 2);
    return known == 1 ? NULL : tier[known - 2].ops;
}

unsigned oct_aead_runnable(int aead, const struct oct_aead_ops *ops[OCT_AEAD_TIERS])
{
    const struct oct_aead_tier *tier = tiers[aead];
    const unsigned count = count_tiers(tier);
    unsigned found = 0;
    pthread_once(&once, choose_policy);
    for (unsigned i = 0; i < count; i++)
        if (runs_here(&tier[i]))
            ops[found++] = tier[i].ops;
    return found;
}
