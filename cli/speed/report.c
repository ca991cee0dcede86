/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The output of `octuple speed`. The JSON form is stable: {"op", "octuple_per_s", "openssl_per_s", "ratio", "unit"},
 * one object a line, null for what could not be measured.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <jansson.h>
#include <openssl/crypto.h>
#include "speed.h"

static void text_head(int core, double seconds)
{
    struct oct_cpu_info cpu;
    oct_cpu_info_get(&cpu);
    printf("%s, table %s, one thread", cpu.brand, cpu.table);
    if (core >= 0)
        printf(" on core %d", core);
    printf("\nagainst %s; eight keys (RSA: two), %g s for each operation\n\n", OpenSSL_version(OPENSSL_VERSION),
           seconds);
    printf("%-26s %14s %14s %9s\n", "operation", "Octuple", "OpenSSL", "ratio");
    fflush(stdout);
}

static int text_row(const struct speed_op *op, const struct speed_result *result)
{
    const int digits = speed_op_is_bytes(op) ? 2 : 0;
    char octuple[32] = "off", openssl[32] = "none", ratio[32] = "-";
    if (result->octuple_per_s > 0)
        snprintf(octuple, sizeof octuple, "%.*f %s", digits, result->octuple_per_s, op->unit);
    if (result->openssl_per_s > 0)
        snprintf(openssl, sizeof openssl, "%.*f %s", digits, result->openssl_per_s, op->unit);
    if (result->ratio > 0)
        snprintf(ratio, sizeof ratio, "%.2fx", result->ratio);
    printf("%-26s %14s %14s %9s\n", op->name, octuple, openssl, ratio);
    fflush(stdout);
    return 1;
}

static void json_head(int core, double seconds)
{
    (void)core;
    (void)seconds;
}

/* Null where something was not measured. Rates to a tenth (of GB/s: to a thousandth), ratios to a thousandth: more
 * would be noise. */
static json_t *rounded(double value, double steps)
{
    return value > 0 ? json_real(round(value * steps) / steps) : json_null();
}

static int json_row(const struct speed_op *op, const struct speed_result *result)
{
    const double steps = speed_op_is_bytes(op) ? 1000 : 10;
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:o, s:s}", "op", op->name, "octuple_per_s", rounded(result->octuple_per_s, steps),
                  "openssl_per_s", rounded(result->openssl_per_s, steps), "ratio", rounded(result->ratio, 1000), "unit",
                  op->unit);
    char *line = object != NULL ? json_dumps(object, JSON_REAL_PRECISION(12)) : NULL;
    json_decref(object);
    if (line == NULL) {
        cli_say("octuple speed", "cannot make JSON: no memory");
        return 0;
    }
    puts(line);
    fflush(stdout);
    free(line);
    return 1;
}

const struct speed_report speed_report_text = {text_head, text_row};
const struct speed_report speed_report_json = {json_head, json_row};
