/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All X25519 vectors through the C API, eight cases at a time; each case runs in three different lanes, among different
 * neighbours. Wycheproof calls "acceptable" what a library may refuse (twist, small order, not canonical): RFC 7748
 * computes them, and so do we, except that a result of zero is reported as an invalid lane.
 *
 * usage: kat_api_x25519 VECTORS      (OCTUPLE_TABLE says on which table)
 */
#include "records.h"

#include <octuple/octuple.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 3

static unsigned zeros;

static void judge(const struct rec_file *file, const struct rec_case *c, const uint8_t *out, unsigned bit,
                  const struct oct_lanes *result)
{
    static const uint8_t zero[OCT_X25519_BYTES];
    struct rec_bytes want = rec_field(c, "shared");
    REC_REQUIRE(want.len == OCT_X25519_BYTES && !rec_is(c, "invalid"));
    const int is_zero = memcmp(want.data, zero, want.len) == 0;
    REC_REQUIRE(is_zero == rec_has_flag(c, "ZeroSharedSecret"));
    zeros += (unsigned)is_zero;
    rec_check(file, c, ((result->ok & bit) != 0) == !is_zero, "ok");
    rec_check(file, c, ((result->invalid & bit) != 0) == is_zero, "invalid");
    rec_check(file, c, memcmp(out, want.data, want.len) == 0, "shared secret");
    free(want.data);
}

static void run_batch(const struct rec_file *file, size_t at, unsigned lanes)
{
    struct oct_x25519_lane lane[OCT_LANES];
    struct oct_lanes result;
    struct rec_bytes scalar[OCT_LANES], peer[OCT_LANES];
    uint8_t out[OCT_LANES][OCT_X25519_BYTES];
    for (unsigned i = 0; i < lanes; i++) {
        const struct rec_case *c = &file->cases[(at + i) % file->count];
        scalar[i] = rec_field(c, "scalar");
        peer[i] = rec_field(c, "peer");
        REC_REQUIRE(scalar[i].len == OCT_X25519_BYTES && peer[i].len == OCT_X25519_BYTES);
        lane[i] = (struct oct_x25519_lane){scalar[i].data, peer[i].data, out[i]};
    }
    REC_REQUIRE(oct_x25519_derive_x8(lane, lanes, &result) == OCT_OK);
    for (unsigned i = 0; i < lanes; i++) {
        judge(file, &file->cases[(at + i) % file->count], out[i], 1u << i, &result);
        free(scalar[i].data);
        free(peer[i].data);
    }
}

int main(int argc, char **argv)
{
    struct rec_file file;
    struct oct_cpu_info info;
    REC_REQUIRE(argc == 2);
    oct_cpu_info_get(&info);
    if (!oct_op_is_on(OCT_OP_X25519_DERIVE)) {
        printf("SKIP: %s\n", oct_op_reason(OCT_OP_X25519_DERIVE));
        return 77;
    }
    rec_load(&file, argv[1]);
    REC_REQUIRE(strcmp(file.kind, "x25519-derive") == 0);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (size_t at = 0; at < file.count; at += OCT_LANES)
            run_batch(&file, at + 37 * round, file.count - at < OCT_LANES ? (unsigned)(file.count - at) : OCT_LANES);
    printf("table %s: %zu cases in %d rounds, %u results of zero\n", info.table, file.count, ROUNDS, zeros);
    rec_unload(&file);
    return rec_end();
}
