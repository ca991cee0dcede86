/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What a run has found, for people and for programs. */
#include "load.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const failure_name[LOAD_VERDICTS] = {
    [LOAD_FAILED_CONNECT] = "connect", [LOAD_FAILED_ALERT] = "alert",     [LOAD_FAILED_EOF] = "eof",
    [LOAD_FAILED_RESET] = "reset",     [LOAD_FAILED_TIMEOUT] = "timeout", [LOAD_FAILED_PROTOCOL] = "protocol",
};

struct summary {
    uint64_t completed, failed;
    double rate, goodput, cpu_us, mean, p50, p90, p99, max; /* latencies in microseconds */
};

static struct summary summarize(const struct load_result *result)
{
    const struct load_hist *latency = &result->latency;
    struct summary sum = {.completed = result->verdict[LOAD_COMPLETED]};
    for (int i = LOAD_FAILED_CONNECT; i < LOAD_VERDICTS; i++)
        sum.failed += result->verdict[i];
    double completed = sum.completed ? (double)sum.completed : 1;
    sum.rate = result->seconds > 0 ? (double)sum.completed / result->seconds : 0;
    sum.goodput = result->counted_seconds > 0 ? (double)result->counted / result->counted_seconds : 0;
    sum.cpu_us = (result->user_seconds + result->system_seconds) * 1e6 / completed;
    sum.mean = (double)latency->sum / (latency->count ? (double)latency->count : 1) / 1e3;
    sum.p50 = (double)load_hist_quantile(latency, 0.50) / 1e3;
    sum.p90 = (double)load_hist_quantile(latency, 0.90) / 1e3;
    sum.p99 = (double)load_hist_quantile(latency, 0.99) / 1e3;
    sum.max = (double)latency->max / 1e3;
    return sum;
}

/* The text is ours or strerror()'s: it has no control characters. */
static void print_json_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_failures_json(const struct load_run *run, const struct load_result *result)
{
    const char *comma = "";
    printf("\"failed\":{");
    for (int i = LOAD_FAILED_CONNECT; i < LOAD_VERDICTS; i++, comma = ",")
        printf("%s\"%s\":%" PRIu64, comma, failure_name[i], result->verdict[i]);
    printf("},\"alerts\":{");
    comma = "";
    for (int i = 0; i < 256; i++) {
        if (!run->alerts[i])
            continue;
        printf("%s\"%d\":%" PRIu64, comma, i, run->alerts[i]);
        comma = ",";
    }
    printf("},\"first_failure\":");
    print_json_string(run->first_failure);
}

static void print_json(const struct load_run *run, const struct load_result *result, const struct summary *sum)
{
    printf("{\"begun\":%" PRIu64 ",\"completed\":%" PRIu64 ",\"aborted\":%" PRIu64 ",\"left\":%" PRIu64
           ",\"came_again\":%" PRIu64 ",\"failed_total\":%" PRIu64 ",",
           result->begun, sum->completed, result->verdict[LOAD_ABORTED], result->verdict[LOAD_LEFT], result->came_again,
           sum->failed);
    print_failures_json(run, result);
    printf(",\"overdue\":%" PRIu64 ",\"seconds\":%.6f,\"handshakes_per_s\":%.2f,\"goodput_per_s\":%.2f,",
           result->overdue, result->seconds, sum->rate, sum->goodput);
    printf("\"latency_us\":{\"mean\":%.2f,\"p50\":%.2f,\"p90\":%.2f,\"p99\":%.2f,\"max\":%.2f},", sum->mean, sum->p50,
           sum->p90, sum->p99, sum->max);
    printf("\"cpu_seconds\":{\"user\":%.6f,\"system\":%.6f},\"cpu_us_per_handshake\":%.2f}\n", result->user_seconds,
           result->system_seconds, sum->cpu_us);
}

static void print_text(const struct load_run *run, const struct load_result *result, const struct summary *sum)
{
    printf("completed   %" PRIu64 " of %" PRIu64 " in %.3f s: %.1f handshakes/s\n", sum->completed, result->begun,
           result->seconds, sum->rate);
    printf("latency     p50 %.0f us, p90 %.0f us, p99 %.0f us, max %.0f us\n", sum->p50, sum->p90, sum->p99, sum->max);
    printf("client CPU  %.1f us a handshake\n", sum->cpu_us);
    if (result->verdict[LOAD_ABORTED])
        printf("aborted     %" PRIu64 " as planned\n", result->verdict[LOAD_ABORTED]);
    if (result->verdict[LOAD_LEFT])
        printf("left        %" PRIu64 ", as their patience was over; %" PRIu64 " came again\n",
               result->verdict[LOAD_LEFT], result->came_again);
    if (result->verdict[LOAD_LEFT] || run->options->warm_up > 0)
        printf("goodput     %.1f handshakes/s between the warm-up and the last arrival\n", sum->goodput);
    if (result->overdue)
        printf("overdue     %" PRIu64 " could not begin in time: offer less, or allow more --connections\n",
               result->overdue);
    for (int i = LOAD_FAILED_CONNECT; i < LOAD_VERDICTS; i++)
        if (result->verdict[i])
            printf("failed      %" PRIu64 " by %s\n", result->verdict[i], failure_name[i]);
    for (int i = 0; i < 256; i++)
        if (run->alerts[i])
            printf("alert       %d, %" PRIu64 " times\n", i, run->alerts[i]);
    if (run->first_failure[0])
        printf("the first   %s\n", run->first_failure);
    if (result->verdict[LOAD_FAILED_TIMEOUT] && run->options->tls == 13 && run->options->proof == LOAD_PROOF_TICKET)
        printf("hint        does the server send tickets? If not, use --proof close\n");
}

void load_report_print(const struct load_run *run, const struct load_result *result)
{
    struct summary sum = summarize(result);
    if (run->options->json)
        print_json(run, result, &sum);
    else
        print_text(run, result, &sum);
}
