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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY 260.0   /* handshakes a second */
#define CHEAP    0.00005 /* seconds that one takes which is thrown away */
#define SECONDS  30
#define WARM     8 /* the first of these are not judged */

struct scene {
    const char *name;
    double load;                    /* arrivals, in capacities */
    double patience, patience_most; /* seconds; drawn between these */
    double behind;                  /* seconds from the work to the end of a handshake */
    double leavers;                 /* of all, so many leave as soon as they are answered */
    double storm_ends;              /* seconds; then half of the capacity comes. 0: never */
};

struct result {
    double good;  /* share of the capacity, or of those that came if these are fewer */
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
};

/* In the order in which they were begun; all take the same time. */
struct ending {
    double at;
    unsigned age_class;
    int well;
};

struct run {
    struct client *queue;
    struct ending *endings;
    size_t came, next, begun, ended;
    double per_second[SECONDS + 2];
    struct oct_ages ages;
    struct result result;
};

static void arrive(struct run *run, const struct scene *scene)
{
    for (double t = 0; t < SECONDS;) {
        const double load = scene->storm_ends > 0 && t > scene->storm_ends ? 0.5 : scene->load;
        t -= log(uniform()) / (load * CAPACITY);
        const double patience = scene->patience + uniform() * (scene->patience_most - scene->patience);
        run->queue[run->came++] = (struct client){t, t + patience, uniform() < scene->leavers};
    }
}

static void end_those_due(struct run *run, double now)
{
    for (; run->ended < run->begun && run->endings[run->ended].at <= now; run->ended++) {
        const struct ending *e = &run->endings[run->ended];
        oct_ages_ended(&run->ages, e->age_class, e->well);
        if (e->well && e->at < SECONDS)
            run->per_second[(int)e->at]++;
    }
}

static double serve(struct run *run, const struct scene *scene, const struct client *c, double now)
{
    const uint64_t waited = (uint64_t)((now - c->came) * 1000);
    if (c->leaves < now) {
        run->result.gone++;
        return CHEAP;
    }
    if (oct_ages_refuse(&run->ages, (uint64_t)(now * 1000), waited)) {
        run->result.refused += !c->leaver;
        run->result.refused_late += scene->storm_ends > 0 && now > scene->storm_ends + 5;
        return CHEAP;
    }
    const double at = now + 1 / CAPACITY + scene->behind;
    run->endings[run->begun++] = (struct ending){at, oct_age_class(waited), at < c->leaves && !c->leaver};
    return 1 / CAPACITY;
}

static struct result play(const struct scene *scene)
{
    struct run *run = calloc(1, sizeof *run);
    const size_t room = (size_t)((scene->load + 1) * CAPACITY * SECONDS * 2);
    assert(run != NULL);
    run->queue = calloc(room, sizeof *run->queue);
    run->endings = calloc(room, sizeof *run->endings);
    assert(run->queue != NULL && run->endings != NULL);
    random_state = 1;
    arrive(run, scene);
    assert(run->came <= room);
    for (double now = 0; now < SECONDS && run->next < run->came;) {
        const struct client *c = &run->queue[run->next++];
        now = now > c->came ? now : c->came;
        end_those_due(run, now);
        now += serve(run, scene, c, now);
    }
    const double wanted = CAPACITY * (scene->load < 1 ? scene->load : 1) * (1 - scene->leavers);
    run->result.least = 9;
    for (int i = WARM; i < SECONDS - 1; i++) {
        run->result.good += run->per_second[i] / wanted / (SECONDS - 1 - WARM);
        run->result.least = fmin(run->result.least, run->per_second[i] / wanted);
    }
    run->result.came = (unsigned)run->came;
    const struct result result = run->result;
    free(run->queue);
    free(run->endings);
    free(run);
    return result;
}

int main(int argc, char **argv)
{
    static const struct scene impatient[] = {
        {"1x, patience 1 s", 1, 1, 1, 0.005, 0, 0},
        {"2x, patience 1 s", 2, 1, 1, 0.005, 0, 0},
        {"4x, patience 1 s", 4, 1, 1, 0.005, 0, 0},
        {"8x, patience 1 s", 8, 1, 1, 0.005, 0, 0},
        {"4x, patience 1 s, ends after 0.1 s", 4, 1, 1, 0.1, 0, 0},
        {"4x, patience 1 s, ends after 0.3 s", 4, 1, 1, 0.3, 0, 0},
        {"8x, patience 1 s, ends after 0.3 s", 8, 1, 1, 0.3, 0, 0},
        {"4x, patience 3 s", 4, 3, 3, 0.1, 0, 0},
        {"4x, patience 1 to 3 s", 4, 1, 3, 0.1, 0, 0},
        {"4x, patience 1 s, a fifth leaves on purpose", 4, 1, 1, 0.1, 0.2, 0},
    };
    static const struct scene patient[] = {
        {"4x, patience 60 s", 4, 60, 60, 0.1, 0, 0},
        {"4x, patience 60 s, three of ten leave on purpose", 4, 60, 60, 0.1, 0.3, 0},
    };
    const int print = argc > 1 && strcmp(argv[1], "--print") == 0;
    for (size_t i = 0; i < sizeof impatient / sizeof impatient[0]; i++) {
        const struct result r = play(&impatient[i]);
        if (print)
            printf("%-50s good %.2f, worst second %.2f, refused %u, gone %u\n", impatient[i].name, r.good, r.least,
                   r.refused, r.gone);
        assert(print || (r.good > 0.7 && r.least > 0.5));
    }
    for (size_t i = 0; i < sizeof patient / sizeof patient[0]; i++) {
        const struct result r = play(&patient[i]);
        if (print)
            printf("%-50s good %.2f, refused %u\n", patient[i].name, r.good, r.refused);
        assert(print || r.refused <= (patient[i].leavers > 0 ? r.came / 20 : 0));
    }
    /* Behind the storm nobody is refused any more. */
    const struct scene storm = {"a storm of 10 s", 4, 1, 1, 0.1, 0, 10};
    const struct result r = play(&storm);
    if (print)
        printf("%-50s refused %u, late %u\n", storm.name, r.refused, r.refused_late);
    assert(print || (r.refused > 0 && r.refused_late == 0));
    return 0;
}
