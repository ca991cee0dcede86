# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Planted kernels, each with one thing that must be found, compiled by both compilers; and clean ones with what
compilers do to loop counters and pointers, which must pass."""
import shutil

import pytest
from tests.tools.conftest import Tree, run_tool

AVX512 = ("-O3", "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512ifma", "-mbmi2")
COMPILERS = [c for c in ("gcc", "clang") if shutil.which(c)]

PROLOGUE = """#include <immintrin.h>
#include <stdint.h>
#include <stddef.h>
struct args { uint64_t *work; unsigned count; const uint64_t *in; uint64_t *out; };
#define INNER static __attribute__((noinline))
"""

CLEAN = PROLOGUE + """
INNER void step(__m512i *t, const __m512i *a, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        t[i] = _mm512_madd52lo_epu64(t[i], a[i], a[0]);
}
INNER void choose(__m512i *t, __mmask8 m[4], unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        t[i] = _mm512_mask_blend_epi64(m[i % 4], t[i], t[n]);
}
void oct_avx512_clean(const struct args *args)
{
    __mmask8 m[4];
    __m512i *t = (__m512i *)args->work;
    for (unsigned i = 0; i < 4; i++)
        m[i] = _mm512_test_epi64_mask(t[i], _mm512_set1_epi64(1 << i));
    for (unsigned round = 0; round < 1000; round++) {
        step(t, (const __m512i *)args->in, args->count);
        choose(t, m, args->count);
        if (args->count == 2)
            step(t + 64, (const __m512i *)args->in, 20);
    }
    for (unsigned i = 0; i < args->count; i++)
        _mm512_store_si512(args->out + 8 * i, t[i]);
}
"""

# What is public of a register is its lowest byte; of two addresses in the struct of arguments a public count chooses
# one, or it is added to one; an address goes by way of a vector register.
BYTES = PROLOGUE + """
void oct_avx512_bytes(const struct args *a)
{
    __asm__ volatile("mov (%0), %%rax\\n\\tcmp $3, %1\\n\\tsetb %%al\\n\\tor $2, %%al\\n\\ttest %%al, %%al\\n\\t"
                     "jz 1f\\n\\tmovzbl %%al, %%eax\\n\\tcmp $3, %%eax\\n\\tjz 1f\\n\\tvzeroupper\\n1:"
                     : : "r"(a->in), "r"(a->count) : "rax", "cc");
    __asm__ volatile("lea 16(%0), %%rax\\n\\tlea 24(%0), %%rcx\\n\\tcmp $3, %1\\n\\tcmovb %%rcx, %%rax\\n\\t"
                     "mov (%%rax), %%rax\\n\\tmov (%%rax), %%rax"
                     : : "r"(a), "r"(a->count) : "rax", "rcx", "cc");
    __asm__ volatile("mov %1, %%eax\\n\\tshl $3, %%rax\\n\\tadd %0, %%rax\\n\\tmov (%%rax), %%rax\\n\\t"
                     "mov (%%rax), %%rax"
                     : : "r"(a), "r"(a->count) : "rax", "cc");
    __asm__ volatile("vmovq (%0), %%xmm0\\n\\tvmovq %%xmm0, %%rax\\n\\tmov (%%rax), %%rcx\\n\\ttest %%rax, %%rax\\n\\t"
                     "jz 1f\\n\\tvzeroupper\\n1:"
                     : : "r"(&a->in) : "rax", "rcx", "xmm0", "cc");
    a->out[0] = a->in[1];
}
"""

PLANTED = {
    "a branch on data: a word": ("a branch on data", """
void oct_avx512_k(const struct args *a)
{
    if (a->in[3] & 1)
        a->out[0] = a->out[5] * 3;
}"""),
    "a branch on a mask": ("a branch on data", """
INNER void more(uint64_t *p) { p[0] += 7; }
void oct_avx512_k(const struct args *a)
{
    __m512i x = _mm512_load_si512(a->in);
    if (_mm512_test_epi64_mask(x, x))
        more(a->out);
}"""),
    "a branch on a lane": ("a branch on data", """
INNER void more(uint64_t *p) { p[0] += 7; }
void oct_avx512_k(const struct args *a)
{
    __m512i x = _mm512_load_si512(a->in);
    if (_mm_cvtsi128_si64(_mm512_castsi512_si128(x)) == 5)
        more(a->out);
}"""),
    "a loop as long as data says": ("a branch on data", """
void oct_avx512_k(const struct args *a)
{
    for (uint64_t i = 0; i < a->in[0]; i++)
        _mm512_store_si512(a->work + 8 * i, _mm512_setzero_si512());
}"""),
    "an index of data": ("an address from data", """
void oct_avx512_k(const struct args *a)
{
    _mm512_store_si512(a->out, _mm512_load_si512(a->work + 8 * (a->in[1] & 15)));
}"""),
    "data handed to a callee as a count": ("a branch on data", """
INNER void step(__m512i *t, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        t[i] = _mm512_add_epi64(t[i], t[i + 1]);
}
void oct_avx512_k(const struct args *a)
{
    step((__m512i *)a->work, a->in[2]);
}"""),
    "data that comes back from a callee": ("a branch on data", """
INNER uint64_t top(const uint64_t *x) { __asm__ volatile(""); return x[7] >> 63; }
INNER void more(uint64_t *p) { p[0] += 7; }
void oct_avx512_k(const struct args *a)
{
    if (top(a->in))
        more(a->out);
}"""),
    "data by way of the stack": ("a branch on data", """
INNER void fill(uint64_t *t, const __m512i *x) { _mm512_storeu_si512(t, *x); }
INNER void more(uint64_t *p) { p[0] += 7; }
void oct_avx512_k(const struct args *a)
{
    uint64_t t[8] = {0};
    fill(t, (const __m512i *)a->in);
    for (unsigned i = 0; i < 8; i++)
        if (t[i] == 1)
            more(a->out);
}"""),
    "a byte of data above a public one": ("a branch on data", """
void oct_avx512_k(const struct args *a)
{
    __asm__ volatile("mov (%0), %%rax\\n\\tcmp $3, %1\\n\\tsetb %%al\\n\\ttest %%ah, %%ah\\n\\t"
                     "jz 1f\\n\\tvzeroupper\\n1:"
                     : : "r"(a->in), "r"(a->count) : "rax", "cc");
}"""),
    "a whole word of which one byte is public": ("a branch on data", """
void oct_avx512_k(const struct args *a)
{
    __asm__ volatile("mov (%0), %%rax\\n\\tcmp $3, %1\\n\\tsetb %%al\\n\\ttest %%eax, %%eax\\n\\t"
                     "jz 1f\\n\\tvzeroupper\\n1:"
                     : : "r"(a->in), "r"(a->count) : "rax", "cc");
}"""),
    "a word of data by way of a vector": ("a branch on data", """
void oct_avx512_k(const struct args *a)
{
    __asm__ volatile("vmovq (%0), %%xmm0\\n\\tvmovq %%xmm0, %%rax\\n\\ttest %%rax, %%rax\\n\\t"
                     "jz 1f\\n\\tvzeroupper\\n1:"
                     : : "r"(a->in) : "rax", "xmm0", "cc");
}"""),
    "a byte of data in a public word": ("a branch on data", """
void oct_avx512_k(const struct args *a)
{
    __asm__ volatile("xor %%eax, %%eax\\n\\tmov (%0), %%al\\n\\ttest %%eax, %%eax\\n\\tjz 1f\\n\\tvzeroupper\\n1:"
                     : : "r"(a->in) : "rax", "cc");
}"""),
    "an argument that data chooses": ("an address from data", """
void oct_avx512_k(const struct args *a)
{
    __asm__ volatile("lea 16(%0), %%rax\\n\\tlea 24(%0), %%rcx\\n\\tcmpq $3, (%1)\\n\\tcmovb %%rcx, %%rax\\n\\t"
                     "mov (%%rax), %%rax\\n\\tvzeroupper"
                     : : "r"(a), "r"(a->in) : "rax", "rcx", "cc");
}"""),
    "gather": ("gather or scatter", """
void oct_avx512_k(const struct args *a)
{
    __m512i i = _mm512_load_si512(a->in);
    _mm512_store_si512(a->out, _mm512_i64gather_epi64(i, a->work, 8));
}"""),
    "scatter": ("gather or scatter", """
void oct_avx512_k(const struct args *a)
{
    __m512i i = _mm512_load_si512(a->in);
    _mm512_i64scatter_epi64(a->out, i, i, 8);
}"""),
    "division": ("a division", """
void oct_avx512_k(const struct args *a)
{
    a->out[0] = a->in[0] / a->in[1];
    _mm512_store_si512(a->work, _mm512_setzero_si512());
}"""),
    "a high register in a low function": ("a register that nobody clears", """
INNER void k_low16(uint64_t *p)
{
    __asm__ volatile("vpaddq (%0), %%zmm17, %%zmm17" : : "r"(p) : "xmm17");
}
void oct_avx512_k(const struct args *a)
{
    k_low16(a->work);
}"""),
    "an indirect call": ("an indirect", """
void oct_avx512_k(const struct args *a)
{
    void (*f)(uint64_t *) = (void (*)(uint64_t *))a->in;
    f(a->out);
    _mm512_store_si512(a->work, _mm512_setzero_si512());
}"""),
}


def check(tree):
    return run_tool("check-isa", tree.path / "build", "--root", tree.path)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("protector", ["-fstack-protector-strong", "-fno-stack-protector"])
def test_clean(tree, compiler, protector):
    tree.write("src/kernels/k.c", CLEAN)
    tree.compile("src/kernels/k.c", *AVX512, protector, compiler=compiler)
    tree.write("src/api/a.c", "int oct_f(int x) { return x / 3; }\n")
    tree.compile("src/api/a.c", compiler=compiler)
    tree.write("src/kernels/b.c", BYTES)
    tree.compile("src/kernels/b.c", *AVX512, protector, compiler=compiler)
    result = check(tree)
    assert result.status == 0, result.out


def place(name):
    return f"src/kernels/{name.replace(' ', '_').replace(':', '')}.c"


@pytest.fixture(scope="module", params=COMPILERS)
def planted(request, tmp_path_factory):
    """What is said of all of them in one tree, with a clean one among them."""
    tree = Tree(tmp_path_factory.mktemp(request.param))
    for name, source in {**{name: PROLOGUE + source for name, (_, source) in PLANTED.items()}, "clean": CLEAN}.items():
        tree.write(place(name), source)
        tree.compile(place(name), *AVX512, compiler=request.param)
    return check(tree)


@pytest.mark.parametrize("name", PLANTED)
def test_planted(planted, name):
    assert planted.finds(place(name) + ":", PLANTED[name][0]), planted.out
    assert not planted.finds(place("clean")), planted.out


def test_zmm_outside_the_kernels(tree):
    tree.write("src/api/a.c", PROLOGUE + CLEAN[len(PROLOGUE):])
    tree.compile("src/api/a.c", *AVX512)
    assert check(tree).finds("src/api/a.c", "outside")


def test_avx_by_attribute_outside_the_kernels(tree):
    tree.write("src/kernels/k.c", CLEAN)
    tree.compile("src/kernels/k.c", *AVX512)
    tree.write("src/api/a.c", PROLOGUE + '__attribute__((target("avx512f"))) void oct_f(uint64_t *p)\n'
               "{ _mm512_store_si512(p, _mm512_setzero_si512()); }\n")
    tree.compile("src/api/a.c")
    assert check(tree).finds("src/api/a.c", "an AVX instruction")


def test_zmm_in_the_linked_library(tree):
    tree.write("src/kernels/k.c", CLEAN)
    out = tree.compile("src/kernels/k.c", *AVX512)
    stranger = tree.write("stranger.c", PROLOGUE + "void stranger(uint64_t *p)\n"
                          "{ _mm512_store_si512(p, _mm512_setzero_si512()); }\n")
    tree.link("liboctuple.so", "-fPIC", "-O2", *AVX512, out, stranger)
    assert check(tree).finds("liboctuple.so", "stranger uses zmm")


def test_no_backend(tree):
    tree.write("src/api/a.c", "int oct_f(int x) { return x; }\n")
    tree.compile("src/api/a.c")
    assert check(tree).finds("no avx512 backend")
