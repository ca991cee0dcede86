/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * In place of <immintrin.h>: vectors are arrays of words of 64 bits, and a word is a number, or the name of one in a
 * record. Intrinsics write their name and what they are given. primitives.py makes a macro for each that a backend
 * uses (intrinsics.h), knows what it means by the manual of the instruction, and proves the contract from there.
 */
#ifndef OCT_TESTS_WORDS_H
#define OCT_TESTS_WORDS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WORDS_VECTOR(bits)                                                                                             \
    typedef struct {                                                                                                   \
        uint64_t w[(bits) / 64];                                                                                       \
    } __m##bits##i;                                                                                                    \
    typedef __m##bits##i __m##bits##d, __m##bits;                                                                      \
    static inline void words_put##bits(__m##bits##i x)                                                                 \
    {                                                                                                                  \
        words_put_vector(x.w, (bits) / 64);                                                                            \
    }                                                                                                                  \
    static inline __m##bits##i words_end##bits(void)                                                                   \
    {                                                                                                                  \
        __m##bits##i r;                                                                                                \
        words_end(r.w, (bits) / 64);                                                                                   \
        return r;                                                                                                      \
    }

/* A mask of lanes, of a type that no number has here: the number of its line. */
typedef short __mmask8;
typedef short __mmask16;

#define WORDS_TAG ((uint64_t)0xabcde << 44)
static int words_lines;

/* Lines that are begun: what an intrinsic is given may be another one's result. */
static char words_text[8][4096];
static int words_depth;

static inline void words_append(const char *text)
{
    strcat(words_text[words_depth], text);
}
static inline void words_begin(const char *name)
{
    words_text[++words_depth][0] = 0;
    words_append(name);
}
static inline void words_put_vector(const uint64_t *w, int n)
{
    char text[24];
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%s%lx", i ? "," : " v:", w[i]);
        words_append(text);
    }
}
static inline void words_put_mask(short line)
{
    char text[24];
    snprintf(text, sizeof text, " m:%d", line);
    words_append(text);
}
static inline void words_put_number(long long x)
{
    char text[32];
    snprintf(text, sizeof text, " n:%lld", x);
    words_append(text);
}
static inline int words_end_line(void)
{
    printf("%s\n", words_text[words_depth--]);
    return words_lines++;
}
static inline void words_end(uint64_t *w, int n)
{
    const int line = words_end_line();
    for (int i = 0; i < n; i++)
        w[i] = WORDS_TAG | (uint64_t)line << 4 | (uint64_t)i;
}
static inline short words_end_mask(void)
{
    return (short)words_end_line();
}
WORDS_VECTOR(128)
WORDS_VECTOR(256)
WORDS_VECTOR(512)

/* WORDS_EACH(...), which writes all that an intrinsic is given by its type, is in intrinsics.h too. */
#define WORDS_OPERATION(name, end, ...) (words_begin(name), WORDS_EACH(__VA_ARGS__), end())

/* Loads and stores move words; numbers that are the same in all lanes are numbers. */
#define WORDS_MEMORY(prefix, bits, suffix)                                                                             \
    static inline __m##bits##i prefix##_load_##suffix(const void *p)                                                   \
    {                                                                                                                  \
        __m##bits##i r;                                                                                                \
        memcpy(&r, p, sizeof r);                                                                                       \
        return r;                                                                                                      \
    }                                                                                                                  \
    static inline __m##bits##i prefix##_loadu_##suffix(const void *p)                                                  \
    {                                                                                                                  \
        return prefix##_load_##suffix(p);                                                                              \
    }                                                                                                                  \
    static inline void prefix##_store_##suffix(void *p, __m##bits##i x)                                                \
    {                                                                                                                  \
        memcpy(p, &x, sizeof x);                                                                                       \
    }                                                                                                                  \
    static inline void prefix##_storeu_##suffix(void *p, __m##bits##i x)                                               \
    {                                                                                                                  \
        memcpy(p, &x, sizeof x);                                                                                       \
    }
WORDS_MEMORY(_mm, 128, si128)
WORDS_MEMORY(_mm256, 256, si256)
WORDS_MEMORY(_mm512, 512, si512)

/* Bits of a double in all lanes. */
#define WORDS_DOUBLE(prefix, bits)                                                                                     \
    static inline __m##bits##d prefix##_set1_pd(double x)                                                              \
    {                                                                                                                  \
        __m##bits##d r;                                                                                                \
        for (int i = 0; i < (bits) / 64; i++)                                                                          \
            memcpy(&r.w[i], &x, 8);                                                                                    \
        return r;                                                                                                      \
    }
WORDS_DOUBLE(_mm256, 256)
WORDS_DOUBLE(_mm512, 512)

/* The rounding mode is what primitives.py says. */
static inline unsigned _mm_getcsr(void)
{
    return 0;
}
static inline void _mm_setcsr(unsigned mode)
{
    (void)mode;
}
#define _MM_FROUND_TO_ZERO 3
#define _MM_FROUND_NO_EXC  8

#include "intrinsics.h"

#endif
