/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which table of functions serves a family: one way for public keys, lattices and ciphers. A family has rows, the best
 * first. A row says what it needs of the CPU. The scope says what the settings permit of it.
 */
#ifndef OCT_OPS_SELECT_H
#define OCT_OPS_SELECT_H

#include "cpu/cpu.h"

#include <octuple/aead.h>

/* What rows need of the CPU: bits 1 << enum oct_cpu_feature. A row that needs nothing is portable. */
#define OCT_NEEDS(feature) ((uint32_t)1 << OCT_CPU_##feature)
#define OCT_NEEDS_AVX512F                                                                                              \
    (OCT_NEEDS(AVX512F) | OCT_NEEDS(AVX512BW) | OCT_NEEDS(AVX512DQ) | OCT_NEEDS(AVX512VL) | OCT_NEEDS(BMI2))
#define OCT_NEEDS_AVX512 (OCT_NEEDS_AVX512F | OCT_NEEDS(AVX512IFMA))
#define OCT_NEEDS_AVX2   (OCT_NEEDS(AVX2) | OCT_NEEDS(FMA) | OCT_NEEDS(BMI2))
/* A compiler that does not know AVX-IFMA builds its table in the form of AVX-512VL. */
#if defined(OCT_HAVE_AVXIFMA_TABLE)
#define OCT_NEEDS_IFMA256 (OCT_NEEDS(AVX2) | OCT_NEEDS(BMI2) | OCT_NEEDS(AVXIFMA))
#else
#define OCT_NEEDS_IFMA256 OCT_NEEDS_AVX512
#endif
/* Kernels on lanes of 16 bits. */
#define OCT_NEEDS_LATTICE512 (OCT_NEEDS_AVX512 | OCT_NEEDS(AVX512VBMI) | OCT_NEEDS(AVX512VBMI2) | OCT_NEEDS(AVX512VNNI))
/* AES with GHASH. */
#define OCT_NEEDS_XMM (OCT_NEEDS(AES) | OCT_NEEDS(PCLMULQDQ) | OCT_NEEDS(AVX2) | OCT_NEEDS(BMI2))
#define OCT_NEEDS_YMM (OCT_NEEDS_XMM | OCT_NEEDS(VAES) | OCT_NEEDS(VPCLMULQDQ))
#define OCT_NEEDS_ZMM (OCT_NEEDS_YMM | OCT_NEEDS_AVX512F)

struct oct_row {
    const void *ops; /* the family's table; the last row has NULL */
    uint32_t needs;
    int width;   /* a cipher's vectors: 512, 256 or 128; others have 0, and no setting of a width */
    bool halved; /* a cipher's: chosen only where the CPU runs each half of zmm on its own */
    /* Public keys: without its name chosen only where additions of 512 bits take the ports of products, or do not. */
    enum { OCT_PORTS_ANY, OCT_PORTS_OWN, OCT_PORTS_SHARED } ports;
    const char *name, *wish; /* public keys: the value of OCTUPLE_TABLE that asks for this row alone, and its reason */
    const char *has;         /* and the reason without a wish; NULL: chosen by its name only */
};

/* The tables of a family on lattices. */
#define OCT_LATTICE_BACKENDS 3
/* The rows of a cipher: at most so many, the last one included. A build has those of vectors, or has not. ChaCha20 has
 * two forms on vectors, and so two portable ones; the first of these serves. */
#define OCT_AEAD_ROWS   5
#define OCT_CHACHA_ROWS 7
#if defined(OCT_HAVE_VECTOR_TIERS)
#define OCT_ROW_ZMM(table, needs_) {.ops = table, .needs = needs_, .width = 512},
#else
#define OCT_ROW_ZMM(table, needs_)
#endif
#if defined(OCT_HAVE_NARROW_TIERS)
#define OCT_ROW_YMM(table, needs_) {.ops = table, .needs = needs_, .width = 256},
#define OCT_ROW_XMM(table, needs_) {.ops = table, .needs = needs_, .width = 128},
#else
#define OCT_ROW_YMM(table, needs_)
#define OCT_ROW_XMM(table, needs_)
#endif

extern const struct oct_row oct_rows_public_key[], oct_rows_mlkem[], oct_rows_mldsa[];
extern const struct oct_row oct_rows_gcm[3][OCT_AEAD_ROWS], oct_rows_chacha[OCT_CHACHA_ROWS],
    oct_rows_sm4_gcm[OCT_AEAD_ROWS], oct_rows_sm4_ccm[OCT_AEAD_ROWS];

/* All that are chosen on their own; OCT_SELECT_AEAD + aead is an AEAD. */
enum oct_selection {
    OCT_SELECT_PUBLIC_KEY,
    OCT_SELECT_MLKEM,
    OCT_SELECT_MLDSA,
    OCT_SELECT_AEAD,
    OCT_SELECTIONS = OCT_SELECT_AEAD + OCT_AEAD_COUNT
};

/* The CPU and the settings, from which rows are chosen. */
struct oct_scope {
    struct oct_cpu cpu;
    uint32_t rest; /* the features that fit the table of OCTUPLE_TABLE: all that rows without a name may use */
    enum { OCT_TABLES_NONE, OCT_TABLES_PORTABLE, OCT_TABLES_VECTORS } tables;
    char
        name[8]; /* OCTUPLE_TABLE, if it names a table of vectors; a copy, since servers write over their environment */
    enum oct_cpu_width width;
    const char *why, *width_why; /* why there is no choice of tables, and why that width; static */
};

/* `table` and `width` are the settings; NULL: not set. Pure; the scope keeps neither. */
void oct_scope_make(struct oct_scope *scope, const struct oct_cpu *cpu, const char *table, const char *width);

/* The first row of a family that the scope permits and its CPU can run, behind `after` (NULL: of all); the last row if
 * there is none. Pure. */
const struct oct_row *oct_row_next(enum oct_selection which, const struct oct_scope *scope,
                                   const struct oct_row *after);

/* The scope of this process: decided once. */
const struct oct_scope *oct_scope(void);

/* The table that serves this process, or NULL. It has to be permitted and possible; a cipher's must have passed its
 * known-answer test too, else the next one serves. `reason` (may be NULL) gets the words for it; static. */
const void *oct_selected(enum oct_selection which, const char **reason);

/* The table that serves if it passes its known-answer test, or NULL. Tests nothing. */
const void *oct_possible(enum oct_selection which);

/* For tests: the tables that this CPU can run, `i` from 0 on, portable ones first, the best one last; by
 * OCTUPLE_TABLE=c those alone. NULL: no more. */
const void *oct_runnable(enum oct_selection which, unsigned i);

#endif
