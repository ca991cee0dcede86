/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A backend as a table. A row is an operation of a contract: its type, its name, and an expression for the result. That
 * is of the vectors a, b and c; or of x, y and z, which are one part of each, where a vector is an array p of parts.
 * Rows BY have a number of bits besides.
 */
#ifndef OCT_VEC_ROWS_H
#define OCT_VEC_ROWS_H

#include "base/base.h"

#define VEC_ROW(type, name_and_arguments, ...)                                                                         \
    OCT_INLINE type name_and_arguments                                                                                 \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }
#define VEC_1(type, name, ...)  VEC_ROW(type, name(type a), __VA_ARGS__)
#define VEC_2(type, name, ...)  VEC_ROW(type, name(type a, type b), __VA_ARGS__)
#define VEC_3(type, name, ...)  VEC_ROW(type, name(type a, type b, type c), __VA_ARGS__)
#define VEC_BY(type, name, ...) VEC_ROW(type, name(type a, unsigned bits), __VA_ARGS__)

#define PARTS_ROW(type, name_and_arguments, y_part, z_part, ...)                                                       \
    OCT_INLINE type name_and_arguments                                                                                 \
    {                                                                                                                  \
        OCT_UNROLL                                                                                                     \
        for (unsigned i = 0; i < OCT_ARRAY_LEN(a.p); i++) {                                                            \
            const __typeof__(a.p[0]) x = a.p[i], y = y_part, z = z_part;                                               \
            (void)y, (void)z;                                                                                          \
            a.p[i] = (__VA_ARGS__);                                                                                    \
        }                                                                                                              \
        return a;                                                                                                      \
    }
#define PARTS_1(type, name, ...)  PARTS_ROW(type, name(type a), x, x, __VA_ARGS__)
#define PARTS_2(type, name, ...)  PARTS_ROW(type, name(type a, type b), b.p[i], x, __VA_ARGS__)
#define PARTS_3(type, name, ...)  PARTS_ROW(type, name(type a, type b, type c), b.p[i], c.p[i], __VA_ARGS__)
#define PARTS_BY(type, name, ...) PARTS_ROW(type, name(type a, unsigned bits), x, x, __VA_ARGS__)

#endif
