/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Reads CPUID and XCR0: the only file that asks the machine. */
#include "cpu/cpu.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

#define LEAF1_ECX_OSXSAVE (1u << 27)

static void read_subleaf(struct oct_cpuid *leaf, uint32_t number, uint32_t subleaf)
{
    __cpuid_count(number, subleaf, leaf->eax, leaf->ebx, leaf->ecx, leaf->edx);
}

static void read_leaf(struct oct_cpuid *leaf, uint32_t number)
{
    read_subleaf(leaf, number, 0);
}

/* Only allowed when CPUID shows OSXSAVE; faults otherwise. */
static uint64_t read_xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

void oct_cpu_registers_read(struct oct_cpu_registers *regs)
{
    memset(regs, 0, sizeof *regs);
    read_leaf(&regs->leaf0, 0);
    if (regs->leaf0.eax >= 1)
        read_leaf(&regs->leaf1, 1);
    /* A leaf above the highest answers with another leaf's data on Intel: ask only for what is there. */
    if (regs->leaf0.eax >= 7)
        read_leaf(&regs->leaf7, 7);
    /* Subleaf 0 says which is the last. */
    if (regs->leaf7.eax >= 1)
        read_subleaf(&regs->leaf7_1, 7, 1);
    if (regs->leaf1.ecx & LEAF1_ECX_OSXSAVE)
        regs->xcr0 = read_xcr0();
}

void oct_cpu_registers_read_brand(struct oct_cpu_registers *regs)
{
    struct oct_cpuid extended;

    read_leaf(&extended, 0x80000000u);
    for (uint32_t i = 0; i < 3; i++)
        if (extended.eax >= 0x80000002u + i)
            read_leaf(&regs->brand[i], 0x80000002u + i);
}

#else

void oct_cpu_registers_read(struct oct_cpu_registers *regs)
{
    memset(regs, 0, sizeof *regs);
}

void oct_cpu_registers_read_brand(struct oct_cpu_registers *regs)
{
    (void)regs;
}

#endif
