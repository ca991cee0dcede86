/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Findings on the ports of a server: the groups that each takes. A server without post-quantum groups works, so that is
 * a note. A problem is only an address that was given and does not speak TLS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/ssl.h>
#include "doctor.h"

#define NAME "groups"

static void append(char *text, size_t room, const char *before, const char *word)
{
    size_t len = strlen(text);
    snprintf(text + len, room - len, "%s%s", len > 0 ? before : "", word);
}

/* "A, B"; "" if there are none. */
static void list_groups(char *text, size_t room, const struct doctor_port *port, enum doctor_answer from,
                        enum doctor_answer to)
{
    text[0] = '\0';
    for (unsigned i = 0; i < DOCTOR_GROUPS; i++)
        if (port->group[i] >= from && port->group[i] <= to)
            append(text, room, ", ", doctor_groups[i].name);
}

static void judge_port(struct doctor_report *report, const struct doctor_port *port, bool given)
{
    const enum doctor_level level = given ? DOCTOR_PROBLEM : DOCTOR_NOTE;
    if (port->answer == ANSWER_TAKEN) {
        char taken[128], refused[128];
        list_groups(taken, sizeof taken, port, ANSWER_TAKEN, ANSWER_TAKEN);
        list_groups(refused, sizeof refused, port, ANSWER_ALERT, ANSWER_UNREACHABLE);
        doctor_add(report, doctor_is_post_quantum(port) ? DOCTOR_OK : DOCTOR_NOTE, NAME, NULL, "%s takes %s%s%s%s",
                   port->name, taken, refused[0] != '\0' ? "; it does not take " : "", refused,
                   doctor_offered_post_quantum(port)
                       ? ""
                       : "; this command has no post-quantum groups to offer, neither of OpenSSL nor of the provider");
        if (port->odd_rsa != 0)
            doctor_say(report, SAY(CERTIFICATE_ODD), port->name, port->odd_rsa);
    } else if (port->answer == ANSWER_ALERT && port->error == SSL_AD_PROTOCOL_VERSION) {
        doctor_say(report, SAY(PORTS_OLD_TLS), port->name);
    } else if (port->answer == ANSWER_ALERT) {
        doctor_say(report, SAY(PORTS_REFUSES), port->name, SSL_alert_desc_string_long(port->error));
    } else if (port->answer == ANSWER_PLAIN) {
        doctor_add(report, level, NAME, NULL, "%s: no TLS there", port->name);
    } else if (port->answer == ANSWER_SILENT) {
        doctor_add(report, level, NAME, NULL,
                   "%s: no answer within %d ms: there is no TLS, or the server has no time for it", port->name,
                   DOCTOR_MILLISECONDS);
    } else if (port->answer == ANSWER_UNREACHABLE) {
        doctor_add(report, level, NAME, NULL, "%s cannot be reached: %s", port->name, strerror(port->error));
    } else {
        doctor_add(report, level, NAME, NULL, "%s was not asked: this command cannot make handshakes", port->name);
    }
}

void doctor_judge_ports(struct doctor_report *report, const struct doctor_target *target)
{
    const struct doctor_ports *ports = &target->ports;
    char where[512] = "";
    bool elsewhere = false;
    if (ports->obstacle != NULL)
        doctor_add(report, DOCTOR_NOTE, NAME, ports->advice, "no handshake was tried: %s", ports->obstacle);
    for (unsigned i = 0; i < ports->count; i++) {
        const struct doctor_port *port = &ports->port[i];
        judge_port(report, port, ports->given);
        elsewhere |= doctor_is_post_quantum(port);
        /* There is something to explain: one might have been taken, and none was. */
        if (port->answer == ANSWER_TAKEN && doctor_offered_post_quantum(port) && !doctor_is_post_quantum(port))
            append(where, sizeof where, ", ", port->name);
    }
    if (ports->missed > 0)
        doctor_say(report, SAY(PORTS_MORE), ports->missed);
    if (where[0] != '\0')
        doctor_judge_why(report, target, where, elsewhere);
}
