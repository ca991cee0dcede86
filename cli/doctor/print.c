/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Findings for people, and for scripts. The names of members and findings are stable; new ones may be added.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include "doctor.h"

static const char *const levels[] = {"ok", "note", "problem"};

static const char *verdict(const struct doctor_report *report)
{
    return report->problems == 0 ? "ok" : "problem";
}

static const char *program(const struct doctor_target *target)
{
    static char clean[sizeof target->facts.program];
    memcpy(clean, target->facts.program, sizeof clean);
    return cli_clean(clean);
}

void doctor_print_text(const struct doctor_report *report, const struct doctor_target *target)
{
    printf("Program    %s", program(target));
    if (target->facts.pid != 0) {
        printf(" (process %ld%s)", (long)target->facts.pid,
               target->facts.pid != target->facts.asked ? ", started by what was asked for" : "");
    }
    putchar('\n');
    for (unsigned i = 0; i < report->count; i++) {
        const struct doctor_finding *finding = &report->finding[i];
        printf("%-10s %s: %s\n", levels[finding->level], finding->name, finding->text);
        if (finding->advice != NULL) {
            printf("           What to do: %s\n", finding->advice);
        }
    }
    if (report->problems == 0) {
        puts("Verdict    nothing stands in the way");
    } else {
        printf("Verdict    %u problem%s, of which the first is to be solved first\n", report->problems,
               report->problems > 1 ? "s" : "");
    }
}

static json_t *findings(const struct doctor_report *report)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < report->count; i++) {
        const struct doctor_finding *finding = &report->finding[i];
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:s, s:s?}", "name", finding->name, "level", levels[finding->level],
                                        "text", finding->text, "advice", finding->advice));
    }
    return array;
}

static json_t *lanes(const struct doctor_lanes *lanes)
{
    return json_pack("{s:i, s:i, s:I, s:I, s:I, s:I}", "processes", (int)lanes->read, "unreadable",
                     (int)lanes->unreadable, "done", (json_int_t)lanes->lanes, "plain", (json_int_t)lanes->plain,
                     "failed", (json_int_t)lanes->failed, "batches", (json_int_t)lanes->batches);
}

int doctor_print_json(const struct doctor_report *report, const struct doctor_target *target)
{
    json_t *object = json_pack("{s:s, s:o, s:s, s:o, s:o}", "program", program(target), "pid",
                               target->facts.pid != 0 ? json_integer(target->facts.pid) : json_null(), "verdict",
                               verdict(report), "findings", findings(report), "lanes", lanes(&target->lanes));
    char *line = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    if (line == NULL) {
        cli_say(DOCTOR_WHO, "cannot make JSON: no memory");
        return CLI_FAILED;
    }
    puts(line);
    free(line);
    return CLI_OK;
}
