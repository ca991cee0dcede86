/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Reading the table of a power. Include after `#define LIMBS`, `WINDOW` and `PICKED`, and struct fold. */

#define PICKS (LIMBS / WINDOW) /* limbs that each squaring picks */
_Static_assert(LIMBS % WINDOW == 0, "each squaring picks as many limbs");

/* slot[PICKED][j] = limb j of the entry of the table whose index, a secret, has these bits. All entries are read. */
OCT_INLINE void fold_pick(struct fold *s, const m8 *bit, unsigned j)
{
    s->slot[PICKED][j] = v8_lookup(s->table[j], 1, bit, WINDOW);
}

#if VEC_WHOLE || BLOCKS == 1
/* Picks limbs from `at` on, by itself: with whole products the chain leaves little room between calls, and one more
 * copy of it would not fit into the cache of instructions beside the rest of a squaring. */
static OCT_NOINLINE void fold_picks(struct fold *restrict s, const m8 *restrict bit, unsigned at)
{
    for (unsigned i = 0; i < PICKS; i++)
        fold_pick(s, bit, at + i);
}
#endif
