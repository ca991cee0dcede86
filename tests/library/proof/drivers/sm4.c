/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4: all rounds of blocks, forwards and backwards, under one key and under keys of their own; columns of keys. */
#include "kernels/sm4/sm4_columns_impl.h"

typedef struct {
    int line;
} v8;
#include "proof.h"

static bv input(const char *name, int i)
{
    printf("input:%s:%d ", name, i);
    return (bv){oct_proof_record("", 0, 0, 0, UINT64_MAX)};
}
static void output(const char *name, bv a)
{
    const v8 x = {a.line};
    proof_output(&x, 1, name);
}

static void blocks(const char *name, const int n, const uint8_t (*key)[4], const int how)
{
    struct sm4_set s[SM4_SETS];
    bv out[4];
    proof_begin(name);
    if (how & SM4_COLUMNS)
        for (int i = 0; i < SM4_ROUNDS; i++)
            bv_store((uint8_t *)key[4 * i], input("column", i));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < 4; i++)
            s[j].word[i] = input("x", 4 * j + i);
        sm4_enter(&s[j]);
    }
    sm4_rounds(s, n, key, how);
    for (int j = 0; j < n; j++) {
        sm4_leave(out, &s[j]);
        for (int i = 0; i < 4; i++)
            output("r", out[i]);
    }
}

int main(void)
{
    static uint8_t key[SM4_ROUNDS][4], column[SM4_ROUNDS][SM4_VECTOR], keys[SM4_SET][4 * SM4_ROUNDS];
    const uint8_t *each[SM4_SET];
    for (uint32_t i = 0; i < SM4_ROUNDS; i++)
        memcpy(key[i], &i, sizeof i);
    blocks("alone", 1, key, SM4_FORWARDS);
    blocks("alone_back", 1, key, SM4_BACKWARDS);
    blocks("sets", SM4_SETS, key, SM4_FORWARDS);
    blocks("sets_back", SM4_SETS, key, SM4_BACKWARDS);
    blocks("columns", 1, (const uint8_t(*)[4])column, SM4_COLUMNS);
    blocks("columns_back", 1, (const uint8_t(*)[4])column, SM4_COLUMNS | SM4_BACKWARDS);

    /* The last key is that of nobody: the first one stands in its place. */
    proof_begin("turn");
    for (int t = 0; t < SM4_SET; t++) {
        for (int i = 0; i < SM4_ROUNDS / 4; i++)
            bv_store(keys[t] + 16 * i, input("key", SM4_ROUNDS / 4 * t + i));
        each[t] = keys[t];
    }
    sm4_columns(column, each, 0, SM4_SET - 1, 0);
    for (int i = 0; i < SM4_ROUNDS; i++)
        output("column", bv_load(column[i]));
    return 0;
}
