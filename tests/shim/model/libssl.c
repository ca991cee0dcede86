/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The libssl that is not one. Its functions are those that the shim calls (libssl/resolve.h). */
#include "model.h"

#include "handshake/known.h"
#include "handshake/slice.h"
#include "libssl/errors.h"
#include "libssl/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const fake_kinds[FAKE_KINDS] = {
    "resc"
    "rc", /* TLS 1.3: hello; key exchange, signature; Finished */
    "rsc"
    "rdc", /* TLS 1.2: what follows the last operation needs no client */
    "rsc"
    "rdx", /* and it fails */
    "reswc"
    "rc", /* what is to be sent cannot be sent at once */
    "roes"
    "rc", /* an operation of the program's own comes first */
};

bool fake_no_memory;
int fake_real_waits;
static SSL *made[CONNS + 1];
static int objects;
static long blocks;
static bool error; /* in the queue */
static void (*object_ends)(int class, void *object, CRYPTO_EX_DATA *data);

int fake_objects(void)
{
    return objects;
}

long fake_blocks(void)
{
    return blocks;
}

static BIO *bio_new(bool null)
{
    BIO *bio = calloc(1, sizeof *bio);
    bio->refs = 1;
    bio->null = null;
    objects++;
    return bio;
}

static int bio_free(BIO *bio)
{
    if (bio != NULL && --bio->refs == 0) {
        free(bio);
        objects--;
    }
    return 1;
}

SSL *fake_ssl_new(int number, int kind, int fd)
{
    SSL *s = calloc(1, sizeof *s);
    made[number] = s;
    *s = (SSL){.refs = 1, .number = number, .steps = fake_kinds[kind], .fd = fd};
    s->in = bio_new(false);
    s->out = bio_new(false);
    objects++;
    return s;
}

bool fake_is_done(const SSL *s)
{
    return s->steps[s->at] == '\0';
}

bool fake_reads(const SSL *s)
{
    return s->steps[s->at] == 'r';
}

/* Whoever comes by the program's call finds nobody inside, but for a callback's own. */
static void enter(const SSL *s)
{
    if (s->gone)
        wrong("libssl is called with an object that has gone");
    if (s->inside && !s->in_callback)
        wrong("libssl is entered while a call of it is paused");
}

static enum { ENDS, WAITS, PAUSES } step(SSL *s)
{
    char byte;
    switch (s->steps[s->at]) {
    case 'r':
        if (s->in->null)
            return WAITS;
        program_reads(s);
        if (recv(s->fd, &byte, 1, 0) != 1) {
            s->in->flags = BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY;
            return WAITS;
        }
        s->in->read++;
        break;
    case 'w':
        s->waits_to_write = !s->waits_to_write;
        if (s->waits_to_write)
            return WAITS;
        break;
    case 'e':
    case 's':
    case 'd':
        if (beneath_pauses(s, s->steps[s->at] == 'e'   ? OCT_WORK_EXCHANGE
                              : s->steps[s->at] == 's' ? OCT_WORK_SIGN
                                                       : OCT_WORK_DECRYPT))
            return PAUSES;
        break;
    case 'o':
        if (beneath_pauses(s, OCT_WORK_NONE))
            wrong("a call pauses where it may not");
        break;
    case 'c':
        if (s->info != NULL) {
            s->in_callback = true;
            s->info(s, 0, 0);
            s->in_callback = false;
        }
        break;
    default:
        s->failed = error = true;
        return ENDS;
    }
    s->at++;
    return ENDS;
}

/* It begins, or goes on behind an operation. */
static int run(SSL *s)
{
    s->inside = true;
    s->refs++; /* a callback may free it */
    int value = 1;
    while (value == 1 && s->steps[s->at] != '\0') {
        const int said = step(s);
        if (said == PAUSES) {
            s->refs--;
            return -1;
        }
        value = said == WAITS || s->failed ? -1 : 1;
        fake_real_waits += said == WAITS;
    }
    s->inside = false;
    oct_ssl()->SSL_free(s);
    return value;
}

int fake_goes_on(SSL *s)
{
    if (!s->inside)
        wrong("a call goes on that was not paused");
    s->failed = !beneath_goes_on(s);
    s->at += !s->failed;
    if (s->failed) {
        if (s->shutdown == 0)
            wrong("a call that is given up sends an alert");
        s->info(s, 0, 0); /* it tells of its end */
        s->inside = false;
        return -1;
    }
    return run(s);
}

static int do_handshake(SSL *s)
{
    if (s->shutdown != 0 && s->inside)
        return -1; /* the second wall */
    enter(s);
    error = false;
    if (s->failed || s->in_callback || fake_is_done(s))
        return fake_is_done(s) ? 1 : -1;
    return run(s);
}

static int get_error(const SSL *s, int value)
{
    if (value > 0)
        return SSL_ERROR_NONE;
    return error               ? SSL_ERROR_SSL
           : s->failed         ? SSL_ERROR_SYSCALL
           : s->waits_to_write ? SSL_ERROR_WANT_WRITE
                               : SSL_ERROR_WANT_READ;
}

static int want(const SSL *s)
{
    return fake_reads(s) ? SSL_READING : s->waits_to_write ? SSL_WRITING : SSL_NOTHING;
}

static void ssl_free(SSL *s)
{
    if (s == NULL)
        return;
    if (s->gone || s->refs <= 0)
        wrong("an object is freed twice");
    if (--s->refs > 0)
        return;
    const struct oct_conn *conn = oct_conn_find(s);
    if (conn != NULL && oct_slice_is_away(conn) && conn->state != OCT_CONN_STRANDED)
        wrong("an object is freed, and a call of it is paused");
    s->gone = true;
    object_ends(CRYPTO_EX_INDEX_SSL, s, NULL);
    bio_free(s->in);
    bio_free(s->out);
    s->in = s->out = NULL;
    objects--;
}

static int clear(SSL *s)
{
    enter(s);
    s->at = 0;
    s->inside = s->failed = s->waits_to_write = false;
    s->shutdown = 0;
    return 1;
}

static int up_ref(SSL *s)
{
    s->refs++;
    return 1;
}

static int in_init(const SSL *s)
{
    return !fake_is_done(s);
}

static int in_before(const SSL *s)
{
    return s->at == 0;
}

static const char *state_string(const SSL *s)
{
    switch (s->steps[s->at]) {
    case 'e':
        return "TWSH";
    case 's':
        return "TWSCV";
    case 'd':
        return "TRCKE";
    default:
        return "TRCH";
    }
}

static OSSL_HANDSHAKE_STATE get_state(const SSL *s)
{
    return (OSSL_HANDSHAKE_STATE)s->at;
}

static int yes(const SSL *s)
{
    (void)s;
    return 1;
}

static int no(const SSL *s)
{
    (void)s;
    return 0;
}

static int get_fd(const SSL *s)
{
    return s->in->null ? -1 : s->fd;
}

static BIO *get_rbio(const SSL *s)
{
    return s->in;
}

static BIO *get_wbio(const SSL *s)
{
    return s->out;
}

static void set_rbio(SSL *s, BIO *bio)
{
    bio_free(s->in);
    s->in = bio;
}

static void set_wbio(SSL *s, BIO *bio)
{
    bio_free(s->out);
    s->out = bio;
}

static int bio_up_ref(BIO *bio)
{
    bio->refs++;
    return 1;
}

static BIO *bio_make(const BIO_METHOD *method)
{
    (void)method;
    return fake_no_memory ? NULL : bio_new(true);
}

static const BIO_METHOD *bio_s_null(void)
{
    return NULL;
}

static void set_info(SSL *s, void (*info)(const SSL *, int, int))
{
    s->info = info;
}

static void (*get_info(const SSL *s))(const SSL *, int, int)
{
    return s->info;
}

static int get_shutdown(const SSL *s)
{
    return s->shutdown;
}

static void set_shutdown(SSL *s, int mode)
{
    s->shutdown = mode;
}

static int bio_test_flags(const BIO *bio, int flags)
{
    return bio->flags & flags;
}

static void bio_set_flags(BIO *bio, int flags)
{
    bio->flags |= flags;
}

static void bio_clear_flags(BIO *bio, int flags)
{
    bio->flags &= ~flags;
}

static uint64_t bio_number_read(BIO *bio)
{
    return bio->read;
}

static const char *bio_name(const BIO *bio)
{
    return bio->null ? "NULL" : "socket";
}

static void *crypto_zalloc(size_t n, const char *file, int line)
{
    (void)file, (void)line;
    blocks++;
    return calloc(1, n);
}

static void crypto_free(void *p, const char *file, int line)
{
    (void)file, (void)line;
    blocks -= p != NULL;
    free(p);
}

static long ctrl(SSL *s, int command, long larg, void *parg)
{
    (void)s, (void)command, (void)larg, (void)parg;
    return 0;
}

static size_t get_finished(const SSL *s, void *buf, size_t n)
{
    (void)buf, (void)n;
    return strchr(s->steps, 'd') == NULL && s->at > 3 ? 32 : 0; /* in TLS 1.3 behind the signature */
}

static ASYNC_JOB *no_job(void)
{
    return NULL;
}

static int nothing(void)
{
    return 0;
}

static void nothing_at_all(void)
{
}

static void set_error(int library, int reason, const char *format, ...)
{
    (void)library, (void)reason, (void)format;
    error = true;
}

static void clear_errors(void)
{
    error = false;
}

static int pop_errors(void)
{
    error = false;
    return 1;
}

static void set_debug(const char *file, int line, const char *function)
{
    (void)file, (void)line, (void)function;
}

static unsigned long no_error(void)
{
    return 0;
}

static void free_ex_data(int class, void *object, CRYPTO_EX_DATA *data)
{
    (void)class, (void)object, (void)data;
}

static int shutdown_ssl(SSL *s)
{
    enter(s);
    return 1;
}

static struct oct_ssl_functions functions = {
    .SSL_do_handshake = do_handshake,
    .SSL_accept = do_handshake,
    .SSL_get_error = get_error,
    .SSL_want = want,
    .SSL_shutdown = shutdown_ssl,
    .SSL_free = ssl_free,
    .SSL_clear = clear,
    .SSL_up_ref = up_ref,
    .SSL_get_shutdown = get_shutdown,
    .SSL_set_shutdown = set_shutdown,
    .SSL_ctrl = ctrl,
    .SSL_get_fd = get_fd,
    .SSL_get_wfd = get_fd,
    .SSL_in_init = in_init,
    .SSL_in_before = in_before,
    .SSL_is_dtls = no,
    .SSL_is_server = yes,
    .SSL_session_reused = no,
    .SSL_get_state = get_state,
    .SSL_state_string = state_string,
    .SSL_get_finished = get_finished,
    .SSL_get_rbio = get_rbio,
    .SSL_get_wbio = get_wbio,
    .SSL_set0_rbio = set_rbio,
    .SSL_set0_wbio = set_wbio,
    .SSL_set_info_callback = set_info,
    .SSL_get_info_callback = get_info,
    .CRYPTO_free_ex_data = free_ex_data,
    .CRYPTO_zalloc = crypto_zalloc,
    .CRYPTO_free = crypto_free,
    .ASYNC_get_current_job = no_job,
    .BIO_number_read = bio_number_read,
    .BIO_method_name = bio_name,
    .BIO_test_flags = bio_test_flags,
    .BIO_set_flags = bio_set_flags,
    .BIO_clear_flags = bio_clear_flags,
    .BIO_new = bio_make,
    .BIO_s_null = bio_s_null,
    .BIO_free = bio_free,
    .BIO_up_ref = bio_up_ref,
    .ERR_set_mark = nothing,
    .ERR_pop_to_mark = pop_errors,
    .ERR_peek_last_error = no_error,
    .ERR_clear_error = clear_errors,
    .ERR_new = nothing_at_all,
    .ERR_set_error = set_error,
    .ERR_set_debug = set_debug,
};
const struct oct_ssl_functions *oct_ssl_served = &functions, *oct_ssl_instead;
__thread const struct oct_ssl_functions *oct_ssl_inside;

const struct oct_ssl_functions *oct_ssl_of(const void *caller)
{
    (void)caller;
    return &functions;
}

bool oct_slot_set(const void *inside, const char *name, void *function)
{
    (void)inside, (void)name;
    *(void **)&object_ends = function;
    return true;
}

const void *oct_slot_libssl(void)
{
    return NULL;
}

void oct_errors_clear(void)
{
    error = false;
}

struct oct_errors *oct_errors_take(void)
{
    struct oct_errors *errors = error ? (struct oct_errors *)&error : NULL;
    error = false;
    return errors;
}

void oct_errors_give_back(struct oct_errors *errors)
{
    error |= errors != NULL;
}

void oct_errors_free(struct oct_errors *errors)
{
    (void)errors;
}

/* No call is libssl's own here. */
bool oct_same_object(const void *a, const void *b)
{
    (void)a, (void)b;
    return false;
}

void fake_libssl_begin(void)
{
    for (int i = 0; i <= CONNS; i++) {     /* one that has gone stays until here, so that who uses it is seen */
        while (oct_known_unrefer(made[i])) /* what a world has left behind is nobody's in the next */
            ;
        (void)oct_known_set(made[i], OCT_KNOWN_CONN, NULL);
        free(made[i]);
        made[i] = NULL;
    }
    objects = 0;
    blocks = 0;
    error = false;
    fake_no_memory = false;
    fake_real_waits = 0;
}
