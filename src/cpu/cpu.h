/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What this CPU can do and what the operating system lets us use of it.
 *
 * Reading the registers and judging them are two steps, so that tests can put the registers of any machine before the
 * judge. Nothing is kept: whoever wants the answer twice stores it. (Intel SDM vol. 1, 13.3 and 15.2-15.4; AMD APM vol.
 * 3, appendix E.)
 */
#ifndef OCT_CPU_CPU_H
#define OCT_CPU_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <octuple/op.h>

/* In the order in which people are told about them. */
enum oct_cpu_feature {
    OCT_CPU_AVX512F,
    OCT_CPU_AVX512BW,
    OCT_CPU_AVX512DQ,
    OCT_CPU_AVX512VL,
    OCT_CPU_AVX512IFMA,
    OCT_CPU_AVX512VBMI,
    OCT_CPU_AVX512VBMI2,
    OCT_CPU_AVX512VNNI,
    OCT_CPU_VAES,
    OCT_CPU_VPCLMULQDQ,
    OCT_CPU_GFNI,
    OCT_CPU_AVX2,
    OCT_CPU_BMI2,
    OCT_CPU_AES,
    OCT_CPU_PCLMULQDQ,
    OCT_CPU_SHA,
    OCT_CPU_SHOWN, /* what follows has no room in the public structure: the choice of a table says what there is */
    OCT_CPU_FMA = OCT_CPU_SHOWN,
    OCT_CPU_AVXIFMA,
    OCT_CPU_FEATURES
};

/* One CPUID answer. */
struct oct_cpuid {
    uint32_t eax, ebx, ecx, edx;
};

/* Everything that the judgement rests on. A leaf that the CPU does not have is zero. */
struct oct_cpu_registers {
    struct oct_cpuid leaf0;    /* highest leaf, vendor */
    struct oct_cpuid leaf1;    /* family, model, stepping, features */
    struct oct_cpuid leaf7;    /* features (subleaf 0) */
    struct oct_cpuid leaf7_1;  /* and subleaf 1 */
    struct oct_cpuid brand[3]; /* leaves 0x80000002 to 4 */
    uint64_t xcr0;             /* register state that the operating system saves; 0 if it does not use XSAVE */
};

struct oct_cpu {
    char vendor[16]; /* "GenuineIntel", "AuthenticAMD", ... */
    char brand[64];  /* without surrounding spaces */
    uint32_t family, model, stepping;
    uint32_t silicon; /* bit i: enum oct_cpu_feature i is on the CPU */
    uint32_t usable;  /* the same, and its registers are switched on by the operating system */
    bool os_ymm, os_zmm;
};

/* Reads the registers of the CPU that runs this, but its brand; all zero where there is no CPUID. A hypervisor answers
 * each leaf, which takes it some 20 us. */
void oct_cpu_registers_read(struct oct_cpu_registers *regs);
void oct_cpu_registers_read_brand(struct oct_cpu_registers *regs);

/* Judges registers. Pure. */
void oct_cpu_judge(struct oct_cpu *cpu, const struct oct_cpu_registers *regs);

/* Reads and judges; without a brand, or with it. */
void oct_cpu_detect(struct oct_cpu *cpu);
void oct_cpu_detect_named(struct oct_cpu *cpu);

/* "avx512f", ... as Linux and compilers spell it; NULL for a number that is no feature. */
const char *oct_cpu_feature_name(unsigned feature);

static inline bool oct_cpu_has(const struct oct_cpu *cpu, enum oct_cpu_feature feature)
{
    return (cpu->usable >> feature & 1) != 0;
}

/* NULL if the CPU has all of `needs`, bits 1 << enum oct_cpu_feature, and the operating system has switched on their
 * registers. Otherwise the first that is missing, in plain words, static. */
const char *oct_cpu_missing(const struct oct_cpu *cpu, uint32_t needs);

/* Takes the features from a CPU that it would not have if the table of that name (OCTUPLE_TABLE) were its best: what
 * else there is then fits. "auto", "" and NULL take none. False, with nothing taken, for any other name. */
bool oct_cpu_limit(struct oct_cpu *cpu, const char *table);

/* Fills in the CPU's part of the public structure: all but table and table_reason. */
void oct_cpu_describe(struct oct_cpu_info *info, const struct oct_cpu *cpu);

enum oct_cpu_width {
    OCT_WIDTH_AUTO = -1,
    OCT_WIDTH_OFF = 0,
    OCT_WIDTH_128 = 128,
    OCT_WIDTH_256 = 256,
    OCT_WIDTH_512 = 512
};

/*
 * The vector width for code that runs a little and often, such as ciphers: at most what is wished for (AUTO: no wish),
 * never more than the CPU has. AUTO avoids zmm on Intel cores before Rocket Lake, Ice Lake and Tiger Lake included:
 * there 512-bit multiplications lower the clock of everything that runs on the core, the server too. The public-key
 * kernels do not ask: they win several times over, which no clock step takes back.
 */
enum oct_cpu_width oct_cpu_width_choose(const struct oct_cpu *cpu, enum oct_cpu_width wish);

/* Why oct_cpu_width_choose() chooses so, in plain words; static. */
const char *oct_cpu_width_reason(const struct oct_cpu *cpu, enum oct_cpu_width wish);

/* True where the CPU has 512-bit vectors and runs each half of one on its own: Zen 4 (docs/cpus.md has measurements). A
 * vector that is half empty costs as much as a full one there. */
bool oct_cpu_halves_zmm(const struct oct_cpu *cpu);

/* True where additions of 512 bits start on the ports of products: on Intel's CPUs, whose two ports take all that there
 * is of 512 bits (docs/cpus.md). Additions that save products cost as much as these there. */
bool oct_cpu_shares_ports(const struct oct_cpu *cpu);

/* A wish as people write it: "auto" (NULL and "" too), "512", "256", "128", "off". False, with *wish as it was, for
 * anything else. */
bool oct_cpu_width_parse(enum oct_cpu_width *wish, const char *text);

#endif
