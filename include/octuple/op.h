/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The operations that Octuple serves, and what of them is on in this process.
 *
 * At first use one backend ("table") is chosen for the process, the best that CPU and operating system have: `avx512`
 * (AVX-512 F, BW, DQ, VL and IFMA) or `avx512s` (the same on Intel's CPUs), `ifma256` (AVX-IFMA), `avx512f` (no IFMA),
 * `avx2` (with FMA and BMI2), otherwise none. Each operation passes a known-answer test on that table before it is
 * offered; one that fails is off. The environment variable OCTUPLE_TABLE (auto, one of these, c, off) is read once: `c`
 * is the portable table, slow and meant for tests; `off` turns everything off.
 */
#ifndef OCTUPLE_OP_H
#define OCTUPLE_OP_H

#include <octuple/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are stable: new operations are added at the end. */
enum oct_op {
    OCT_OP_RSA2048_PRIVATE = 0,
    OCT_OP_RSA3072_PRIVATE = 1,
    OCT_OP_RSA4096_PRIVATE = 2,
    OCT_OP_RSA2048_PUBLIC = 3,
    OCT_OP_RSA3072_PUBLIC = 4,
    OCT_OP_RSA4096_PUBLIC = 5,
    OCT_OP_X25519_DERIVE = 6,
    OCT_OP_X25519_KEYGEN = 7,
    OCT_OP_P256_SIGN = 8,
    OCT_OP_P256_KEYGEN = 9,
    OCT_OP_P256_DERIVE = 10,
    OCT_OP_P384_SIGN = 11,
    OCT_OP_P384_KEYGEN = 12,
    OCT_OP_P384_DERIVE = 13,
    OCT_OP_ED25519_SIGN = 14,
    OCT_OP_ED25519_VERIFY = 15,
    OCT_OP_P256_VERIFY = 16,
    OCT_OP_P384_VERIFY = 17,
    OCT_OP_MLKEM768_KEYGEN = 18,
    OCT_OP_MLKEM768_ENCAPS = 19,
    OCT_OP_MLKEM768_DECAPS = 20,
    OCT_OP_MLKEM1024_KEYGEN = 21,
    OCT_OP_MLKEM1024_ENCAPS = 22,
    OCT_OP_MLKEM1024_DECAPS = 23,
    OCT_OP_X25519MLKEM768_SERVER = 24,
    OCT_OP_X25519MLKEM768_CLIENT = 25,
    OCT_OP_SECP256R1MLKEM768_SERVER = 26,
    OCT_OP_SECP256R1MLKEM768_CLIENT = 27,
    OCT_OP_SECP384R1MLKEM1024_SERVER = 28,
    OCT_OP_SECP384R1MLKEM1024_CLIENT = 29,
    OCT_OP_MLDSA44_KEYGEN = 30,
    OCT_OP_MLDSA44_SIGN = 31,
    OCT_OP_MLDSA44_VERIFY = 32,
    OCT_OP_MLDSA65_KEYGEN = 33,
    OCT_OP_MLDSA65_SIGN = 34,
    OCT_OP_MLDSA65_VERIFY = 35,
    OCT_OP_SM2_SIGN = 36,
    OCT_OP_SM2_KEYGEN = 37,
    OCT_OP_SM2_DERIVE = 38,
    OCT_OP_SM2_VERIFY = 39,
    OCT_OP_SM3 = 40,
    OCT_OP_CURVESM2MLKEM768_SERVER = 41,
    OCT_OP_CURVESM2MLKEM768_CLIENT = 42,
    OCT_OP_RSA2048_KEYGEN = 43,
    OCT_OP_RSA3072_KEYGEN = 44,
    OCT_OP_RSA4096_KEYGEN = 45,
    OCT_OP_COUNT = 46
};

/*
 * Reads what the environment says (OCTUPLE_TABLE; OCTUPLE_COUNTERS, whose file it makes: octuple/counters.h) and
 * chooses the table. Every first use does that: this call, which costs microseconds and tests no operation, is for who
 * is loaded early into a program that may clear its environment, change its root or drop its privileges later.
 */
OCT_API void oct_start(void);

/* "rsa2048-private", ...; NULL for a number that is no operation. */
OCT_API const char *oct_op_name(int op);

/* The number of the operation that oct_op_name() calls so; -1 for NULL, and for a name that none has. The functions
 * that take a number take -1 for no operation. For bindings, so that they copy no number. */
OCT_API int oct_op_find(const char *name);

/* 1 if the operation is served in this process (table chosen, known-answer test passed), else 0. The first call for
 * an operation runs its test (milliseconds on avx512). */
OCT_API int oct_op_is_on(int op);

/* 1 if a table was chosen for this process: the operation is served unless its test, which this call does not run,
 * fails. For who only wants to know whether to ask for more. */
OCT_API int oct_op_is_possible(int op);

/* Why the operation is off, in plain words; "on" if it is on. */
OCT_API const char *oct_op_reason(int op);

/* What the CPU has and what was chosen. All strings are static. */
struct oct_cpu_info {
    const char *table;        /* "avx512", "avx512s", "avx512f", "ifma256", "avx2", "c" or "none" */
    const char *table_reason; /* why that one, e.g. "avx512ifma is missing" */
    char brand[64];           /* the CPU's own name */
    uint32_t family, model, stepping;
    unsigned feature_count;
    struct {
        const char *name; /* "avx512f", "avx512ifma", ... */
        int present;      /* on the CPU and switched on by the operating system */
    } feature[16];
};
OCT_API void oct_cpu_info_get(struct oct_cpu_info *info);

/* How wide the vectors of ciphers may be in this process: 512, 256, 128, or 0 for none; and why, in plain words
 * (static). It follows the CPU (some Intel cores lower their clock under 512-bit vectors) and the environment
 * variable OCTUPLE_WIDTH (auto, 512, 256, 128, off), which is read once. OCTUPLE_TABLE=off turns ciphers off too,
 * OCTUPLE_TABLE=c has them on portable code. */
OCT_API int oct_cipher_width(const char **reason);

/* The library's version, three numbers with points between. */
OCT_API const char *oct_version(void);

/* For Octuple's own shim and provider, which share memory with this library that is no part of the API: 1 if `version`
 * is that of this library. If not, 0, and a line on stderr that `who` leaves all to OpenSSL. A process can have two
 * versions while its packages are upgraded, or with parts from different places. */
OCT_API int oct_version_fits(const char *version, const char *who);

#ifdef __cplusplus
}
#endif
#endif
