/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A guard at each door of libssl (doors.def). The functions here have the names of libssl's own and no signature: each
 * says its number, asks oct_door_open() with the caller's arguments, and jumps to the function that the caller's libssl
 * has. Only the registers of integer arguments are kept meanwhile: none of these functions takes a floating point
 * number.
 */
#include "handshake/doors.h"

#include "handshake/above.h"
#include "handshake/known.h"
#include "handshake/slice.h"
#include "libssl/awslc.h"
#include "libssl/hook.h"
#include "libssl/library.h"

#include "trace/stays.h"

#include <stddef.h>
#include <string.h>

enum door {
#define OCT_DOOR(name, argument, three, four)          DOOR_##name,
#define OCT_DOOR_TWO(name, first, second, three, four) DOOR_##name,
#include "libssl/doors.def"
    DOORS
};
_Static_assert(DOORS <= OCT_DOORS_MAX, "a copy of libssl has room for so many");

/* Without pointers: each start of a process would write them anew. */
static const struct names {
#define OCT_DOOR(name, argument, three, four) char name[sizeof #name];
#include "libssl/doors.def"
} names = {
#define OCT_DOOR(name, argument, three, four) #name,
#include "libssl/doors.def"
};

static const struct {
    unsigned short name;
    unsigned char object[2]; /* 0: there is none */
} doors[DOORS] = {
#define OCT_DOOR(name, argument, three, four)          {offsetof(struct names, name), {argument, 0}},
#define OCT_DOOR_TWO(name, first, second, three, four) {offsetof(struct names, name), {first, second}},
#include "libssl/doors.def"
};

/* clang-format off */
/* One that this major release does not have gets a number, and no function. */
#define ENTRY(name, since)                                                                                             \
    ".if " since " >= 0\n"                                                                                             \
    ".p2align 4\n"                                                                                                     \
    ".globl " #name "\n"                                                                                               \
    ".type " #name ", @function\n"                                                                                     \
    #name ":\n"                                                                                                        \
    ".cfi_startproc\n"                                                                                                 \
    "    endbr64\n"                                                                                                    \
    "    movl $.Ldoor, %eax\n"                                                                                         \
    "    jmp .Ldoor_enter\n"                                                                                           \
    ".cfi_endproc\n"                                                                                                   \
    ".size " #name ", .-" #name "\n"                                                                                   \
    ".endif\n"                                                                                                         \
    ".set .Ldoor, .Ldoor + 1\n"
#define PUSH(reg) "    pushq %" #reg "\n    .cfi_adjust_cfa_offset 8\n"
#define POP(reg)  "    popq %" #reg "\n    .cfi_adjust_cfa_offset -8\n"

#if defined(__x86_64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".type .Ldoor_enter, @function\n"
        ".Ldoor_enter:\n"
        ".cfi_startproc\n"
        PUSH(r9) PUSH(r8) PUSH(rcx) PUSH(rdx) PUSH(rsi) PUSH(rdi)
        "    movl %eax, %edi\n"
        "    movq %rsp, %rsi\n"
        "    movq 48(%rsp), %rdx\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call oct_door_open\n"
        "    movq %rax, %r11\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        POP(rdi) POP(rsi) POP(rdx) POP(rcx) POP(r8) POP(r9)
        "    jmp *%r11\n"
        ".cfi_endproc\n"
        ".set .Ldoor, 0\n"
#define OCT_DOOR(name, argument, three, four) ENTRY(name, OCT_DOOR_SINCE(three, four))
#include "libssl/doors.def"
);
#endif
/* clang-format on */

static void *fails(void)
{
    return NULL;
}

/* Looked up once for each copy of libssl, when somebody first comes to it. */
static void *behind(const struct oct_ssl_functions *own, unsigned door)
{
    void *function = own->doors != NULL ? __atomic_load_n(&own->doors[door], __ATOMIC_RELAXED) : NULL;
    if (__builtin_expect(function != NULL, 1))
        return function;
    function = own == &oct_ssl_nobody ? NULL : oct_symbol(own->handle, (const char *)&names + doors[door].name);
    if (function == NULL)
        return (void *)fails;
    if (own->doors != NULL)
        __atomic_store_n(&own->doors[door], function, __ATOMIC_RELAXED);
    return function;
}

static bool is_away(struct oct_conn *conn)
{
    return oct_slice_is_away(conn) || oct_conn_state(conn) == OCT_CONN_ENDING;
}

/* What nearly all calls ask, and no more. */
static bool is_paused(const SSL *s)
{
    return oct_known_may_be_away(s) && oct_known_ask(s, is_away);
}

/* libssl calls some of its functions by their names, for the shim too. Whoever has let it in has looked already. */
static bool is_inside(const struct oct_ssl_functions *own, const void *caller)
{
    return oct_same_object(caller, own->place) || oct_same_object(caller, (const void *)is_inside);
}

static bool gives_socket(unsigned door)
{
    return door == DOOR_SSL_set_fd || door == DOOR_SSL_set_rfd || door == DOOR_SSL_set_wfd ||
           door == DOOR_SSL_set_bio || door == DOOR_SSL_set0_rbio || door == DOOR_SSL_set0_wbio;
}

/* A call that has just come to wait may be asked for its key by the callback that is told of its end. */
static EVP_PKEY *private_key(const SSL *s)
{
    const struct oct_conn *conn = oct_conn_find(s);
    EVP_PKEY *key = conn != NULL ? oct_method_part->key(conn) : NULL;
    return key != NULL ? key : oct_awslc()->SSL_get_privatekey(s);
}

/* For the assembly above: the caller's integer arguments, and where the call returns to. */
void *oct_door_open(unsigned door, void *const arguments[6], const void *caller);
void *oct_door_open(unsigned door, void *const arguments[6], const void *caller)
{
    const struct oct_ssl_functions *own = oct_ssl_instead != NULL ? oct_ssl_instead : oct_ssl_of(caller);
    void *function = behind(own, door);
    const bool served = own == oct_ssl();

    if (served)
        for (int i = 0; i < 2; i++)
            if (doors[door].object[i] != 0 && is_paused(arguments[doors[door].object[i] - 1]) &&
                !is_inside(own, caller))
                oct_finish_before(arguments[doors[door].object[i] - 1], gives_socket(door));
    return served && own->awslc != NULL && door == DOOR_SSL_get_privatekey ? (void *)private_key : function;
}

/*
 * Doors that lead to objects which no call names. BIOs of libssl's own run handshakes from inside it, and would take a
 * paused one for a call of their own. One that is made as a client's has an object of its own, which never pauses.
 * SSL_CONF_cmd() changes what SSL_CONF_CTX_set_ssl() has named. Nobody pauses in a
 * process that has asked for one of these.
 */
static bool open_for_good;

bool oct_door_is_open(void)
{
    return __builtin_expect(__atomic_load_n(&open_for_good, __ATOMIC_RELAXED), 0);
}

void oct_door_leave_open(const struct oct_ssl_functions *own)
{
    if (!oct_library_load())
        return;
    __atomic_store_n(&open_for_good, true, __ATOMIC_SEQ_CST);
    (void)__atomic_add_fetch(&oct_stay_counters()->doors, 1, __ATOMIC_RELAXED);
    if (own == oct_ssl())
        oct_finish_here();
}

OCT_HOOK const BIO_METHOD *BIO_f_ssl(void)
{
    OCT_OWN(BIO_f_ssl());
    if (!oct_same_object(__builtin_return_address(0), own->place))
        oct_door_leave_open(own);
    return own->BIO_f_ssl();
}

OCT_HOOK BIO *BIO_new_ssl(SSL_CTX *ctx, int client)
{
    OCT_OWN(BIO_new_ssl(ctx, client));
    if (!client)
        oct_door_leave_open(own);
    return own->BIO_new_ssl(ctx, client);
}

OCT_HOOK void SSL_CONF_CTX_set_ssl(SSL_CONF_CTX *ctx, SSL *s)
{
    OCT_OWN(SSL_CONF_CTX_set_ssl(ctx, s));
    oct_door_leave_open(own);
    own->SSL_CONF_CTX_set_ssl(ctx, s);
}
