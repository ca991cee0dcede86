/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Findings for people, and for scripts. The names of members and findings are stable; new ones may be added.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include "cli/core/keys.h"
#include "cli/core/stays.h"
#include "doctor.h"

static const char *const levels[] = {"ok", "note", "problem"};
static const enum cli_colour colours[] = {CLI_GREEN, CLI_YELLOW, CLI_RED};

static const char *program(const struct doctor_target *target)
{
    static char clean[sizeof target->facts.program];
    memcpy(clean, target->facts.program, sizeof clean);
    return cli_clean(clean);
}

void doctor_print_text(const struct doctor_report *report, const struct doctor_target *target)
{
    const long pid = target->facts.pid;
    char text[256];
    /* Else nothing was looked for that could stand in the way. */
    if (report->problems > 0 || target->facts.program[0] != '\0') {
        const char *verdict = doctor_verdict(report, target, text, sizeof text);
        printf("Verdict    %s%s%s\n",
               cli_colour(!strcmp(verdict, "problem") ? CLI_RED
                          : !strcmp(verdict, "ok")    ? CLI_GREEN
                                                      : CLI_YELLOW),
               text, cli_colour(CLI_PLAIN));
    }
    if (target->facts.program[0] != '\0') {
        printf("Program    %s", program(target));
        if (pid != 0)
            printf(" (process %ld%s)", pid, pid != target->facts.asked ? ", started by what was asked for" : "");
        putchar('\n');
    }
    for (unsigned i = 0; i < report->count; i++) {
        const struct doctor_finding *finding = &report->finding[i];
        printf("%s%-10s%s %s: %s\n", cli_colour(colours[finding->level]), levels[finding->level], cli_colour(CLI_PLAIN),
               finding->name, finding->text);
        if (finding->advice != NULL)
            printf("           What to do: %s\n", finding->advice);
    }
}

static json_t *lanes(const struct doctor_lanes *lanes)
{
    return json_pack("{s:i, s:i, s:I, s:I, s:I, s:I}", "processes", (int)lanes->read, "unreadable",
                     (int)lanes->unreadable, "done", (json_int_t)lanes->lanes, "fallback", (json_int_t)lanes->fallback,
                     "failed", (json_int_t)lanes->failed, "batches", (json_int_t)lanes->batches);
}

/* Names of the groups whose answer is this one. */
static json_t *groups(const struct doctor_port *port, enum doctor_answer answer)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < DOCTOR_GROUPS; i++)
        if (port->group[i] == answer)
            json_array_append_new(array, json_string(doctor_groups[i].name));
    return array;
}

static json_t *ports(const struct doctor_ports *ports)
{
    static const char *const answers[] = {"none", "tls1.3", "alert", "no-tls", "silent", "unreachable"};
    json_t *array = json_array();
    for (unsigned i = 0; i < ports->count; i++) {
        const struct doctor_port *port = &ports->port[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "address", port->name, "answer",
                                               answers[port->answer], "post_quantum", (int)doctor_is_post_quantum(port),
                                               "taken", groups(port, ANSWER_TAKEN), "refused",
                                               groups(port, ANSWER_ALERT), "not_offered", groups(port, ANSWER_NONE)));
    }
    return array;
}

int doctor_print_json(const struct doctor_report *report, const struct doctor_target *target)
{
    json_t *findings = json_array();
    char text[256];
    for (unsigned i = 0; i < report->count; i++) {
        const struct doctor_finding *finding = &report->finding[i];
        json_array_append_new(findings,
                              json_pack("{s:s, s:s, s:s, s:s?}", "name", finding->name, "level", levels[finding->level],
                                        "text", finding->text, "advice", finding->advice));
    }
    json_t *object = json_pack("{s:s?, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "program",
                               target->facts.program[0] != '\0' ? program(target) : NULL, "pid",
                               target->facts.pid != 0 ? json_integer(target->facts.pid) : json_null(), "verdict",
                               doctor_verdict(report, target, text, sizeof text), "findings", findings, "lanes",
                               lanes(&target->lanes), "handshakes", stays_json(&target->lanes.stays), "keys",
                               keys_json(&target->lanes.keys), "ports", ports(&target->ports));
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
