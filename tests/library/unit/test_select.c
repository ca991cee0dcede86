/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables */
/* src/ops/select.c: which row each family gets on known machines under each setting. No kernel runs here, so the
 * machine that runs the test does not matter; rows that this build has not are left out. */
#include "unit.h"

#include "ops/aead.h"
#include "ops/mldsa.h"
#include "ops/mlkem.h"
#include "ops/ops.h"

#if defined(OCT_HAVE_AVX512_TABLE) && defined(OCT_HAVE_NARROW_TIERS) && defined(OCT_HAVE_MIDDLE_TABLES)

#define BIT(feature) (1u << OCT_CPU_##feature)
#define CIPHERS      (BIT(AES) | BIT(PCLMULQDQ))
#define HASWELL      (CIPHERS | BIT(AVX2) | BIT(BMI2) | BIT(FMA))
#define ALDER_LAKE   (HASWELL | BIT(VAES) | BIT(VPCLMULQDQ) | BIT(GFNI))
#define SKYLAKE      (HASWELL | BIT(AVX512F) | BIT(AVX512BW) | BIT(AVX512DQ) | BIT(AVX512VL))
#define CANNON_LAKE  (SKYLAKE | BIT(AVX512IFMA) | BIT(AVX512VBMI))
#define ZEN5         (SKYLAKE | ALDER_LAKE | CANNON_LAKE | BIT(AVX512VBMI2) | BIT(AVX512VNNI))

#define NOWHERE "-"

/* Two families that are chosen alike are one column: ML-KEM with ML-DSA, the sizes of AES, the modes of SM4. */
static const struct expectation {
    const char *machine, *vendor;
    uint32_t model, features;
    const char *table, *width;
    const char *keys, *lattice, *gcm, *chacha, *sm4;
} expectations[] = {
    {"Zen 5", "AuthenticAMD", 2, ZEN5, NULL, NULL, "avx512", "avx512", "zmm", "zmm", "zmm"},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "auto", "auto", "avx512", "avx512", "zmm", "zmm", "zmm"},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "avx512", "512", "avx512", "avx512", "zmm", "zmm", "zmm"},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "auto", "256", "avx512", "avx512", "ymm", "ymm", "ymm"},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "auto", "128", "avx512", "avx512", "xmm", NOWHERE, NOWHERE},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "auto", "off", "avx512", "avx512", NOWHERE, NOWHERE, NOWHERE},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "auto", "513", "avx512", "avx512", NOWHERE, NOWHERE, NOWHERE},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "avx512f", "auto", "avx512f", "avx2", "xmm", "ymm", NOWHERE},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "avx2", "auto", "avx2", "avx2", "xmm", "ymm", NOWHERE},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "c", "auto", "c", "c", "c", "c", "c"},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "c", "512", "c", "c", "c", "c", "c"},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "off", "auto", NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE},
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "avx", "auto", NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE},
#if !defined(OCT_HAVE_AVXIFMA_TABLE)
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "ifma256", "auto", "ifma256", "avx2", "xmm", "ymm", NOWHERE},
#endif
    {"Zen 5", "AuthenticAMD", 2, ZEN5, "avx512s", NULL, "avx512s", "avx512", "zmm", "zmm", "zmm"},
    {"Ice Lake", "GenuineIntel", 0x6a, ZEN5, NULL, NULL, "avx512s", "avx512", "ymm", "ymm", "ymm"},
    {"Ice Lake", "GenuineIntel", 0x6a, ZEN5, "auto", NULL, "avx512s", "avx512", "ymm", "ymm", "ymm"},
    {"Ice Lake", "GenuineIntel", 0x6a, ZEN5, "avx512", NULL, "avx512", "avx512", "ymm", "ymm", "ymm"},
    {"Ice Lake", "GenuineIntel", 0x6a, ZEN5, NULL, "512", "avx512s", "avx512", "zmm", "zmm", "zmm"},
    {"Cannon Lake", "GenuineIntel", 0x66, CANNON_LAKE, NULL, NULL, "avx512s", "avx2", "xmm", "ymm", NOWHERE},
    {"Skylake", "GenuineIntel", 0x55, SKYLAKE, NULL, NULL, "avx512f", "avx2", "xmm", "ymm", NOWHERE},
    {"Skylake", "GenuineIntel", 0x55, SKYLAKE, "avx512s", NULL, NOWHERE, NOWHERE, "xmm", "ymm", NOWHERE},
    {"Skylake", "GenuineIntel", 0x55, SKYLAKE, "avx512", NULL, NOWHERE, NOWHERE, "xmm", "ymm", NOWHERE},
    {"Skylake", "GenuineIntel", 0x55, SKYLAKE, "avx2", NULL, "avx2", "avx2", "xmm", "ymm", NOWHERE},
    {"Alder Lake", "GenuineIntel", 0x97, ALDER_LAKE, NULL, NULL, "avx2", "avx2", "ymm", "ymm", "ymm"},
    {"Alder Lake", "GenuineIntel", 0x97, ALDER_LAKE, NULL, "512", "avx2", "avx2", "ymm", "ymm", "ymm"},
    {"Alder Lake", "GenuineIntel", 0x97, ALDER_LAKE, "avx512f", NULL, NOWHERE, NOWHERE, "xmm", "ymm", NOWHERE},
#if defined(OCT_HAVE_AVXIFMA_TABLE)
    {"Sierra Forest", "GenuineIntel", 0xaf, ALDER_LAKE | BIT(AVXIFMA), NULL, NULL, "ifma256", "avx2", "ymm", "ymm",
     "ymm"},
#else
    {"Sierra Forest", "GenuineIntel", 0xaf, ALDER_LAKE | BIT(AVXIFMA), NULL, NULL, "avx2", "avx2", "ymm", "ymm", "ymm"},
#endif
    {"Haswell", "GenuineIntel", 0x3c, HASWELL, NULL, NULL, "avx2", "avx2", "xmm", "ymm", NOWHERE},
    {"Haswell", "GenuineIntel", 0x3c, HASWELL, "avx512", NULL, NOWHERE, NOWHERE, "xmm", "ymm", NOWHERE},
    {"Haswell", "GenuineIntel", 0x3c, HASWELL, "c", NULL, "c", "c", "c", "c", "c"},
    {"no FMA", "GenuineIntel", 0x3c, HASWELL & ~BIT(FMA), NULL, NULL, NOWHERE, NOWHERE, "xmm", "ymm", NOWHERE},
    {"Westmere", "GenuineIntel", 0x2c, CIPHERS, NULL, NULL, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE},
    {"Westmere", "GenuineIntel", 0x2c, CIPHERS, "c", NULL, "c", "c", "c", "c", "c"},
    {"no x86", "", 0, 0, NULL, NULL, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE},
};

/* The name that a family's own table has. */
static const char *name_of(enum oct_selection which, const void *ops)
{
    if (!ops)
        return NOWHERE;
    return which == OCT_SELECT_PUBLIC_KEY ? ((const struct oct_ops *)ops)->name
           : which == OCT_SELECT_MLKEM    ? ((const struct oct_mlkem_ops *)ops)->name
           : which == OCT_SELECT_MLDSA    ? ((const struct oct_mldsa_ops *)ops)->name
                                          : ((const struct oct_aead_ops *)ops)->tier;
}

static void expect(const struct expectation *e, const struct oct_scope *scope, unsigned which, const char *name)
{
    const char *found = name_of(which, oct_row_next(which, scope, NULL)->ops);
    if (strcmp(found, name) != 0)
        fail_msg("%s, OCTUPLE_TABLE=%s, OCTUPLE_WIDTH=%s: family %u has %s, not %s", e->machine,
                 e->table ? e->table : "", e->width ? e->width : "", which, found, name);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *e = &expectations[i];
        struct oct_cpu cpu = {.family = 6, .model = e->model, .silicon = e->features, .usable = e->features};
        struct oct_scope scope;
        cpu.os_ymm = cpu.os_zmm = true;
        snprintf(cpu.vendor, sizeof cpu.vendor, "%s", e->vendor);
        char table[16] = "", width[16] = "";
        snprintf(table, sizeof table, "%s", e->table ? e->table : "");
        snprintf(width, sizeof width, "%s", e->width ? e->width : "");
        oct_scope_make(&scope, &cpu, e->table ? table : NULL, e->width ? width : NULL);
        memset(table, 'x', sizeof table - 1); /* as a server that writes its title over the environment */
        memset(width, 'x', sizeof width - 1);
        expect(e, &scope, OCT_SELECT_PUBLIC_KEY, e->keys);
        expect(e, &scope, OCT_SELECT_MLKEM, e->lattice);
        expect(e, &scope, OCT_SELECT_MLDSA, e->lattice);
        for (unsigned aead = OCT_AEAD_AES_128_GCM; aead <= OCT_AEAD_AES_256_GCM; aead++)
            expect(e, &scope, OCT_SELECT_AEAD + aead, e->gcm);
        expect(e, &scope, OCT_SELECT_AEAD + OCT_AEAD_CHACHA20_POLY1305, e->chacha);
        expect(e, &scope, OCT_SELECT_AEAD + OCT_AEAD_SM4_GCM, e->sm4);
        expect(e, &scope, OCT_SELECT_AEAD + OCT_AEAD_SM4_CCM, e->sm4);
    }
}

/* A cipher's row that fails its known answer leaves the place to the next one that fits, and the last one to none. */
static void test_next(void **state)
{
    const unsigned which = OCT_SELECT_AEAD + OCT_AEAD_AES_128_GCM;
    static const char *const name[] = {"zmm", "ymm", "xmm", NOWHERE};
    struct oct_cpu cpu = {.vendor = "AuthenticAMD", .silicon = ZEN5, .usable = ZEN5};
    const struct oct_row *row = NULL;
    struct oct_scope scope;
    (void)state;
    oct_scope_make(&scope, &cpu, NULL, NULL);
    for (int i = 0; i < 4; i++) {
        row = oct_row_next(which, &scope, row);
        assert_string_equal(name_of(which, row->ops), name[i]);
    }
}

/* ChaCha20-Poly1305 of short texts goes by ymm only where zmm is two halves: on Zen 4. */
static void test_halves(void **state)
{
    const unsigned which = OCT_SELECT_AEAD + OCT_AEAD_CHACHA20_POLY1305;
    static const struct {
        const char *vendor;
        uint32_t family, features;
        bool halved;
    } machines[] = {
        {"AuthenticAMD", 25, ZEN5, true}, {"AuthenticAMD", 26, ZEN5, false}, {"AuthenticAMD", 25, HASWELL, false},
        {"GenuineIntel", 6, ZEN5, false}, {"GenuineIntel", 25, ZEN5, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct oct_cpu cpu = {
            .family = machines[i].family, .silicon = machines[i].features, .usable = machines[i].features};
        struct oct_scope scope;
        snprintf(cpu.vendor, sizeof cpu.vendor, "%s", machines[i].vendor);
        oct_scope_make(&scope, &cpu, NULL, NULL);
        assert_int_equal(oct_row_next(which, &scope, NULL)->halved, machines[i].halved);
    }
}

#endif

/* What this process has is the first row that it permits, and tests may run it. */
static void test_this_process(void **state)
{
    (void)state;
    for (unsigned which = 0; which < OCT_SELECTIONS; which++) {
        const char *reason = NULL;
        const void *ops = oct_selected(which, &reason);
        unsigned i = 0;
        assert_non_null(reason);
        assert_ptr_equal(ops, oct_row_next(which, oct_scope(), NULL)->ops);
        assert_non_null(oct_runnable(which, 0));
        while (ops && oct_runnable(which, i) && oct_runnable(which, i) != ops)
            i++;
        assert_true(!ops || oct_runnable(which, i) == ops);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if defined(OCT_HAVE_AVX512_TABLE) && defined(OCT_HAVE_NARROW_TIERS) && defined(OCT_HAVE_MIDDLE_TABLES)
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_next),
        cmocka_unit_test(test_halves),
#endif
        cmocka_unit_test(test_this_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
