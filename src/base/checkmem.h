/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Marks memory as secret (undefined, in the eyes of valgrind's memcheck or of MSan) and back. A branch or an address
 * that depends on marked memory is then reported: the constant-time check. Without either tool these do nothing.
 * The idea is Adam Langley's ctgrind; one layer for both tools, as libsecp256k1 has it.
 */
#ifndef OCT_BASE_CHECKMEM_H
#define OCT_BASE_CHECKMEM_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define OCT_CHECKMEM_MSAN 1
#endif
#endif

#if defined(OCT_CHECKMEM_MSAN)
#include <sanitizer/msan_interface.h>
#define OCT_SECRET(p, len)     __msan_allocated_memory((p), (len))
#define OCT_DECLASSIFY(p, len) __msan_unpoison((p), (len))
#define OCT_CHECKMEM_ON()      1
#elif defined(OCT_CHECKMEM_VALGRIND)
#include <valgrind/memcheck.h>
#define OCT_SECRET(p, len)     ((void)VALGRIND_MAKE_MEM_UNDEFINED((p), (len)))
#define OCT_DECLASSIFY(p, len) ((void)VALGRIND_MAKE_MEM_DEFINED((p), (len)))
#define OCT_CHECKMEM_ON()      (RUNNING_ON_VALGRIND != 0)
#else
#define OCT_SECRET(p, len)     ((void)(p), (void)(len))
#define OCT_DECLASSIFY(p, len) ((void)(p), (void)(len))
#define OCT_CHECKMEM_ON()      0
#endif

#endif
