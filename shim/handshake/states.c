/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The table. A row for each state: what may happen there, what is done, and the next state where that is another one.
 * What a row does not name cannot happen, and changes nothing. tests/shim/model walks all ways through it.
 */
#include "handshake/states.h"

#include "handshake/conn.h"

#define DO(what)          OCT_DO_##what, OCT_CONN_STATES /* and it stays in its state */
#define TO(what, state)   OCT_DO_##what, OCT_CONN_##state
#define ON(event, ...)    [OCT_ON_##event] = {__VA_ARGS__},
#define STATE(state, ...) [OCT_CONN_##state] = {__VA_ARGS__},

/* clang-format off */
/* What no call of libssl stands behind. */
#define NO_PROMISE                                                                                                     \
    ON(LOOK, DO(NOTHING)) ON(LOOK_ELSEWHERE, DO(NOTHING)) ON(LOOK_CLOSED, DO(NOTHING)) ON(ASKED, DO(NOTHING))          \
    ON(FREE, DO(NOTHING)) ON(FREE_ELSEWHERE, DO(NOTHING)) ON(CLEAR, DO(NOTHING))                                       \
    ON(CLEAR_ELSEWHERE, DO(NOTHING)) ON(TOLD, DO(NOTHING)) ON(SILENT, DO(NOTHING))
/* What is paused goes with its object, or with its socket. */
#define CAN_BE_CANCELLED                                                                                               \
    ON(LOOK_CLOSED, TO(CANCEL, ENDING)) ON(FREE, TO(CANCEL, ENDING)) ON(FREE_ELSEWHERE, DO(ORPHAN))                    \
    ON(CLEAR, TO(CANCEL, ENDING)) ON(CLEAR_ELSEWHERE, DO(FAIL)) ON(LINGER, TO(NOTHING, LINGERING))                     \
    ON(ABANDON, TO(NOTHING, STRANDED)) ON(STAYS, DO(NOTHING))
/* Whoever looks forces it. */
#define CAN_BE_FORCED                                                                                                  \
    ON(CALL_AWRY, TO(FORCE, ENDING)) ON(CALL_ELSEWHERE, DO(ASK)) ON(LOOK, TO(FORCE, ENDING))                           \
    ON(LOOK_ELSEWHERE, DO(ASK)) ON(ASKED, TO(FORCE, ENDING))
/* A result is kept. */
#define KEPT(give)                                                                                                     \
    NO_PROMISE                                                                                                         \
    ON(CALL, TO(give, LEFT)) ON(CALL_EARLY, DO(SAY_WAIT)) ON(UNHEARD, DO(FORGET)) ON(CUT_OFF, DO(NOTHING))            \
    ON(MOVED, TO(HAND, ENDING)) ON(ABANDON, DO(NOTHING)) ON(FORKED, DO(NOTHING)) ON(STAYS, DO(NOTHING))

#ifndef OCT_MODEL
const
#endif
struct oct_step oct_steps[OCT_CONN_STATES][OCT_ON_NUMBER] = {
    STATE(RUNNING,
        NO_PROMISE
        ON(CALL, DO(CALL)) ON(STAYS, TO(NOTHING, LEFT))
        ON(PAUSE, TO(SAY_WAIT, PAUSED))
        ON(END_READ, DO(NOTHING)) ON(END, TO(NOTHING, ENDED)) ON(END_AMID, TO(NOTHING, ENDED_AMID))
        ON(ABANDON, TO(NOTHING, LEFT)) ON(FORKED, DO(FORGET)))
    STATE(LEFT,
        NO_PROMISE
        ON(CALL, DO(CALL)) ON(STAYS, DO(NOTHING)) ON(ABANDON, DO(NOTHING)) ON(FORKED, DO(FORGET)))
    STATE(PAUSED,
        CAN_BE_FORCED CAN_BE_CANCELLED
        ON(CALL, DO(SAY_WAIT)) ON(CALL_SOON, DO(RUN))
        ON(UNHEARD, DO(NOTHING)) ON(CUT_OFF, DO(NOTHING)) ON(MOVED, DO(NOTHING))
        ON(TOLD, TO(LEAD, READY)) ON(SILENT, TO(LEAD, LOST)) ON(FORKED, TO(LEAD, INHERITED)))
    STATE(READY,
        CAN_BE_FORCED CAN_BE_CANCELLED
        ON(CALL, TO(RESUME, RUNNING)) ON(CALL_EARLY, DO(SAY_WAIT)) ON(GO_ON, TO(RESUME, RUNNING))
        ON(UNHEARD, TO(FORCE, ENDING)) ON(CUT_OFF, TO(FORCE, ENDING)) ON(MOVED, TO(FORCE, ENDING))
        ON(TOLD, DO(NOTHING)) ON(SILENT, DO(NOTHING)) ON(FORKED, TO(LEAD, INHERITED)))
    STATE(INHERITED, /* who only looks may be the child of a server, and about to leave */
        CAN_BE_CANCELLED
        ON(CALL, TO(RESUME, RUNNING)) ON(CALL_EARLY, DO(SAY_WAIT)) ON(GO_ON, TO(RESUME, RUNNING))
        ON(CALL_AWRY, TO(FORCE, ENDING)) ON(CALL_ELSEWHERE, DO(ASK)) ON(ASKED, TO(FORCE, ENDING))
        ON(LOOK, DO(NOTHING)) ON(LOOK_ELSEWHERE, DO(NOTHING))
        ON(UNHEARD, DO(NOTHING)) ON(CUT_OFF, DO(NOTHING)) ON(MOVED, DO(NOTHING))
        ON(TOLD, DO(NOTHING)) ON(SILENT, DO(NOTHING)) ON(FORKED, DO(NOTHING)))
    STATE(LOST,
        CAN_BE_CANCELLED
        ON(CALL, DO(FAIL)) ON(CALL_EARLY, DO(SAY_WAIT)) ON(CALL_ELSEWHERE, DO(SAY_WAIT))
        ON(LOOK, DO(NOTHING)) ON(LOOK_ELSEWHERE, DO(NOTHING)) ON(ASKED, DO(NOTHING))
        ON(UNHEARD, DO(NOTHING)) ON(CUT_OFF, DO(NOTHING)) ON(MOVED, DO(NOTHING))
        ON(TOLD, DO(NOTHING)) ON(SILENT, DO(NOTHING)) ON(FORKED, DO(NOTHING)))
    STATE(LINGERING,
        ON(FREE, TO(CANCEL, ENDING)) ON(FREE_ELSEWHERE, DO(ORPHAN)) ON(LINGER, DO(NOTHING)) ON(ABANDON, DO(NOTHING))
        ON(TOLD, DO(NOTHING)) ON(SILENT, DO(NOTHING)) ON(FORKED, DO(NOTHING)) ON(STAYS, DO(NOTHING)))
    STATE(STRANDED,
        ON(CALL, DO(FAIL)) ON(CLEAR, DO(FAIL)) ON(CLEAR_ELSEWHERE, DO(FAIL))
        ON(LOOK, DO(NOTHING)) ON(LOOK_ELSEWHERE, DO(NOTHING)) ON(FREE, DO(NOTHING)) ON(FREE_ELSEWHERE, DO(NOTHING))
        ON(ABANDON, DO(NOTHING)) ON(FORKED, DO(NOTHING)) ON(TOLD, DO(NOTHING)) ON(SILENT, DO(NOTHING))
        ON(STAYS, DO(NOTHING)))
    STATE(ENDING,
        ON(END_READ, TO(NOTHING, LEFT)) ON(END, TO(NOTHING, ENDED)) ON(END_AMID, TO(NOTHING, ENDED_AMID))
        ON(STUCK, TO(LEAD, READY)) ON(CANCELLED, TO(NOTHING, RUNNING))
        ON(CALL_ELSEWHERE, DO(ASK)) ON(LOOK_ELSEWHERE, DO(ASK)) ON(FREE_ELSEWHERE, DO(ORPHAN))
        ON(CLEAR_ELSEWHERE, DO(FAIL))
        ON(TOLD, DO(NOTHING)) ON(SILENT, DO(NOTHING)) ON(STAYS, DO(NOTHING)) ON(FORKED, DO(NOTHING))
        ON(ABANDON, TO(NOTHING, STRANDED)))
    STATE(ENDED, KEPT(GIVE))
    STATE(ENDED_AMID, KEPT(BEHIND))
};
/* clang-format on */

enum oct_do oct_conn_on(struct oct_conn *conn, enum oct_on on)
{
    enum oct_conn_state state = __atomic_load_n(&conn->state, __ATOMIC_ACQUIRE);
    const struct oct_step *step;
    do
        step = &oct_steps[state][on];
    while (step->does != OCT_DO_NEVER && step->to != OCT_CONN_STATES &&
           !__atomic_compare_exchange_n(&conn->state, &state, (enum oct_conn_state)step->to, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
    return (enum oct_do)step->does;
}
