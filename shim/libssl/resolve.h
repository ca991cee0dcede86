/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The functions behind the hooks, and the others of OpenSSL that the shim calls: found in the running process, so that
 * the shim itself needs no OpenSSL and may be preloaded anywhere.
 *
 * A process may have several libssl: Python wheels and plug-ins bring private copies, whose symbols have the same names
 * and versions. Calls to all of them arrive here, because a preloaded library comes first everywhere. Each caller gets
 * the functions of its own libssl. One copy at most is served (decide.c); calls to the others pass straight through.
 */
#ifndef OCT_SHIM_RESOLVE_H
#define OCT_SHIM_RESOLVE_H

#include "libssl/layout.h"
#include "libssl/libc.h"

#include <openssl/asn1.h>
#include <openssl/async.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

/* clang-format off */
/* What the shim stands in front of. */
#define OCT_SSL_HOOKS(X)                                                                                               \
    X(SSL_do_handshake) X(SSL_accept) X(SSL_connect)                                                                   \
    X(SSL_read) X(SSL_read_ex) X(SSL_peek) X(SSL_peek_ex) X(SSL_read_early_data)                                       \
    X(SSL_write) X(SSL_write_ex) X(SSL_write_early_data)                                                               \
    X(SSL_get_error) X(SSL_want) X(SSL_shutdown) X(SSL_new) X(SSL_free) X(SSL_clear) X(SSL_up_ref)                     \
    X(SSL_dup) X(SSL_get_shutdown) X(BIO_f_ssl) X(BIO_new_ssl) X(SSL_CONF_CTX_set_ssl)                                 \
    X(SSL_CTX_new) X(SSL_CTX_new_ex)

/* The same, from OpenSSL 3.5 on. */
#define OCT_SSL_YOUNGER_HOOKS(X) X(SSL_set_quic_tls_cbs)

/* The same, of AWS-LC alone (method/hooks.c). */
#define OCT_AWSLC_YOUNGER_HOOKS(X)                                                                                     \
    X(SSL_set_private_key_method) X(SSL_CTX_set_private_key_method)                                                    \
    X(SSL_set_chain_and_key) X(SSL_CTX_set_chain_and_key)

/* And of libcrypto: how a program begins to use a key (crypto.c). */
#define OCT_KEY_HOOKS(X)                                                                                               \
    X(EVP_PKEY_CTX_new) X(EVP_PKEY_CTX_new_id) X(EVP_PKEY_CTX_new_from_name) X(EVP_PKEY_CTX_new_from_pkey)             \
    X(EVP_DigestSignInit) X(EVP_DigestSignInit_ex) X(EVP_SignFinal)

/* What it only calls. */
#define OCT_SSL_HELPERS(X)                                                                                             \
    X(SSL_ctrl) X(SSL_get_fd) X(SSL_get_wfd) X(SSL_in_init) X(SSL_is_dtls) X(SSL_get_state)                            \
    X(SSL_in_before) X(SSL_set_accept_state) X(SSL_state_string)                                                       \
    X(SSL_version) X(SSL_has_pending) X(SSL_get_client_random)                                                         \
    X(SSL_get_early_data_status) X(SSL_is_server) X(SSL_get_finished) X(SSL_set_shutdown)                              \
    X(SSL_set0_rbio) X(SSL_set0_wbio) X(SSL_set_info_callback)                                                         \
    X(SSL_get_info_callback) X(SSL_CTX_get_info_callback) X(SSL_get_SSL_CTX) X(SSL_CTX_ctrl) X(OPENSSL_init_ssl)       \
    X(CRYPTO_free_ex_data) X(CRYPTO_malloc) X(CRYPTO_zalloc) X(CRYPTO_free) X(ASYNC_get_current_job)                   \
    X(OSSL_PROVIDER_do_all)                                                                                            \
    X(SSL_get_rbio) X(SSL_get_wbio) X(BIO_read) X(BIO_number_read) X(BIO_method_name) X(BIO_ctrl_pending)              \
    X(BIO_test_flags) X(BIO_set_flags) X(BIO_clear_flags) X(BIO_new) X(BIO_s_null) X(BIO_free) X(BIO_up_ref)           \
    X(ERR_set_mark) X(ERR_pop_to_mark) X(ERR_peek_last_error) X(ERR_clear_error) X(ERR_new) X(ERR_set_error)           \
    X(ERR_set_debug) X(ERR_get_error_all) X(OSSL_LIB_CTX_set0_default) X(OSSL_LIB_CTX_get0_global_default)             \
    X(EVP_KDF_fetch) X(EVP_KDF_up_ref) X(EVP_KDF_free) X(EVP_PKEY_get0_type_name) X(EVP_PKEY_get0_provider)            \
    X(EVP_PKEY_CTX_new_id) X(EVP_PKEY_CTX_free) X(EVP_PKEY_CTX_get_operation)                      \
    X(EVP_PKEY_derive_init) X(OSSL_PROVIDER_get0_name)                                                                 \
    X(EVP_PKEY_digestsign_supports_digest) X(BIO_ctrl) X(BIO_next) X(SSL_get_num_tickets) X(SSL_session_reused)        \
    X(ASN1_item_i2d) X(OPENSSL_cleanse) X(EVP_Q_mac) X(EVP_MAC_fetch) X(EVP_MAC_free) X(EVP_MAC_CTX_new)               \
    X(EVP_MAC_CTX_free) X(EVP_MAC_CTX_set_params) X(EVP_MAC_init) X(EVP_MAC_update) X(EVP_MAC_final)                   \
    X(ASN1_STRING_length) X(ASN1_STRING_get0_data) X(EVP_PKEY_CTX_new_from_name) X(EVP_PKEY_new) X(EVP_PKEY_free)      \
    X(EVP_PKEY_set_type_by_keymgmt) X(EVP_KEYMGMT_names_do_all) X(EVP_KEYMGMT_get0_name) X(EVP_KEYMGMT_up_ref)         \
    X(EVP_KEYMGMT_free) X(OpenSSL_version_num)
/* clang-format on */

/* Older headers do not declare it. */
int SSL_set_quic_tls_cbs(SSL *s, const OSSL_DISPATCH *table, void *arg);

/* So many functions have a guard at the most (handshake/doors.c). */
#define OCT_DOORS_MAX 448

/* The functions of one copy of libssl, and of the libcrypto behind it. Made once and never changed. */
struct oct_ssl_functions {
#define OCT_FUNCTION(name) __typeof__(name) *name;
    OCT_SSL_HOOKS(OCT_FUNCTION)
    OCT_SSL_YOUNGER_HOOKS(OCT_FUNCTION)
    OCT_SSL_HELPERS(OCT_FUNCTION)
#undef OCT_FUNCTION
    /* These three from OpenSSL 3.2 on; NULL before. */
    int (*SSL_is_quic)(const SSL *);
    int (*ASYNC_set_mem_functions)(void *(*)(size_t *), void (*)(void *));
    void (*ASYNC_get_mem_functions)(void *(**)(size_t *), void (**)(void *));
    void **doors;      /* those behind handshake/doors.c, found one by one; NULL: they are looked up each time */
    void *handle;      /* of dlopen(), leads to that libssl; NULL: it is the program's */
    const void *place; /* where that libssl is loaded; NULL: there is none */
    const struct oct_awslc *awslc;  /* its own functions (awslc.h); NULL: it is OpenSSL's */
    struct oct_ssl_functions *next; /* copies.c */
    bool servable; /* every function was found, and the provider is bound to the same libcrypto, or needs not be */
};

/* copies.c */
/* The functions for a call that returns to `caller`. A hook that its libssl does not have is a function that fails: of
 * a program with weak references, say. Neither NULL nor a lock: the first call of each caller looks them up. */
const struct oct_ssl_functions *oct_ssl_of(const void *caller);
/* The same for a call with a method, which is data of the libssl that it belongs to: libssl calls SSL_CTX_new_ex() by
 * its name, as the last thing that it does. */
const struct oct_ssl_functions *oct_ssl_of_method(const SSL_METHOD *method, const void *caller);
/* Those whose function the calling thread's innermost hook has called; NULL: it is in none. */
extern __thread const struct oct_ssl_functions *oct_ssl_inside;
static inline const struct oct_ssl_functions *oct_ssl_enter(const struct oct_ssl_functions *own)
{
    const struct oct_ssl_functions *before = oct_ssl_inside;
    oct_ssl_inside = own;
    return before;
}
static inline void oct_ssl_leave(const struct oct_ssl_functions **before)
{
    oct_ssl_inside = *before;
}
/* Those for the next hook of the calling thread, which its program has from dlsym() (reach.c); NULL: the caller tells.
 * oct_ssl_of() sets it back. */
extern __thread const struct oct_ssl_functions *oct_ssl_reached;
/* Those of the copy that a function lies in; NULL: there is no memory. */
const struct oct_ssl_functions *oct_ssl_at(void *function);
/* Those of the copy that is served, which other threads may find just now; NULL: none is. */
extern const struct oct_ssl_functions *oct_ssl_served;
static inline const struct oct_ssl_functions *oct_ssl(void)
{
    return __atomic_load_n(&oct_ssl_served, __ATOMIC_ACQUIRE);
}

/* Some function of the library that a reference of this object, by this name, is bound to, or NULL; the third argument
 * becomes true if the program was started with it. `file` is the library's. (NULL: code without an object.) */
struct link_map;
void *oct_in_scope(const struct link_map *map, const char *name, const char *file, bool *global);

/* It is of the libcrypto that the provider is linked to. */
bool oct_crypto_is_served(const void *function);
#define OCT_LIBCRYPTO "libcrypto.so." OCT_OPENSSL_MAJOR

/* True if both addresses lie in the same shared object. */
bool oct_same_object(const void *a, const void *b);

/* resolve.c */
/* Functions that fail, for a caller without any libssl. */
extern const struct oct_ssl_functions oct_ssl_nobody;
/* Fills in the functions of the libssl that `place` lies in; `handle` leads to it, or is NULL for what the program was
 * started with. Returns false if one that every version has is missing. */
bool oct_ssl_fill(struct oct_ssl_functions *ssl, void *handle);
/* A symbol of OpenSSL's version, or of none; behind `handle`, or (NULL) in what the program was started with. */
void *oct_symbol(void *handle, const char *name);
void *oct_symbol_versioned(void *handle, const char *name);
/* 1 if the program was started with a libssl of the right version; looks nothing else up. */
bool oct_ssl_present(void);
/* 1 if it was started with some libcrypto. */
bool oct_crypto_present(void);
/* 1 if that libssl has the younger hooks too. */
bool oct_ssl_present_younger(void);

/* withdraw.c */
/*
 * Where the shim is off, it gets out of the way: what is loaded from now on does not find its functions of libssl, and
 * those that were started with it get the real ones by a jump. loads: it still loads the provider. Called while the
 * program is loaded.
 */
void oct_withdraw(bool loads);
/* The same for functions that the program's libssl does not have: whoever looks for them is not to find ours. */
void oct_withdraw_younger(void);
/* The hook of that name, or (`entry`) what lies in front of it (reach.c); NULL: there is none, or it is withdrawn. */
void *oct_hook_named(const char *name, bool entry);
/* Not NULL where that was done: the functions of the libssl that the program was started with. */
extern const struct oct_ssl_functions *oct_ssl_instead;

#if defined(__GLIBC__)
#define OCT_GLIBC_HOOKS(X) X(__cxa_thread_atexit_impl)
int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *dso);
#else
#define OCT_GLIBC_HOOKS(X)
#endif

/* clang-format off */
#define OCT_LIBC_HOOKS(X)                                                                                              \
    X(epoll_ctl) X(epoll_wait) X(epoll_pwait) X(epoll_pwait2) X(close) X(close_range) X(closefrom) X(dup2) X(dup3)     \
    X(dup) X(fcntl) X(fcntl64) X(accept) X(accept4) X(poll) X(ppoll) X(select) X(pselect) X(send) X(recv)              \
    X(recvfrom) X(recvmsg) X(recvmmsg) X(read) X(readv) X(preadv2) X(ioctl) X(connect) X(makecontext) X(chroot)        \
    X(unshare) X(pthread_create) X(prctl)                                                                              \
    OCT_GLIBC_HOOKS(X)
/* clang-format on */

/* The linker's, behind which reach.c finds those that it stands in front of. */
#define OCT_LINKER_HOOKS(X) X(dlsym) X(dlvsym)

/* Other names of some: in front of them, but never called. */
#define OCT_FORTIFIED_HOOKS(X)                                                                                         \
    X(__poll_chk) X(__ppoll_chk) X(__recv_chk) X(__recvfrom_chk) X(__read_chk) X(__read) X(preadv64v2)

struct oct_libc_functions {
#define OCT_FUNCTION(name) __typeof__(name) *name;
    OCT_LIBC_HOOKS(OCT_FUNCTION)
#undef OCT_FUNCTION
};

/* A function may be NULL: on an older C library than the one built with, or inside its own lookup. */
const struct oct_libc_functions *oct_libc(void);

#endif
