/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Breadth first: from each state that is new, each act. A state is reached again by its acts from a fresh world on, and
 * known by what can make a difference in it. A way that is wrong ends by a jump; then the process is used no more.
 *
 * usage: octuple_test_model [--mutants] WAYS
 *        octuple_test_model --way SETTING ACT...
 * So many are walked in each setting. --mutants leads each entry of the table to each other state, one by one. --way
 * goes one of them, for a debugger.
 */
#include "model.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX 64

struct node {
    uint32_t from;
    uint8_t act, depth;
};

static struct node *nodes;
static size_t node_count, node_room;
static uint64_t *seen;
static size_t seen_room, seen_count;
static unsigned long ways;
static unsigned way[DEPTH_MAX], way_length;
static const char *found;
static jmp_buf out;
static const struct setting *walked;

_Noreturn void wrong(const char *what)
{
    found = what;
    longjmp(out, 1);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* True if it was not known. */
static bool is_new(uint64_t state)
{
    state += state == 0;
    if (seen_count * 2 >= seen_room) {
        uint64_t *old = seen;
        const size_t room = seen_room;
        seen_room = room != 0 ? room * 2 : 1 << 16;
        seen = calloc(seen_room, sizeof *seen);
        seen_count = 0;
        for (size_t i = 0; i < room; i++)
            if (old[i] != 0)
                (void)is_new(old[i]);
        free(old);
    }
    size_t at = state & (seen_room - 1);
    while (seen[at] != 0 && seen[at] != state)
        at = (at + 1) & (seen_room - 1);
    if (seen[at] == state)
        return false;
    seen[at] = state;
    seen_count++;
    return true;
}

static void add(uint32_t from, unsigned act, unsigned depth)
{
    if (node_count == node_room) {
        node_room = node_room != 0 ? node_room * 2 : 1 << 16;
        nodes = realloc(nodes, node_room * sizeof *nodes);
    }
    nodes[node_count++] = (struct node){from, (uint8_t)act, (uint8_t)depth};
}

static void print_way(const struct setting *setting)
{
    printf("%s\n ", found);
    for (unsigned i = 0; i < way_length; i++)
        printf(" %u", way[i]);
    printf("\n  handshakes %s", fake_kinds[setting->kind[0]]);
    if (setting->conns > 1)
        printf(" and %s", fake_kinds[setting->kind[1]]);
    printf(", callback %d\n", setting->callback);
    for (unsigned i = 0; i < way_length; i++) {
        char name[32];
        act_name(way[i], name);
        printf("  %s\n", name);
    }
}

static void begin(void)
{
    fake_libssl_begin();
    kernel_begin();
    beneath_begin();
    program_begin(walked);
    ways++;
}

/* The acts that lead to a node, and then one more. False: that cannot be done there. */
static bool go(size_t node, unsigned act)
{
    way_length = nodes[node].depth;
    for (size_t at = node; nodes[at].depth != 0; at = nodes[at].from)
        way[nodes[at].depth - 1] = nodes[at].act;
    way[way_length++] = act;
    begin();
    for (unsigned i = 0; i + 1 < way_length; i++)
        (void)program_does(way[i]);
    return program_does(act);
}

/* How deep it came; -1: something is wrong. */
static int walk(const struct setting *setting, unsigned long limit)
{
    const unsigned long until = ways + limit;
    volatile int deepest = 0;
    walked = setting;
    node_count = seen_count = 0;
    memset(seen, 0, seen_room * sizeof *seen);
    add(0, 0, 0);
    if (setjmp(out) != 0)
        return -1;
    way_length = 0;
    begin();
    (void)is_new(program_state());
    program_ends();
    for (size_t i = 0; i < node_count && nodes[i].depth < DEPTH_MAX - 1; i++) {
        deepest = nodes[i].depth;
        if (ways > until)
            return deepest;
        for (unsigned act = 0; act < ACTS; act++) {
            const bool done = go(i, act);
            if (done && is_new(program_state()))
                add((uint32_t)i, act, nodes[i].depth + 1u);
            program_ends();
        }
    }
    return deepest + 1;
}

/* --- faults */

static const struct fault {
    const char *name;
    enum oct_conn_state state;
    enum oct_on on;
    struct oct_step step;
} faults[] = {
    {"a look at a paused call sees it", OCT_CONN_PAUSED, OCT_ON_LOOK, {OCT_DO_NOTHING, OCT_CONN_STATES}},
    {"another thread sees it", OCT_CONN_PAUSED, OCT_ON_LOOK_ELSEWHERE, {OCT_DO_NOTHING, OCT_CONN_STATES}},
    {"another thread goes on with it", OCT_CONN_READY, OCT_ON_CALL_ELSEWHERE, {OCT_DO_RESUME, OCT_CONN_RUNNING}},
    {"a call is told twice to wait", OCT_CONN_PAUSED, OCT_ON_CALL_SOON, {OCT_DO_SAY_WAIT, OCT_CONN_STATES}},
    {"nobody is led to what is done", OCT_CONN_PAUSED, OCT_ON_TOLD, {OCT_DO_NOTHING, OCT_CONN_READY}},
    {"an object is freed under a paused call", OCT_CONN_READY, OCT_ON_FREE, {OCT_DO_NOTHING, OCT_CONN_STATES}},
    {"an object begins anew under a paused call", OCT_CONN_PAUSED, OCT_ON_CLEAR, {OCT_DO_NOTHING, OCT_CONN_STATES}},
    {"a result that is kept is lost", OCT_CONN_ENDED, OCT_ON_CALL, {OCT_DO_CALL, OCT_CONN_LEFT}},
    {"a call that was run to its end is still paused",
     OCT_CONN_ENDING,
     OCT_ON_END_READ,
     {OCT_DO_NOTHING, OCT_CONN_PAUSED}},
    {"what another thread asks for is not done", OCT_CONN_PAUSED, OCT_ON_ASKED, {OCT_DO_NOTHING, OCT_CONN_STATES}},
    {"a child waits for its parent's operation", OCT_CONN_PAUSED, OCT_ON_FORKED, {OCT_DO_NOTHING, OCT_CONN_STATES}},
};

static const struct setting settings[] = {
    {1, {0, 0}, CALLBACK_NOTHING, 0},       {1, {1, 0}, CALLBACK_NOTHING, 0},       {1, {2, 0}, CALLBACK_NOTHING, 0},
    {1, {3, 0}, CALLBACK_NOTHING, 0},       {1, {4, 0}, CALLBACK_NOTHING, 0},       {1, {0, 0}, CALLBACK_CALLS, 0},
    {1, {0, 0}, CALLBACK_NOTHING, EPOLLET}, {1, {1, 0}, CALLBACK_NOTHING, EPOLLET}, {2, {0, 0}, CALLBACK_NOTHING, 0},
    {2, {0, 1}, CALLBACK_LOOKS, 0},         {2, {1, 0}, CALLBACK_FREES_OTHER, 0},
};
#define SETTINGS (sizeof settings / sizeof settings[0])

/* In a process of its own: one that has met something wrong is not to be used again. True: it was found. */
static bool finds(enum oct_conn_state state, enum oct_on on, struct oct_step step, unsigned long limit)
{
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(300); /* a fault may be a loop without an end */
        oct_steps[state][on] = step;
        for (size_t i = 0; i < SETTINGS; i++)
            if (walk(&settings[i], limit) < 0)
                _exit(1);
        _exit(0);
    }
    int status = 0;
    return waitpid(pid, &status, 0) == pid && status != 0;
}

static int plant_faults(unsigned long limit)
{
    int missed = 0;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        const bool is_found = finds(faults[i].state, faults[i].on, faults[i].step, limit);
        printf("%s: %s\n", is_found ? "found" : "MISSED", faults[i].name);
        missed += !is_found;
    }
    return missed;
}

static int mutate(unsigned long limit)
{
    unsigned found_count = 0, planted = 0;
    for (unsigned state = 0; state < OCT_CONN_STATES; state++)
        for (unsigned on = 0; on < OCT_ON_NUMBER; on++) {
            const struct oct_step step = oct_steps[state][on];
            if (step.does == OCT_DO_NEVER)
                continue;
            for (unsigned to = 0; to < OCT_CONN_STATES; to++) {
                if (to == step.to || (to == state && step.to == OCT_CONN_STATES))
                    continue;
                const bool is_found = finds(state, on, (struct oct_step){step.does, (unsigned char)to}, limit);
                planted++;
                found_count += is_found;
                if (!is_found)
                    printf("missed: state %u, event %u, to %u\n", state, on, to);
            }
        }
    printf("%u of %u found\n", found_count, planted);
    return 0;
}

static int go_one_way(const struct setting *setting, int count, char **acts)
{
    walked = setting;
    if (setjmp(out) != 0) {
        print_way(setting);
        return 1;
    }
    begin();
    for (int i = 0; i < count && i < DEPTH_MAX; i++) {
        way[way_length++] = (unsigned)strtoul(acts[i], NULL, 10);
        (void)program_does(way[i]);
    }
    program_ends();
    return 0;
}

int main(int argc, char **argv)
{
    const bool mutants = argc > 2 && strcmp(argv[1], "--mutants") == 0;
    const unsigned long limit = argc > 1 ? strtoul(argv[argc - 1], NULL, 10) : 100000;
    unsigned long states = 0;
    const double begun = seconds();

    setvbuf(stdout, NULL, _IOLBF, 0);

    if (argc > 2 && strcmp(argv[1], "--way") == 0)
        return go_one_way(&settings[strtoul(argv[2], NULL, 10) % SETTINGS], argc - 3, argv + 3);
    seen_room = 1 << 16;
    seen = calloc(seen_room, sizeof *seen);
    if (mutants)
        return mutate(limit);
    for (size_t i = 0; i < SETTINGS; i++) {
        const unsigned long before = ways;
        const int depth = walk(&settings[i], limit);
        if (depth < 0) {
            print_way(&settings[i]);
            return 1;
        }
        printf("setting %zu: %zu states, %lu ways, depth %d\n", i, seen_count, ways - before, depth);
        states += seen_count;
    }
    printf("%lu states, %lu ways, %.1f s\n", states, ways, seconds() - begun);
    return plant_faults(limit);
}
