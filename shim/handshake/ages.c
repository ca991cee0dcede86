/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See ages.h. */
#include "handshake/ages.h"

#include "base/policy.h"

#define UNIT  16 /* milliseconds: what a class is at least wide */
#define WHOLE 64 /* parts of a handshake, so that few fade too */

/* The first has what is less than four units; each power of two above has four. */
unsigned oct_age_class(uint64_t milliseconds)
{
    const uint64_t units = milliseconds / UNIT;
    if (units < 4)
        return 0;
    const unsigned power = 63u - (unsigned)__builtin_clzll(units);
    const unsigned index = 1 + (power - 2) * 4 + (unsigned)(units >> (power - 2) & 3);
    return index < OCT_AGES ? index : OCT_AGES - 1;
}

static void fade(struct oct_ages *ages, uint64_t now)
{
    for (unsigned turns = 0; now - ages->faded >= OCT_POLICY_AGES_FADE; turns++) {
        ages->faded = turns < 32 ? ages->faded + OCT_POLICY_AGES_FADE : now;
        for (unsigned i = 0; i < OCT_AGES; i++) {
            ages->ended[i] -= ages->ended[i] / 4;
            ages->well[i] -= ages->well[i] / 4;
        }
    }
}

static bool is_known(const struct oct_ages *ages, unsigned i)
{
    return ages->ended[i] >= OCT_POLICY_AGES_ENOUGH * WHOLE;
}

/* In this class fewer than seven eighths end well of what do in those below it: by too many for chance, or it has been
 * shut. Then it takes a sixteenth more to open it: those that are served of it all the same are the youngest in it.
 * While no class below is known, two thirds are taken to end well. */
static bool is_bad(const struct oct_ages *ages, unsigned i, uint64_t ended, uint64_t well)
{
    const uint64_t it_ended = ages->ended[i], it_well = ages->well[i];
    if (ended == 0)
        return 2 * it_well < it_ended;
    if (i == ages->shut)
        return 16 * it_well * ended < 15 * well * it_ended;
    return 8 * it_well * ended < 7 * well * it_ended &&
           well * it_ended >= (it_well + (uint64_t)OCT_POLICY_AGES_EXCESS * WHOLE) * ended;
}

/* This class is shut or bad, or one below it, of which this one would have more patience. The first never is. Of those
 * that are shut the first is opened alone: what comes of it is known when its handshakes have ended. */
static bool is_too_old(struct oct_ages *ages, unsigned age_class)
{
    uint64_t ended = 0, well = 0; /* of the classes below that are known */
    for (unsigned i = 0; i <= age_class; i++) {
        const bool known = is_known(ages, i), shut = ages->shut != 0 && i >= ages->shut;
        if (i > 0 && (known ? is_bad(ages, i, ended, well) : shut)) {
            ages->shut = i;
            return true;
        }
        if (!known)
            continue;
        ages->shut = shut ? i + 1 : ages->shut;
        ended += ages->ended[i];
        well += ages->well[i];
    }
    return false;
}

bool oct_ages_refuse(struct oct_ages *ages, uint64_t now, uint64_t waited)
{
    fade(ages, now);
    if (now - ages->too_old >= OCT_POLICY_AGES_FORGET)
        ages->shut = 0;
    const bool is_old = is_too_old(ages, oct_age_class(waited)), is_trial = ages->begun >= OCT_POLICY_AGES_TRIAL;
    ages->too_old = is_old ? now : ages->too_old;
    if (is_old && !is_trial)
        return true;
    if (is_old)
        ages->begun = 0;
    ages->begun += !is_trial;
    return false;
}

void oct_ages_ended(struct oct_ages *ages, unsigned age_class, bool well)
{
    ages->ended[age_class] += WHOLE;
    ages->well[age_class] += well ? WHOLE : 0;
}

bool oct_ages_left(uint32_t since_data, uint32_t since_end)
{
    return since_data > since_end + OCT_POLICY_HELLO_END;
}
