/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * All ECDH vectors through the C API, eight cases at a time; each runs in three different lanes, among different
 * neighbours. On the portable table, which is slow and whose lanes are rounds of a loop, in one, and with
 * OCT_TEST_DEPTH=exhaustive in three too.
 *
 * A strictly encoded public key is judged by the vector: valid means this secret, invalid means refused. Where only the
 * wrapping is broken, which the API never sees, its point is judged by libcrypto, and by the vector's secret if that
 * calls the case acceptable. A key without an uncompressed point is not for the API; no valid case is of that kind.
 *
 * usage: kat_api_ecdh VECTORS...      (OCTUPLE_TABLE says on which table)
 */
#include "ec_peer.h"

#include "depth.h"
#include "ec_ref.h"

#include <octuple/octuple.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX OCT_EC_MAX_BYTES

struct task {
    const struct rec_case *c;
    enum ec_peer_form form;
    uint8_t scalar[MAX], peer[2 * MAX], out[MAX];
    uint8_t want[MAX]; /* by libcrypto, which takes or refuses it */
    int expected;
};

static struct ec_ref ref;
static unsigned strict, broken, without;

/* The cases of a file that have a point. */
static size_t read_tasks(struct task *task, const struct rec_file *file)
{
    const int spki = strcmp(file->kind, "ecdh-spki") == 0;
    size_t count = 0;
    REC_REQUIRE(spki || strcmp(file->kind, "ecdh-point") == 0);
    for (size_t i = 0; i < file->count; i++) {
        const struct rec_case *c = &file->cases[i];
        struct task *t = &task[count];
        struct rec_bytes peer = rec_field(c, "peer"), scalar = rec_field(c, "scalar");
        const uint8_t *point;
        t->c = c;
        t->form = (spki ? ec_peer_spki : ec_peer_point)(&point, ref.curve, peer);
        ec_peer_number(t->scalar, ref.curve, scalar);
        REC_REQUIRE(ec_peer_curve(c) == ref.curve);
        if (t->form != EC_PEER_NONE) {
            memcpy(t->peer, point, 2 * ref.bytes);
            t->expected = ec_ref_derive(&ref, t->want, t->scalar, t->peer);
            count++;
        } else {
            REC_REQUIRE(!rec_is(c, "valid"));
            without++;
        }
        strict += t->form == EC_PEER_STRICT;
        broken += t->form == EC_PEER_BROKEN;
        free(peer.data);
        free(scalar.data);
    }
    return count;
}

static void judge(const struct rec_file *file, const struct task *t, unsigned ok, unsigned invalid)
{
    struct rec_bytes shared = rec_field(t->c, "shared");
    rec_check(file, t->c, (int)ok == t->expected && (int)invalid == !t->expected, "refused or not, as libcrypto says");
    rec_check(file, t->c, memcmp(t->out, t->want, ref.bytes) == 0, "libcrypto's secret, or zero");
    if (t->form == EC_PEER_STRICT && !rec_is(t->c, "acceptable"))
        rec_check(file, t->c, (int)ok == rec_is(t->c, "valid"), "refused or not, as the vector says");
    if (ok && !rec_is(t->c, "invalid"))
        rec_check(file, t->c, shared.len == ref.bytes && memcmp(t->out, shared.data, ref.bytes) == 0, "secret");
    free(shared.data);
}

static void run_batch(const struct rec_file *file, struct task *const task[], unsigned lanes)
{
    struct oct_ec_derive_lane lane[OCT_LANES];
    struct oct_lanes result;
    for (unsigned i = 0; i < lanes; i++)
        lane[i] = (struct oct_ec_derive_lane){task[i]->scalar, task[i]->peer, task[i]->out};
    REC_REQUIRE(oct_ec_derive_x8(ref.curve, lane, lanes, &result) == OCT_OK);
    for (unsigned i = 0; i < lanes; i++)
        judge(file, task[i], result.ok >> i & 1, result.invalid >> i & 1);
}

static void run_file(const char *path, unsigned rounds)
{
    struct rec_file file;
    rec_load(&file, path);
    ec_ref_open(&ref, ec_peer_curve(&file.cases[0]));
    struct task *task = calloc(file.count, sizeof *task);
    REC_REQUIRE(task);
    strict = broken = without = 0;
    const size_t count = read_tasks(task, &file);
    REC_REQUIRE(count >= OCT_LANES && count + without == file.count);
    for (unsigned round = 0; round < rounds; round++)
        for (size_t at = 0; at < count; at += OCT_LANES) {
            const unsigned lanes = count - at < OCT_LANES ? (unsigned)(count - at) : OCT_LANES;
            struct task *batch[OCT_LANES];
            for (unsigned i = 0; i < lanes; i++)
                batch[i] = &task[(at + i + 37 * round) % count];
            run_batch(&file, batch, lanes);
        }
    printf("%s: %zu cases: %u strict, %u with a broken wrapping, %u without an uncompressed point\n", path, file.count,
           strict, broken, without);
    free(task);
    ec_ref_close(&ref);
    rec_unload(&file);
}

int main(int argc, char **argv)
{
    struct oct_cpu_info info;
    REC_REQUIRE(argc >= 2);
    oct_cpu_info_get(&info);
    for (int curve = 0; curve < OCT_EC_CURVES; curve++)
        if (!oct_op_is_on(oct_ec_derive_op(curve))) {
            printf("SKIP: %s\n", oct_op_reason(oct_ec_derive_op(curve)));
            return 77;
        }
    printf("table %s\n", info.table);
    for (int i = 1; i < argc; i++)
        run_file(argv[i], amount_of_lanes(info.table));
    return rec_end();
}
