/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A storm in simulated time: clients that come at random and give up, one queue in order of arrival, and a server that
 * asks shim/handshake/ages.c. A handshake takes its share of the CPU, and ends some time behind it. `ages --print` says
 * what comes of each case.
 */
#include "handshake/ages.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 30
#define WARM    8 /* the first of these are not judged */

struct server {
    double capacity; /* handshakes a second */
    double refusal;  /* seconds that a hello takes which is thrown away */
    double behind;   /* seconds from the work to the end of a handshake */
    double second;   /* of the work, so much is done for the client's answer, which queues behind the hellos */
};

static const struct server RSA4096 = {260, 0.00005, 0.005, 0}, SLOW = {260, 0.00005, 0.1, 0},
                           SLOWER = {260, 0.00005, 0.3, 0}, RSA2048 = {3000, 0.00003, 0.005, 0},
                           HAPROXY = {3000, 0.00003, 0, 0.4};

struct scene {
    const char *name;
    const struct server *server;
    double load;                    /* arrivals, in capacities */
    double patience, patience_most; /* seconds; drawn between these */
    double leavers;                 /* of all, so many leave as soon as they are answered */
    double storm_ends;              /* seconds; then half of the capacity comes. 0: never */
};

struct result {
    double good;  /* share of what is possible */
    double least; /* the same in the worst second */
    unsigned came, gone;
    unsigned refused, refused_late; /* of those that would not have left on purpose; 5 s behind the storm and later */
};

static uint64_t random_state;

static double uniform(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

struct client {
    double came, leaves;
    int leaver;
    double answered; /* 0: not yet */
    unsigned age_class;
};

/* What the server has to do next, and when it was there. */
struct task {
    double at;
    struct client *client;
};

struct run {
    const struct scene *scene;
    struct client *clients;
    struct task *answers; /* in the order of their time */
    size_t came, next, answered, ended;
    double per_second[SECONDS + 2];
    struct oct_ages ages;
    struct result result;
};

static void arrive(struct run *run)
{
    const struct scene *scene = run->scene;
    for (double t = 0; t < SECONDS;) {
        const double load = scene->storm_ends > 0 && t > scene->storm_ends ? 0.5 : scene->load;
        t -= log(uniform()) / (load * scene->server->capacity);
        const double patience = scene->patience + uniform() * (scene->patience_most - scene->patience);
        run->clients[run->came++] = (struct client){t, t + patience, uniform() < scene->leavers, 0, 0};
    }
}

static uint32_t since(double then, double now)
{
    return (uint32_t)((now - then) * 1000);
}

/* The server has read the client's last bytes: it does not see whether somebody waits for what comes. */
static void end(struct run *run, const struct client *c, double now)
{
    const bool left = c->leaves < now || c->leaver, in_vain = c->leaves < c->answered || c->leaver;
    oct_ages_ended(&run->ages, c->age_class,
                   !in_vain && !(left && oct_ages_left(since(c->answered, now), since(c->leaves, now))));
    if (!left && now < SECONDS)
        run->per_second[(int)now]++;
}

static double answer(struct run *run, struct client *c, double now)
{
    const struct server *server = run->scene->server;
    const uint64_t waited = since(c->came, now);
    if (c->leaves < now) {
        run->result.gone++;
        return server->refusal;
    }
    if (oct_ages_refuse(&run->ages, (uint64_t)(now * 1000), waited)) {
        run->result.refused += !c->leaver;
        run->result.refused_late += run->scene->storm_ends > 0 && now > run->scene->storm_ends + 5;
        return server->refusal;
    }
    const double work = (1 - server->second) / server->capacity;
    c->age_class = oct_age_class(waited);
    c->answered = now + work;
    run->answers[run->answered++] = (struct task){now + work + server->behind, c};
    return work;
}

/* What has ended by itself takes no time; what the server has yet to look at, takes some. */
static double finish(struct run *run, double now)
{
    const struct server *server = run->scene->server;
    const struct task *task = &run->answers[run->ended++];
    const double work =
        task->client->leaves < task->client->answered ? server->refusal : server->second / server->capacity;
    end(run, task->client, server->second > 0 ? now + work : task->at);
    return server->second > 0 ? work : 0;
}

/* Whatever has waited longest is next. */
static double step(struct run *run, double now)
{
    const double answers_at = run->ended < run->answered ? run->answers[run->ended].at : INFINITY;
    struct client *c = &run->clients[run->next];
    if (answers_at <= c->came || (run->scene->server->second == 0 && answers_at <= now))
        return fmax(now, answers_at) + finish(run, fmax(now, answers_at));
    run->next++;
    return fmax(now, c->came) + answer(run, c, fmax(now, c->came));
}

/* Handshakes a second, if all that cannot be served are refused. */
static double possible(const struct scene *scene)
{
    const double capacity = scene->server->capacity, part = scene->server->refusal * capacity;
    return capacity * (scene->load > 1 ? (1 - scene->load * part) / (1 - part) : scene->load);
}

static struct result play(const struct scene *scene)
{
    struct run *run = calloc(1, sizeof *run);
    const size_t room = (size_t)((scene->load + 1) * scene->server->capacity * SECONDS * 2);
    assert(run != NULL);
    run->scene = scene;
    run->clients = calloc(room, sizeof *run->clients);
    run->answers = calloc(room, sizeof *run->answers);
    assert(run->clients != NULL && run->answers != NULL);
    random_state = 1;
    arrive(run);
    assert(run->came <= room);
    for (double now = 0; now < SECONDS && run->next < run->came;)
        now = step(run, now);
    const double wanted = possible(scene) * (1 - scene->leavers);
    run->result.least = 9;
    for (int i = WARM; i < SECONDS - 1; i++) {
        run->result.good += run->per_second[i] / wanted / (SECONDS - 1 - WARM);
        run->result.least = fmin(run->result.least, run->per_second[i] / wanted);
    }
    run->result.came = (unsigned)run->came;
    const struct result result = run->result;
    free(run->clients);
    free(run->answers);
    free(run);
    return result;
}

int main(int argc, char **argv)
{
    static const struct scene impatient[] = {
        {"1x, patience 1 s", &RSA4096, 1, 1, 1, 0, 0},
        {"2x, patience 1 s", &RSA4096, 2, 1, 1, 0, 0},
        {"4x, patience 1 s", &RSA4096, 4, 1, 1, 0, 0},
        {"8x, patience 1 s", &RSA4096, 8, 1, 1, 0, 0},
        {"4x, patience 1 s, ends after 0.1 s", &SLOW, 4, 1, 1, 0, 0},
        {"4x, patience 1 s, ends after 0.3 s", &SLOWER, 4, 1, 1, 0, 0},
        {"8x, patience 1 s, ends after 0.3 s", &SLOWER, 8, 1, 1, 0, 0},
        {"4x, patience 3 s", &SLOW, 4, 3, 3, 0, 0},
        {"4x, patience 1 to 3 s", &SLOW, 4, 1, 3, 0, 0},
        {"4x, patience 1 s, a fifth leaves on purpose", &SLOW, 4, 1, 1, 0.2, 0},
        {"4x, patience 1 s, RSA-2048", &RSA2048, 4, 1, 1, 0, 0},
        {"4x, patience 1.1 s, RSA-2048", &RSA2048, 4, 1.1, 1.1, 0, 0},
        {"4x, patience 1 s, HAProxy", &HAPROXY, 4, 1, 1, 0, 0},
        {"4x, patience 1.1 s, HAProxy", &HAPROXY, 4, 1.1, 1.1, 0, 0},
        {"4x, patience 1 to 3 s, HAProxy", &HAPROXY, 4, 1, 3, 0, 0},
    };
    static const struct scene patient[] = {
        {"4x, patience 60 s", &SLOW, 4, 60, 60, 0, 0},
        {"4x, patience 60 s, HAProxy", &HAPROXY, 4, 60, 60, 0, 0},
        {"4x, patience 60 s, three of ten leave on purpose", &SLOW, 4, 60, 60, 0.3, 0},
    };
    const int print = argc > 1 && strcmp(argv[1], "--print") == 0;
    for (size_t i = 0; i < sizeof impatient / sizeof impatient[0]; i++) {
        const struct result r = play(&impatient[i]);
        if (print)
            printf("%-50s good %.2f, worst second %.2f, refused %u, gone %u\n", impatient[i].name, r.good, r.least,
                   r.refused, r.gone);
        assert(print || (r.good > 0.7 && r.least > 0.4));
    }
    for (size_t i = 0; i < sizeof patient / sizeof patient[0]; i++) {
        const struct result r = play(&patient[i]);
        if (print)
            printf("%-50s good %.2f, refused %u\n", patient[i].name, r.good, r.refused);
        assert(print || r.refused <= (patient[i].leavers > 0 ? r.came / 20 : 0));
    }
    /* Behind the storm nobody is refused any more. */
    const struct scene storm = {"a storm of 10 s", &SLOW, 4, 1, 1, 0, 10};
    const struct result r = play(&storm);
    if (print)
        printf("%-50s refused %u, late %u\n", storm.name, r.refused, r.refused_late);
    assert(print || (r.refused > 0 && r.refused_late == 0));
    return 0;
}
