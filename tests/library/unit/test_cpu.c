/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/cpu: the registers of known machines before the judge, and this machine against what its kernel says. */
#include "unit.h"

#include "cpu/cpu.h"
#include "ops/select.h"

#define BIT(n)           (1u << (n))
#define XCR0_X87_SSE_AVX 0x7u
#define XCR0_AVX512      0xe7u

/* Leaf 7 EBX: bmi2 and avx2; avx512 f, dq, ifma, bw, vl, and sha. Leaf 7 ECX: vbmi, vbmi2, gfni, vaes, vpclmulqdq,
 * vnni. Leaf 1 ECX: pclmulqdq, fma, aes, osxsave. Leaf 7, subleaf 1, EAX: avxifma. */
#define EBX_AVX2    (BIT(5) | BIT(8))
#define EBX_SKYLAKE (EBX_AVX2 | BIT(16) | BIT(17) | BIT(30) | BIT(31))
#define EBX_ICELAKE (EBX_SKYLAKE | BIT(21) | BIT(29))
#define ECX_ICELAKE (BIT(1) | BIT(6) | BIT(8) | BIT(9) | BIT(10) | BIT(11))
#define ECX1        (BIT(1) | BIT(12) | BIT(25) | BIT(27))
#define EAX_AVXIFMA BIT(23)

static void set_text(uint32_t *word, const char *text)
{
    memcpy(word, text, 4);
}

static struct oct_cpu_registers machine(const char *vendor, uint32_t signature, uint32_t ebx, uint32_t ecx,
                                        uint64_t xcr0)
{
    struct oct_cpu_registers regs = {.leaf0.eax = 16, .leaf1.eax = signature, .leaf1.ecx = ECX1, .xcr0 = xcr0};
    regs.leaf7.ebx = ebx;
    regs.leaf7.ecx = ecx;
    set_text(&regs.leaf0.ebx, vendor);
    set_text(&regs.leaf0.edx, vendor + 4);
    set_text(&regs.leaf0.ecx, vendor + 8);
    return regs;
}

static struct oct_cpu judged(struct oct_cpu_registers regs)
{
    struct oct_cpu cpu;
    memset(&cpu, 0xaa, sizeof cpu);
    oct_cpu_judge(&cpu, &regs);
    return cpu;
}

static struct oct_cpu zen5(void)
{
    return judged(machine("AuthenticAMD", 0x00b00f21, EBX_ICELAKE, ECX_ICELAKE, XCR0_AVX512));
}

static void test_zen5(void **state)
{
    struct oct_cpu cpu = zen5();
    (void)state;
    assert_string_equal(cpu.vendor, "AuthenticAMD");
    assert_int_equal(cpu.family, 0x1a);
    assert_int_equal(cpu.model, 0x02);
    assert_int_equal(cpu.stepping, 1);
    for (unsigned i = 0; i < OCT_CPU_AVXIFMA; i++)
        assert_true(oct_cpu_has(&cpu, i));
    assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_AVX512));
    assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_AVX512F));
    assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_AVX2));
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_AUTO), OCT_WIDTH_512);
}

static void test_ice_lake_server(void **state)
{
    struct oct_cpu cpu = judged(machine("GenuineIntel", 0x000606a6, EBX_ICELAKE, ECX_ICELAKE, XCR0_AVX512));
    (void)state;
    assert_int_equal(cpu.family, 6);
    assert_int_equal(cpu.model, 0x6a);
    assert_int_equal(cpu.stepping, 6);
    assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_AVX512));
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_AUTO), OCT_WIDTH_256);
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_512), OCT_WIDTH_512);
}

static void test_sapphire_rapids(void **state)
{
    struct oct_cpu cpu = judged(machine("GenuineIntel", 0x000806f8, EBX_ICELAKE, ECX_ICELAKE, XCR0_AVX512));
    (void)state;
    assert_int_equal(cpu.model, 0x8f);
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_AUTO), OCT_WIDTH_512);
}

/* The model numbers of one vendor say nothing about another's. */
static void test_model_is_the_vendors(void **state)
{
    struct oct_cpu cpu = judged(machine("AuthenticAMD", 0x000606a6, EBX_ICELAKE, ECX_ICELAKE, XCR0_AVX512));
    (void)state;
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_AUTO), OCT_WIDTH_512);
}

static void test_skylake_server_has_no_ifma(void **state)
{
    struct oct_cpu cpu = judged(machine("GenuineIntel", 0x00050654, EBX_SKYLAKE, 0, XCR0_AVX512));
    (void)state;
    assert_int_equal(cpu.model, 0x55);
    assert_true(oct_cpu_has(&cpu, OCT_CPU_AVX512F));
    assert_string_equal(oct_cpu_missing(&cpu, OCT_NEEDS_AVX512), "avx512ifma is missing");
    assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_AVX512F));
    assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_AVX2));
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_AUTO), OCT_WIDTH_256);
}

static void test_no_avx512(void **state)
{
    struct oct_cpu cpu = judged(machine("GenuineIntel", 0x000306c3, EBX_AVX2, 0, XCR0_X87_SSE_AVX));
    (void)state;
    assert_non_null(strstr(oct_cpu_missing(&cpu, OCT_NEEDS_AVX512), "avx512f"));
    assert_true(oct_cpu_has(&cpu, OCT_CPU_AVX2));
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_512), OCT_WIDTH_256);
}

/* Haswell has all that avx2 needs, Sandy Bridge has not; and each of the three, alone missing. */
static void test_avx2(void **state)
{
    struct oct_cpu_registers regs = machine("GenuineIntel", 0x000306c3, EBX_AVX2, 0, XCR0_X87_SSE_AVX);
    struct oct_cpu cpu = judged(regs);
    (void)state;
    assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_AVX2));
    assert_non_null(strstr(oct_cpu_missing(&cpu, OCT_NEEDS_AVX512F), "avx512f"));
    assert_non_null(oct_cpu_missing(&cpu, OCT_NEEDS_IFMA256));
    regs.leaf1.ecx = ECX1 & ~BIT(12);
    cpu = judged(regs);
    assert_string_equal(oct_cpu_missing(&cpu, OCT_NEEDS_AVX2), "fma is missing");
    regs.leaf1.ecx = ECX1;
    regs.leaf7.ebx = BIT(5);
    cpu = judged(regs);
    assert_string_equal(oct_cpu_missing(&cpu, OCT_NEEDS_AVX2), "bmi2 is missing");
    regs.leaf7.ebx = BIT(8);
    cpu = judged(regs);
    assert_non_null(strstr(oct_cpu_missing(&cpu, OCT_NEEDS_AVX2), "AVX2"));
    regs = machine("GenuineIntel", 0x000306c3, EBX_AVX2, 0, 3);
    cpu = judged(regs);
    assert_non_null(strstr(oct_cpu_missing(&cpu, OCT_NEEDS_AVX2), "operating system"));
}

/* Sierra Forest: AVX-IFMA and no AVX-512. Whether its table is built depends on the compiler. */
static void test_avx_ifma(void **state)
{
    struct oct_cpu_registers regs = machine("GenuineIntel", 0x000a06f3, EBX_AVX2, 0, XCR0_X87_SSE_AVX);
    struct oct_cpu cpu;
    (void)state;
    regs.leaf7_1.eax = EAX_AVXIFMA;
    cpu = judged(regs);
    assert_true(oct_cpu_has(&cpu, OCT_CPU_AVXIFMA));
    assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_AVX2));
#if defined(OCT_HAVE_AVXIFMA_TABLE)
    assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_IFMA256));
#else
    assert_non_null(oct_cpu_missing(&cpu, OCT_NEEDS_IFMA256));
#endif
}

/* What a CPU has besides goes with the table that is wished for. */
static void test_limit(void **state)
{
    struct oct_cpu cpu = zen5();
    (void)state;
    assert_true(oct_cpu_limit(&cpu, NULL) && oct_cpu_limit(&cpu, "") && oct_cpu_limit(&cpu, "auto"));
    assert_true(oct_cpu_limit(&cpu, "avx512"));
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_AUTO), OCT_WIDTH_512);
    assert_true(oct_cpu_has(&cpu, OCT_CPU_AVX512IFMA));
    assert_false(oct_cpu_limit(&cpu, "off") || oct_cpu_limit(&cpu, "c") || oct_cpu_limit(&cpu, "avx"));
    assert_true(oct_cpu_limit(&cpu, "avx512f"));
    assert_false(oct_cpu_has(&cpu, OCT_CPU_AVX512IFMA));
    assert_true(oct_cpu_has(&cpu, OCT_CPU_AVX512F));
    cpu = zen5();
    assert_true(oct_cpu_limit(&cpu, "avx2"));
    assert_false(oct_cpu_has(&cpu, OCT_CPU_AVX512F) || oct_cpu_has(&cpu, OCT_CPU_VAES));
    assert_true(oct_cpu_has(&cpu, OCT_CPU_AVX2) && oct_cpu_has(&cpu, OCT_CPU_AES));
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_AUTO), OCT_WIDTH_256);
}

/* Each of the six that the avx512 table needs, alone missing. */
static void test_each_needed_feature(void **state)
{
    static const struct {
        unsigned bit;
        const char *name;
    } needed[] = {{16, "avx512f"},  {30, "avx512bw"},   {17, "avx512dq"},
                  {31, "avx512vl"}, {21, "avx512ifma"}, {8, "bmi2"}};
    (void)state;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        uint32_t ebx = EBX_ICELAKE & ~BIT(needed[i].bit);
        struct oct_cpu cpu = judged(machine("AuthenticAMD", 0x00b00f21, ebx, ECX_ICELAKE, XCR0_AVX512));
        const char *missing = oct_cpu_missing(&cpu, OCT_NEEDS_AVX512);
        assert_non_null(missing);
        assert_non_null(strstr(missing, needed[i].name));
    }
}

/* Kernels on lanes of 16 bits need all of that and three more. */
static void test_each_feature_of_lattices(void **state)
{
    static const struct {
        unsigned bit;
        const char *name;
    } needed[] = {{1, "avx512vbmi is"}, {6, "avx512vbmi2 is"}, {11, "avx512vnni is"}};
    struct oct_cpu cpu = zen5();
    (void)state;
    assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_LATTICE512));
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        cpu = judged(machine("AuthenticAMD", 0x00b00f21, EBX_ICELAKE, ECX_ICELAKE & ~BIT(needed[i].bit), XCR0_AVX512));
        assert_non_null(strstr(oct_cpu_missing(&cpu, OCT_NEEDS_LATTICE512), needed[i].name));
        assert_null(oct_cpu_missing(&cpu, OCT_NEEDS_AVX512));
    }
    cpu = judged(machine("AuthenticAMD", 0x00b00f21, EBX_ICELAKE & ~BIT(21), ECX_ICELAKE, XCR0_AVX512));
    assert_non_null(strstr(oct_cpu_missing(&cpu, OCT_NEEDS_LATTICE512), "avx512ifma"));
    cpu = judged(machine("AuthenticAMD", 0x00b00f21, EBX_ICELAKE, ECX_ICELAKE, XCR0_X87_SSE_AVX));
    assert_non_null(strstr(oct_cpu_missing(&cpu, OCT_NEEDS_LATTICE512), "operating system"));
}

static void assert_no_zmm(uint64_t xcr0)
{
    struct oct_cpu cpu = judged(machine("AuthenticAMD", 0x00b00f21, EBX_ICELAKE, ECX_ICELAKE, xcr0));
    assert_true(cpu.silicon >> OCT_CPU_AVX512F & 1);
    assert_false(oct_cpu_has(&cpu, OCT_CPU_AVX512F));
    assert_false(oct_cpu_has(&cpu, OCT_CPU_AVX512IFMA));
    assert_non_null(strstr(oct_cpu_missing(&cpu, OCT_NEEDS_AVX512), "operating system"));
    assert_int_not_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_512), OCT_WIDTH_512);
}

/* AVX-512 needs all of: xmm, ymm, masks, both parts of zmm. */
static void test_system_without_zmm(void **state)
{
    (void)state;
    for (unsigned bit = 1; bit <= 7; bit++)
        if (BIT(bit) & 0xe6u)
            assert_no_zmm(XCR0_AVX512 & ~(uint64_t)BIT(bit));
    assert_no_zmm(XCR0_X87_SSE_AVX);
    assert_no_zmm(0);
}

static void test_system_without_xsave(void **state)
{
    struct oct_cpu cpu = judged(machine("AuthenticAMD", 0x00b00f21, EBX_ICELAKE, ECX_ICELAKE, 0));
    (void)state;
    assert_false(oct_cpu_has(&cpu, OCT_CPU_AVX2));
    assert_false(oct_cpu_has(&cpu, OCT_CPU_VAES));
    assert_true(oct_cpu_has(&cpu, OCT_CPU_AES));
    assert_true(oct_cpu_has(&cpu, OCT_CPU_SHA));
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_AUTO), OCT_WIDTH_OFF);
}

static void test_no_cpuid_at_all(void **state)
{
    struct oct_cpu cpu = judged((struct oct_cpu_registers){.xcr0 = 0});
    (void)state;
    assert_int_equal(cpu.usable, 0);
    assert_string_equal(cpu.brand, "");
    assert_non_null(oct_cpu_missing(&cpu, OCT_NEEDS_AVX512));
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_512), OCT_WIDTH_OFF);
}

static void test_width_wishes(void **state)
{
    struct oct_cpu cpu = zen5();
    (void)state;
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_OFF), OCT_WIDTH_OFF);
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_256), OCT_WIDTH_256);
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_512), OCT_WIDTH_512);
    assert_int_equal(oct_cpu_width_choose(&cpu, OCT_WIDTH_128), OCT_WIDTH_128);
}

/* Whoever is told a width is told why. */
static void test_width_reasons(void **state)
{
    const struct oct_cpu good = zen5(), none = judged((struct oct_cpu_registers){.xcr0 = 0});
    const struct oct_cpu narrow = judged(machine("GenuineIntel", 0x000306c3, EBX_AVX2, 0, XCR0_X87_SSE_AVX));
    const struct oct_cpu slows = judged(machine("GenuineIntel", 0x00050654, EBX_SKYLAKE, 0, XCR0_AVX512));
    (void)state;
    assert_non_null(strstr(oct_cpu_width_reason(&good, OCT_WIDTH_AUTO), "keeps its clock"));
    assert_non_null(strstr(oct_cpu_width_reason(&slows, OCT_WIDTH_AUTO), "lowers its clock"));
    assert_non_null(strstr(oct_cpu_width_reason(&slows, OCT_WIDTH_512), "OCTUPLE_WIDTH"));
    assert_non_null(strstr(oct_cpu_width_reason(&narrow, OCT_WIDTH_512), "no AVX-512"));
    assert_non_null(strstr(oct_cpu_width_reason(&narrow, OCT_WIDTH_128), "OCTUPLE_WIDTH"));
    assert_non_null(strstr(oct_cpu_width_reason(&none, OCT_WIDTH_AUTO), "no AVX2"));
    assert_non_null(strstr(oct_cpu_width_reason(&good, OCT_WIDTH_OFF), "off"));
}

static void test_width_words(void **state)
{
    static const char *const word[] = {NULL, "", "auto", "512", "256", "128", "off"};
    static const int width[] = {-1, -1, -1, 512, 256, 128, 0};
    (void)state;
    for (int i = 0; i < 7; i++) {
        enum oct_cpu_width wish = 99;
        assert_true(oct_cpu_width_parse(&wish, word[i]));
        assert_int_equal(wish, width[i]);
        wish = 99;
        assert_false(oct_cpu_width_parse(&wish, "512 "));
        assert_int_equal(wish, 99);
    }
}

static void assert_brand(const char text[49], const char *expected)
{
    struct oct_cpu_registers regs = machine("GenuineIntel", 0x000606a6, 0, 0, 0);
    memcpy(regs.brand, text, 48);
    struct oct_cpu cpu = judged(regs);
    assert_string_equal(cpu.brand, expected);
}

static void test_brand(void **state)
{
    (void)state;
    assert_brand("      Intel(R) Core(TM) i7 CPU @ 2.00GHz\0\0\0\0\0\0\0\0", "Intel(R) Core(TM) i7 CPU @ 2.00GHz");
    assert_brand("AMD EPYC 9755 128-Core Processor                ", "AMD EPYC 9755 128-Core Processor");
    assert_brand("0123456789012345678901234567890123456789ABCDEFGH",
                 "0123456789012345678901234567890123456789ABCDEFGH");
    assert_brand("                                                ", "");
}

static void test_describe(void **state)
{
    struct oct_cpu cpu = judged(machine("GenuineIntel", 0x00050654, EBX_SKYLAKE, 0, XCR0_AVX512));
    struct oct_cpu_info info = {.table = "kept", .table_reason = "kept too"};
    (void)state;
    oct_cpu_describe(&info, &cpu);
    assert_string_equal(info.table, "kept");
    assert_string_equal(info.table_reason, "kept too");
    assert_int_equal(info.model, 0x55);
    assert_int_equal(info.feature_count, OCT_CPU_SHOWN);
    for (unsigned i = 0; i < info.feature_count; i++) {
        assert_string_equal(info.feature[i].name, oct_cpu_feature_name(i));
        assert_int_equal(info.feature[i].present, oct_cpu_has(&cpu, i));
    }
    assert_null(oct_cpu_feature_name(OCT_CPU_FEATURES));
}

/* The kernel lists a feature only if it switched it on, under names that differ a little. */
static const char *kernel_name(unsigned feature)
{
    return feature == OCT_CPU_AVX512VBMI2  ? "avx512_vbmi2"
           : feature == OCT_CPU_AVX512VNNI ? "avx512_vnni"
           : feature == OCT_CPU_AVXIFMA    ? "avx_ifma"
           : feature == OCT_CPU_SHA        ? "sha_ni"
                                           : oct_cpu_feature_name(feature);
}

static int line_has(const char *line, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = line; (at = strstr(at, word)) != NULL; at += len)
        if (at[-1] == ' ' && (at[len] == ' ' || at[len] == '\n'))
            return 1;
    return 0;
}

static void test_this_machine(void **state)
{
    static char line[1 << 16];
    struct oct_cpu cpu;
    (void)state;
    oct_cpu_detect(&cpu);
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "flags\t", 6) == 0)
            break;
    if (f != NULL)
        fclose(f);
    if (f == NULL || strncmp(line, "flags\t", 6) != 0) {
        print_message("skipped: this kernel shows no x86 flags in /proc/cpuinfo\n");
        skip();
    }
    for (unsigned i = 0; i < OCT_CPU_FEATURES; i++)
        assert_int_equal(oct_cpu_has(&cpu, i), line_has(line, kernel_name(i)));
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_zen5, test_ice_lake_server, test_sapphire_rapids, test_model_is_the_vendors,
                     test_skylake_server_has_no_ifma, test_no_avx512, test_avx2, test_avx_ifma, test_limit,
                     test_each_needed_feature, test_each_feature_of_lattices, test_system_without_zmm,
                     test_system_without_xsave, test_no_cpuid_at_all, test_width_wishes, test_width_reasons,
                     test_width_words, test_brand, test_describe, test_this_machine);
}
