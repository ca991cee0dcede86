/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Judges the registers: features, names, the vector width. Pure; reading them is in registers.c. */
#include "cpu/cpu.h"

#include "base/base.h"

#include <string.h>

_Static_assert(OCT_CPU_SHOWN <= OCT_ARRAY_LEN(((struct oct_cpu_info *)0)->feature),
               "the public structure has room for what is shown");

/* XCR0: the register state that the operating system saves on a switch. */
#define XCR0_YMM 0x06u /* xmm, upper halves of ymm */
#define XCR0_ZMM 0xe6u /* and masks, upper halves of zmm0-15, zmm16-31 */

enum leaf_register { LEAF1_ECX, LEAF7_EBX, LEAF7_ECX, LEAF7_1_EAX };
enum needed_state { STATE_XMM, STATE_YMM, STATE_ZMM };

/* Where CPUID shows a feature, and which registers it is of no use without. gfni, aes and sha work on xmm; VAES and
 * VPCLMULQDQ are the wide forms. */
static const struct {
    const char *name, *missing;
    uint8_t where, bit, state;
} features[OCT_CPU_FEATURES] = {
    [OCT_CPU_AVX512F] = {"avx512f", "this CPU has no AVX-512 (avx512f is missing)", LEAF7_EBX, 16, STATE_ZMM},
    [OCT_CPU_AVX512BW] = {"avx512bw", "avx512bw is missing", LEAF7_EBX, 30, STATE_ZMM},
    [OCT_CPU_AVX512DQ] = {"avx512dq", "avx512dq is missing", LEAF7_EBX, 17, STATE_ZMM},
    [OCT_CPU_AVX512VL] = {"avx512vl", "avx512vl is missing", LEAF7_EBX, 31, STATE_ZMM},
    [OCT_CPU_AVX512IFMA] = {"avx512ifma", "avx512ifma is missing", LEAF7_EBX, 21, STATE_ZMM},
    [OCT_CPU_AVX512VBMI] = {"avx512vbmi", "avx512vbmi is missing", LEAF7_ECX, 1, STATE_ZMM},
    [OCT_CPU_AVX512VBMI2] = {"avx512vbmi2", "avx512vbmi2 is missing", LEAF7_ECX, 6, STATE_ZMM},
    [OCT_CPU_AVX512VNNI] = {"avx512vnni", "avx512vnni is missing", LEAF7_ECX, 11, STATE_ZMM},
    [OCT_CPU_VAES] = {"vaes", "vaes is missing", LEAF7_ECX, 9, STATE_YMM},
    [OCT_CPU_VPCLMULQDQ] = {"vpclmulqdq", "vpclmulqdq is missing", LEAF7_ECX, 10, STATE_YMM},
    [OCT_CPU_GFNI] = {"gfni", "gfni is missing", LEAF7_ECX, 8, STATE_XMM},
    [OCT_CPU_AVX2] = {"avx2", "this CPU has no AVX2", LEAF7_EBX, 5, STATE_YMM},
    [OCT_CPU_BMI2] = {"bmi2", "bmi2 is missing", LEAF7_EBX, 8, STATE_XMM},
    [OCT_CPU_AES] = {"aes", "aes is missing", LEAF1_ECX, 25, STATE_XMM},
    [OCT_CPU_PCLMULQDQ] = {"pclmulqdq", "pclmulqdq is missing", LEAF1_ECX, 1, STATE_XMM},
    [OCT_CPU_SHA] = {"sha", "sha is missing", LEAF7_EBX, 29, STATE_XMM},
    [OCT_CPU_FMA] = {"fma", "fma is missing", LEAF1_ECX, 12, STATE_YMM},
    [OCT_CPU_AVXIFMA] = {"avxifma", "avxifma is missing", LEAF7_1_EAX, 23, STATE_YMM},
};

const char *oct_cpu_feature_name(unsigned feature)
{
    return feature < OCT_CPU_FEATURES ? features[feature].name : NULL;
}

static void judge_features(struct oct_cpu *cpu, const struct oct_cpu_registers *regs)
{
    const uint32_t word[] = {
        [LEAF1_ECX] = regs->leaf1.ecx,
        [LEAF7_EBX] = regs->leaf7.ebx,
        [LEAF7_ECX] = regs->leaf7.ecx,
        [LEAF7_1_EAX] = regs->leaf7_1.eax,
    };
    const bool state[] = {[STATE_XMM] = true, [STATE_YMM] = cpu->os_ymm, [STATE_ZMM] = cpu->os_zmm};

    for (unsigned i = 0; i < OCT_CPU_FEATURES; i++) {
        uint32_t here = word[features[i].where] >> features[i].bit & 1;
        cpu->silicon |= here << i;
        cpu->usable |= (here & state[features[i].state]) << i;
    }
}

/* Family 15 continues in the extended field; families 6 and 15 have four more bits of model. AMD since 2007 has
 * family 15 plus an extension. */
static void judge_model(struct oct_cpu *cpu, uint32_t signature)
{
    uint32_t family = signature >> 8 & 15;
    uint32_t model = signature >> 4 & 15;

    if (family == 6 || family == 15)
        model |= (signature >> 16 & 15) << 4;
    if (family == 15)
        family += signature >> 20 & 255;
    cpu->family = family;
    cpu->model = model;
    cpu->stepping = signature & 15;
}

/* Intel pads the brand with spaces on the left, others on the right. */
static void judge_brand(struct oct_cpu *cpu, const struct oct_cpu_registers *regs)
{
    char text[sizeof regs->brand + 1];
    memcpy(text, regs->brand, sizeof regs->brand);
    text[sizeof text - 1] = 0;

    const char *begin = text + strspn(text, " ");
    size_t len = strlen(begin);
    while (len > 0 && begin[len - 1] == ' ')
        len--;
    memcpy(cpu->brand, begin, len);
}

void oct_cpu_judge(struct oct_cpu *cpu, const struct oct_cpu_registers *regs)
{
    memset(cpu, 0, sizeof *cpu);
    memcpy(cpu->vendor, &regs->leaf0.ebx, 4);
    memcpy(cpu->vendor + 4, &regs->leaf0.edx, 4);
    memcpy(cpu->vendor + 8, &regs->leaf0.ecx, 4);
    cpu->os_ymm = (regs->xcr0 & XCR0_YMM) == XCR0_YMM;
    cpu->os_zmm = (regs->xcr0 & XCR0_ZMM) == XCR0_ZMM;
    judge_model(cpu, regs->leaf1.eax);
    judge_brand(cpu, regs);
    judge_features(cpu, regs);
}

void oct_cpu_detect(struct oct_cpu *cpu)
{
    struct oct_cpu_registers regs;
    oct_cpu_registers_read(&regs);
    oct_cpu_judge(cpu, &regs);
}

void oct_cpu_detect_named(struct oct_cpu *cpu)
{
    struct oct_cpu_registers regs;
    oct_cpu_registers_read(&regs);
    oct_cpu_registers_read_brand(&regs);
    oct_cpu_judge(cpu, &regs);
}

const char *oct_cpu_missing(const struct oct_cpu *cpu, uint32_t needs)
{
    static const char *const off[] = {
        [STATE_YMM] = "the CPU has AVX2, but the operating system or hypervisor has not switched its registers on",
        [STATE_ZMM] = "the CPU has AVX-512, but the operating system or hypervisor has not switched its registers on",
    };
    for (unsigned i = 0; i < OCT_CPU_FEATURES; i++)
        if (needs & ~cpu->silicon & 1u << i)
            return features[i].missing;
    for (unsigned i = 0; i < OCT_CPU_FEATURES; i++)
        if (needs & ~cpu->usable & 1u << i)
            return off[features[i].state];
    return NULL;
}

bool oct_cpu_limit(struct oct_cpu *cpu, const char *table)
{
    const uint32_t newer = 1u << OCT_CPU_AVX512IFMA | 1u << OCT_CPU_AVX512VBMI | 1u << OCT_CPU_AVX512VBMI2 |
                           1u << OCT_CPU_AVX512VNNI | 1u << OCT_CPU_VAES | 1u << OCT_CPU_VPCLMULQDQ |
                           1u << OCT_CPU_GFNI;
    const uint32_t wide =
        newer | 1u << OCT_CPU_AVX512F | 1u << OCT_CPU_AVX512BW | 1u << OCT_CPU_AVX512DQ | 1u << OCT_CPU_AVX512VL;
    const struct {
        const char *table;
        uint32_t without;
    } limits[] = {{"", 0},           {"auto", 0},   {"avx512", 0}, {"avx512s", 0}, {"avx512f", newer},
                  {"ifma256", wide}, {"avx2", wide}};
    for (size_t i = 0; i < OCT_ARRAY_LEN(limits); i++)
        if (strcmp(table ? table : "", limits[i].table) == 0) {
            cpu->usable &= ~limits[i].without;
            return true;
        }
    return false;
}

void oct_cpu_describe(struct oct_cpu_info *info, const struct oct_cpu *cpu)
{
    memcpy(info->brand, cpu->brand, sizeof info->brand);
    info->family = cpu->family;
    info->model = cpu->model;
    info->stepping = cpu->stepping;
    info->feature_count = OCT_CPU_SHOWN;
    for (unsigned i = 0; i < OCT_CPU_SHOWN; i++) {
        info->feature[i].name = features[i].name;
        info->feature[i].present = (int)(cpu->usable >> i & 1);
    }
}

/* Skylake-X (with Cascade and Cooper Lake), Cannon Lake, Ice Lake and Tiger Lake. */
static bool lowers_clock_under_zmm(const struct oct_cpu *cpu)
{
    static const uint8_t models[] = {0x55, 0x66, 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0x9d};
    if (strcmp(cpu->vendor, "GenuineIntel") != 0 || cpu->family != 6)
        return false;
    for (size_t i = 0; i < OCT_ARRAY_LEN(models); i++)
        if (cpu->model == models[i])
            return true;
    return false;
}

static bool has_zmm(const struct oct_cpu *cpu)
{
    const uint32_t wide = 1u << OCT_CPU_AVX512F | 1u << OCT_CPU_AVX512BW | 1u << OCT_CPU_AVX512VL;
    return (cpu->usable & wide) == wide;
}

bool oct_cpu_halves_zmm(const struct oct_cpu *cpu)
{
    return has_zmm(cpu) && strcmp(cpu->vendor, "AuthenticAMD") == 0 && cpu->family == 25;
}

bool oct_cpu_shares_ports(const struct oct_cpu *cpu)
{
    return has_zmm(cpu) && strcmp(cpu->vendor, "GenuineIntel") == 0;
}

enum oct_cpu_width oct_cpu_width_choose(const struct oct_cpu *cpu, enum oct_cpu_width wish)
{
    if (wish == OCT_WIDTH_OFF || !oct_cpu_has(cpu, OCT_CPU_AVX2))
        return OCT_WIDTH_OFF;
    if (wish == OCT_WIDTH_128)
        return OCT_WIDTH_128;
    if (wish == OCT_WIDTH_256 || !has_zmm(cpu))
        return OCT_WIDTH_256;
    if (wish == OCT_WIDTH_AUTO && lowers_clock_under_zmm(cpu))
        return OCT_WIDTH_256;
    return OCT_WIDTH_512;
}

const char *oct_cpu_width_reason(const struct oct_cpu *cpu, enum oct_cpu_width wish)
{
    if (wish == OCT_WIDTH_OFF)
        return "OCTUPLE_WIDTH=off";
    if (!oct_cpu_has(cpu, OCT_CPU_AVX2))
        return "the CPU has no AVX2";
    if (wish == OCT_WIDTH_128 || wish == OCT_WIDTH_256)
        return "OCTUPLE_WIDTH asks for it";
    if (!has_zmm(cpu))
        return "the CPU has no AVX-512";
    if (wish == OCT_WIDTH_512)
        return "OCTUPLE_WIDTH asks for it";
    return lowers_clock_under_zmm(cpu) ? "this CPU lowers its clock under 512-bit vectors"
                                       : "this CPU keeps its clock under 512-bit vectors";
}

bool oct_cpu_width_parse(enum oct_cpu_width *wish, const char *text)
{
    static const struct {
        const char *text;
        enum oct_cpu_width width;
    } words[] = {{"", OCT_WIDTH_AUTO},   {"auto", OCT_WIDTH_AUTO}, {"512", OCT_WIDTH_512},
                 {"256", OCT_WIDTH_256}, {"128", OCT_WIDTH_128},   {"off", OCT_WIDTH_OFF}};
    for (size_t i = 0; i < OCT_ARRAY_LEN(words); i++)
        if (strcmp(text ? text : "", words[i].text) == 0) {
            *wish = words[i].width;
            return true;
        }
    return false;
}
