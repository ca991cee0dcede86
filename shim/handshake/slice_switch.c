/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The switch of slices, for x86-64 and the System V ABI. A function's caller expects its callee-saved registers, the
 * control word of the x87 and the control bits of MXCSR as they were; nothing else is kept. The signal mask is the
 * thread's.
 *
 * The frame that a slice begins in has a caller that changes: whoever resumed it last. Its unwind table says so, by an
 * expression that reads the present caller's stack pointer. All three functions save the same registers at the same
 * places, so that an exception finds those of the present caller.
 *
 * Nothing is ever below the stack pointer that a signal could overwrite: a slice is copied from below it, and before it
 * is put back the stack pointer goes below its place.
 */
#include "handshake/slice.h"

#include "handshake/sanitize.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(struct oct_switch, caller) == 0 && offsetof(struct oct_switch, low) == 8 &&
                   offsetof(struct oct_switch, aside) == 16 && offsetof(struct oct_switch, stand) == 24,
               "the assembly knows these places");

/* clang-format off */
#if defined(__x86_64__)
#define SAVE(reg)                                                                                                      \
    "    pushq %" #reg "\n"                                                                                            \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    .cfi_rel_offset " #reg ", 0\n"
#define RESTORE(reg)                                                                                                   \
    "    popq %" #reg "\n"                                                                                             \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    "    .cfi_restore " #reg "\n"
#define SAVE_ALL                                                                                                       \
    SAVE(rbp) SAVE(rbx) SAVE(r12) SAVE(r13) SAVE(r14) SAVE(r15)                                                        \
    "    subq $8, %rsp\n"                                                                                              \
    "    .cfi_adjust_cfa_offset 8\n"                                                                                   \
    "    stmxcsr (%rsp)\n"                                                                                             \
    "    fnstcw 4(%rsp)\n"
#define RESTORE_ALL                                                                                                    \
    "    ldmxcsr (%rsp)\n"                                                                                             \
    "    fldcw 4(%rsp)\n"                                                                                              \
    "    addq $8, %rsp\n"                                                                                              \
    "    .cfi_adjust_cfa_offset -8\n"                                                                                  \
    RESTORE(r15) RESTORE(r14) RESTORE(r13) RESTORE(r12) RESTORE(rbx) RESTORE(rbp)                                      \
    "    ret\n"
/* The canonical frame address is 64 bytes above the stack pointer at *(rbx + 0): DW_CFA_def_cfa_expression with
 * DW_OP_breg3 0, DW_OP_deref, DW_OP_plus_uconst 64. */
#define PRESENT_CALLER ".cfi_escape 0x0f, 0x05, 0x73, 0x00, 0x06, 0x23, 0x40\n"
#define FUNCTION(name)                                                                                                 \
    ".p2align 4\n"                                                                                                     \
    ".globl " #name "\n"                                                                                               \
    ".hidden " #name "\n"                                                                                              \
    ".type " #name ", @function\n"                                                                                     \
    #name ":\n"                                                                                                        \
    ".cfi_startproc\n"                                                                                                 \
    "    endbr64\n"
#define END(name)                                                                                                      \
    ".cfi_endproc\n"                                                                                                   \
    ".size " #name ", .-" #name "\n"

__asm__(".text\n"
        FUNCTION(oct_switch_begin)
        SAVE_ALL
        "    movq %rdi, %rbx\n"
        "    movq %rsp, (%rbx)\n"
        "    .cfi_remember_state\n"
        PRESENT_CALLER
        "    movq %rcx, %rsp\n"
        "    pushq %rbx\n"
        "    pushq %rbx\n"
        "    movq %rdx, %rdi\n"
        "    call *%rsi\n"
        "    movl $1, %r12d\n"
        ".Loct_switch_back:\n"
        "    cmpq $0, 16(%rbx)\n"
        "    je 1f\n"
        "    movq 16(%rbx), %rsp\n"
        "    subq $256, %rsp\n"
        "    andq $-16, %rsp\n"
        "    movq %rbx, %rdi\n"
        "    call oct_switch_put_back\n"
        "1:\n"
        "    movq (%rbx), %rsp\n"
        "    .cfi_restore_state\n"
        "    movl %r12d, %eax\n"
        RESTORE_ALL
        END(oct_switch_begin)

        FUNCTION(oct_switch_leave)
        SAVE_ALL
        "    movq %rsp, 8(%rdi)\n"
        "    movq %rdi, %rbx\n"
        "    call oct_switch_save\n"
        "    xorl %r12d, %r12d\n"
        "    testb %al, %al\n"
        "    jne .Loct_switch_back\n"
        "    xorl %eax, %eax\n"
        RESTORE_ALL
        END(oct_switch_leave)

        FUNCTION(oct_switch_resume)
        SAVE_ALL
        "    movq %rdi, %rbx\n"
        "    movq %rsp, (%rbx)\n"
        "    .cfi_remember_state\n"
        PRESENT_CALLER
        "    movq %rsp, %rsi\n"
        "    movq 24(%rbx), %rax\n"
        "    testq %rax, %rax\n"
        "    jne 1f\n"
        "    movq 8(%rbx), %rax\n"
        "    cmpq %rax, %rsp\n"
        "    cmovb %rsp, %rax\n"
        "1:\n"
        "    movq %rax, %rsp\n"
        "    subq $256, %rsp\n"
        "    andq $-16, %rsp\n"
        "    call oct_switch_put_in_place\n"
        "    movq 8(%rbx), %rsp\n"
        "    .cfi_restore_state\n"
        "    movl $1, %eax\n"
        RESTORE_ALL
        END(oct_switch_resume));

/* clang-format on */

#include <cpuid.h>
#include <dlfcn.h>
#include <stdint.h>

/* The instruction that reads the shadow stack's pointer does nothing where there is none. Only a CPU that has them is
 * asked: emulators may not know it. */
static bool has_shadow_stack(void)
{
    unsigned a, b, c = 0, d;
    uint64_t shadow = 0;

    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & 1u << 7) != 0)
        __asm__ volatile("rdsspq %0" : "+r"(shadow));
    return shadow != 0;
}

/* A program that was built with one of these keeps account of every frame. */
static bool is_watched(void)
{
#if defined(OCT_ASAN) || defined(OCT_TSAN)
    return false; /* then this library is built with it too, and tells it */
#else
    return dlsym(RTLD_DEFAULT, "__asan_init") != NULL || dlsym(RTLD_DEFAULT, "__tsan_init") != NULL ||
           dlsym(RTLD_DEFAULT, "__hwasan_init") != NULL;
#endif
}

bool oct_slice_possible(void)
{
    return !has_shadow_stack() && !is_watched();
}

#else
/* clang-format on */

bool oct_switch_begin(struct oct_switch *s, void (*begin)(void *arg), void *arg, uintptr_t top)
{
    (void)s, (void)begin, (void)arg, (void)top;
    return true;
}

bool oct_switch_leave(struct oct_switch *s)
{
    (void)s;
    return false;
}

bool oct_switch_resume(struct oct_switch *s)
{
    (void)s;
    return true;
}

bool oct_slice_possible(void)
{
    return false;
}
#endif

/* A sanitizer must not see these bytes pass: between a program's variables lie its traps. */
static void copy(void *to, const void *from, size_t bytes)
{
#if defined(OCT_ASAN) || defined(OCT_TSAN)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
    memcpy(to, from, bytes);
#endif
}

#if defined(OCT_ASAN)
/* AddressSanitizer keeps a byte for each eight of the stack. Those of a slice go with it, and its place is clean. */
#define SHADOW_OF(address)     ((char *)(((address) >> 3) + 0x7fff8000))
#define SHADOW_BYTES(low, top) (((top) >> 3) - ((low) >> 3))
#endif

bool oct_stack_copy_reserve(struct oct_stack_copy *to, size_t size)
{
    if (size <= to->room)
        return true;
    oct_stack_copy_free(to);
    to->bytes = oct_ssl()->CRYPTO_malloc(size, __FILE__, __LINE__);
    if (to->bytes == NULL)
        return false;
    to->room = size;
#if defined(OCT_ASAN)
    to->shadow = malloc(size / 8 + 2);
#endif
    return true;
}

bool oct_stack_copy_out(struct oct_stack_copy *to, uintptr_t low, uintptr_t top)
{
    const size_t size = top - low;

    if (!oct_stack_copy_reserve(to, size))
        return false;
    to->size = size;
    copy(to->bytes, (const void *)low, size);
#if defined(OCT_ASAN)
    copy(to->shadow, SHADOW_OF(low), SHADOW_BYTES(low, top));
    ASAN_UNPOISON_MEMORY_REGION((void *)low, size);
#endif
    return true;
}

void oct_stack_copy_in(const struct oct_stack_copy *from, uintptr_t low)
{
    copy((void *)low, from->bytes, from->size);
#if defined(OCT_ASAN)
    copy(SHADOW_OF(low), from->shadow, SHADOW_BYTES(low, low + from->size));
#endif
}

/* The copy may hold secrets of the handshake. */
void oct_stack_copy_free(struct oct_stack_copy *from)
{
    if (from->bytes != NULL)
        explicit_bzero(from->bytes, from->room);
    oct_ssl()->CRYPTO_free(from->bytes, __FILE__, __LINE__);
#if defined(OCT_ASAN)
    free(from->shadow);
#endif
    *from = (struct oct_stack_copy){0};
}

/* The three that the assembly calls, all from below what they copy. */
bool oct_switch_save(struct oct_switch *s);
void oct_switch_put_in_place(struct oct_switch *s, uintptr_t caller);
void oct_switch_put_back(struct oct_switch *s);

bool oct_switch_save(struct oct_switch *s)
{
    if (!oct_stack_copy_out(&s->copy, s->low, s->top))
        return false;
#if !defined(NDEBUG) && !defined(OCT_ASAN)
    memset((void *)s->low, 0xa5, s->top - s->low); /* who still reads there finds it out */
#endif
    oct_switch_copied(s);
    return true;
}

void oct_switch_put_in_place(struct oct_switch *s, uintptr_t caller)
{
    if (s->overlaps) {
        const uintptr_t low = caller < s->low ? caller : s->low, from = s->stand != 0 ? s->stand : low;
        s->aside = oct_stack_copy_out(&s->frames, from, s->top) ? from : 0;
    }
    oct_stack_copy_in(&s->copy, s->low);
}

void oct_switch_put_back(struct oct_switch *s)
{
    oct_stack_copy_in(&s->frames, s->aside);
    s->aside = 0;
    oct_stack_copy_free(&s->frames);
}
