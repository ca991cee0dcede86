/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * From one stack to another. A function's caller expects its callee-saved registers, the control word of the x87 and
 * the control bits of MXCSR as they were (System V ABI); nothing else is kept. The signal mask is the thread's.
 *
 * With shadow stacks (CET) each stack would need one of those as well. Where they are on, OpenSSL's fibres are used,
 * for which the C library does that.
 */
#include "fibre.h"

#include <stdint.h>

#if defined(__x86_64__)

#include <cpuid.h>

/* The outermost frame of a fibre says that there is none outside of it, for unwinders. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl oct_switch\n"
        ".hidden oct_switch\n"
        ".type oct_switch, @function\n"
        "oct_switch:\n"
        ".cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset rbp, 0\n"
        "    pushq %rbx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset rbx, 0\n"
        "    pushq %r12\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset r12, 0\n"
        "    pushq %r13\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset r13, 0\n"
        "    pushq %r14\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset r14, 0\n"
        "    pushq %r15\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset r15, 0\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n"
        "    fldcw 4(%rsp)\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %r15\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_restore r15\n"
        "    popq %r14\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_restore r14\n"
        "    popq %r13\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_restore r13\n"
        "    popq %r12\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_restore r12\n"
        "    popq %rbx\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_restore rbx\n"
        "    popq %rbp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_restore rbp\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size oct_switch, .-oct_switch\n"
        ".p2align 4\n"
        ".type switch_start, @function\n"
        "switch_start:\n"
        ".cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    nop\n" /* an unwinder looks at the byte in front of a return address */
        "    movq %r12, %rdi\n"
        "    call *%r13\n"
        "    ud2\n"
        ".cfi_endproc\n"
        ".size switch_start, .-switch_start\n");

extern const char switch_start[] __attribute__((visibility("hidden")));

/* As oct_switch() leaves it. */
struct saved {
    uint32_t mxcsr;
    uint16_t x87, unused;
    uint64_t r15, r14, r13, r12, rbx, rbp;
    const void *back;
};

void *oct_switch_prepare(void *top, void (*start)(void *arg), void *arg)
{
    struct saved *saved = (struct saved *)top - 1;

    *saved = (struct saved){.r13 = (uint64_t)(uintptr_t)start, .r12 = (uint64_t)(uintptr_t)arg, .back = switch_start};
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(saved->mxcsr), "=m"(saved->x87));
    return saved;
}

/* The instruction that reads the shadow stack's pointer does nothing where there is none. Only a CPU that has them is
 * asked: emulators may not know it. */
bool oct_fibre_possible(void)
{
    unsigned a, b, c = 0, d;
    uint64_t shadow = 0;

    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & 1u << 7) != 0)
        __asm__ volatile("rdsspq %0" : "+r"(shadow));
    return shadow == 0;
}

#else

void oct_switch(void **from, void *to)
{
    (void)from, (void)to;
}

void *oct_switch_prepare(void *top, void (*start)(void *arg), void *arg)
{
    (void)start, (void)arg;
    return top;
}

bool oct_fibre_possible(void)
{
    return false;
}

#endif
