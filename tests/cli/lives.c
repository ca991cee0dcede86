/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Programs that come to OpenSSL in unusual ways, by the name of one. What it prints is the same with Octuple, but for
 * the last line: whether the provider was there in the end.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 16
#define ROUNDS  40

static int ours;

static void look(void)
{
    ours |= OSSL_PROVIDER_available(NULL, "octuple");
}

/* A handshake in memory with a key made here: all kinds of work that a server has. */
static int handshake(SSL_CTX *ctx)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    X509 *x = X509_new();
    BIO *there, *back;
    int done = 0;
    X509_set_version(x, 2);
    X509_gmtime_adj(X509_getm_notBefore(x), -60);
    X509_gmtime_adj(X509_getm_notAfter(x), 600);
    X509_set_pubkey(x, key);
    if (!X509_sign(x, key, EVP_sha256()) || SSL_CTX_use_certificate(ctx, x) != 1 ||
        SSL_CTX_use_PrivateKey(ctx, key) != 1)
        return 0;
    SSL *server = SSL_new(ctx), *client = SSL_new(ctx);
    BIO_new_bio_pair(&there, 1 << 16, &back, 1 << 16);
    SSL_set_bio(server, there, there);
    SSL_set_bio(client, back, back);
    SSL_set_accept_state(server);
    SSL_set_connect_state(client);
    for (int i = 0; i < 20 && done != 3; i++)
        done = (SSL_do_handshake(client) == 1) | (SSL_do_handshake(server) == 1) << 1;
    SSL_free(server);
    SSL_free(client);
    X509_free(x);
    EVP_PKEY_free(key);
    return done == 3;
}

static int make(void)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());
    const int good = ctx != NULL && handshake(ctx);
    SSL_CTX_free(ctx);
    look();
    return good;
}

static void cleanup(void)
{
    printf("made %d\n", make());
    OPENSSL_cleanup();
    printf("made behind it %d\n", SSL_CTX_new(TLS_method()) != NULL);
}

static void cleanup_first(void)
{
    OPENSSL_cleanup();
    printf("made %d errors %lx\n", SSL_CTX_new(TLS_method()) != NULL, ERR_peek_error());
}

static void in_child(const char *who)
{
    int status;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        _exit(make() ? 0 : 3);
    waitpid(child, &status, 0);
    printf("%s %d\n", who, status);
}

static void forks(void)
{
    in_child("a child makes the first");
    printf("made %d\n", make());
    in_child("a child makes another");
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
    in_child("a child of one with a key");
    EVP_PKEY_free(key);
}

static pthread_barrier_t together;
static int good;

static void *worker(void *arg)
{
    const int i = (int)(size_t)arg;
    unsigned char digest[64];
    int ok = 1;
    pthread_barrier_wait(&together);
    for (int round = 0; round < ROUNDS && ok; round++) {
        if (i % 4 == 0) {
            ok = make();
        } else if (i % 4 == 1) {
            EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_X25519, NULL);
            EVP_PKEY *key = NULL;
            ok = ctx != NULL && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_keygen(ctx, &key) > 0;
            EVP_PKEY_free(key);
            EVP_PKEY_CTX_free(ctx);
        } else if (i % 4 == 2) {
            EVP_MD *md = EVP_MD_fetch(NULL, "SHA512", NULL);
            ok = md != NULL && EVP_Digest("x", 1, digest, NULL, md, NULL);
            EVP_MD_free(md);
        } else {
            EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
            ok = cipher != NULL;
            EVP_CIPHER_free(cipher);
        }
    }
    __atomic_add_fetch(&good, ok, __ATOMIC_RELAXED);
    return NULL;
}

static void threads(void)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&together, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("good %d errors %lx\n", good, ERR_peek_error());
}

/* A fork while other threads come to OpenSSL for the first time: the child has one thread, and makes its own. */
static void *makes(void *arg)
{
    pthread_barrier_wait(&together);
    *(int *)arg = make();
    return NULL;
}

static void forks_among_threads(void)
{
    pthread_t thread;
    int made = 0;
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&thread, NULL, makes, &made);
    pthread_barrier_wait(&together);
    const pid_t child = fork();
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL); /* what else a program with threads may do */
        _exit(4);
    }
    int status;
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    printf("made %d child %d\n", made, status);
}

static void unloads(void)
{
    OSSL_PROVIDER *normal = OSSL_PROVIDER_load(NULL, "default"), *more = OSSL_PROVIDER_load(NULL, "legacy");
    printf("made %d\n", make());
    printf("unloaded %d\n", OSSL_PROVIDER_unload(more));
    printf("made %d\n", make());
    printf("unloaded %d\n", OSSL_PROVIDER_unload(normal));
    void *libssl = dlopen("libssl.so.3", RTLD_NOW);
    printf("closed %d\n", dlclose(libssl));
    printf("errors %lx\n", ERR_peek_error());
}

/* A thread whose default is a context of its own. */
static void other_default(void)
{
    OSSL_LIB_CTX *own = OSSL_LIB_CTX_new(), *before = OSSL_LIB_CTX_set0_default(own);
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());
    printf("made %d providers of ours there %d errors %lx\n", ctx != NULL, OSSL_PROVIDER_available(own, "octuple"),
           ERR_peek_error());
    SSL_CTX_free(ctx);
    OSSL_LIB_CTX_set0_default(before);
    printf("and %d\n", make());
    OSSL_LIB_CTX_free(own);
}

/* Providers and properties that come later. */
static void later(void)
{
    printf("made %d\n", make());
    OSSL_PROVIDER *more = OSSL_PROVIDER_load(NULL, "legacy");
    EVP_CIPHER *old = EVP_CIPHER_fetch(NULL, "RC4", NULL);
    printf("legacy %d %d\n", more != NULL, old != NULL);
    EVP_CIPHER_free(old);
    printf("set %d made %d\n", EVP_set_default_properties(NULL, "?provider=default"), make());
    printf("fips %d", EVP_default_properties_enable_fips(NULL, 1));
    EVP_MD *md = EVP_MD_fetch(NULL, "SHA256", NULL);
    printf(" %d\n", md != NULL);
    EVP_MD_free(md);
}

static void say_minimum(void)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());
    printf("minimum %lx made %d errors %lx\n", ctx != NULL ? SSL_CTX_get_min_proto_version(ctx) : 0, make(),
           ERR_peek_error());
    SSL_CTX_free(ctx);
}

/* No configuration, though OPENSSL_CONF names one; and one that the program names itself. */
static void no_config(void)
{
    OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    say_minimum();
}

static void own_config(void)
{
    OPENSSL_INIT_SETTINGS *settings = OPENSSL_INIT_new();
    OPENSSL_INIT_set_config_filename(settings, getenv("OTHER_CONF"));
    OPENSSL_init_ssl(OPENSSL_INIT_LOAD_CONFIG, settings);
    OPENSSL_INIT_free(settings);
    say_minimum();
}

/* What a program asks for by properties comes from whom it names. */
static const char *owner(const char *query)
{
    EVP_KEYMGMT *found = EVP_KEYMGMT_fetch(NULL, "X25519", query);
    const char *name = found != NULL ? OSSL_PROVIDER_get0_name(EVP_KEYMGMT_get0_provider(found)) : "nobody";
    EVP_KEYMGMT_free(found);
    return name;
}

static void queries(void)
{
    SSL_CTX *own = SSL_CTX_new_ex(NULL, "provider=default", TLS_method());
    printf("made %d and %d\n", own != NULL, own != NULL && handshake(own));
    SSL_CTX_free(own);
    printf("of %s\n", owner("provider=default"));
    own = SSL_CTX_new_ex(NULL, "provider=nobody", TLS_method());
    printf("made %d errors %d\n", own != NULL, ERR_peek_error() != 0);
    SSL_CTX_free(own);
    ERR_clear_error();
    look();
}

static void properties_first(void)
{
    printf("set %d\n", EVP_set_default_properties(NULL, "provider=default"));
    printf("made %d of %s\n", make(), owner(NULL));
    printf("set %d of %s\n", EVP_set_default_properties(NULL, "provider=nobody"), owner(NULL));
}

static void fips_first(void)
{
    printf("set %d\n", EVP_default_properties_enable_fips(NULL, 1));
    printf("made %d of %s is %d\n", SSL_CTX_new(TLS_method()) != NULL, owner(NULL),
           EVP_default_properties_is_fips_enabled(NULL));
    ERR_clear_error();
    printf("set %d of %s\n", EVP_default_properties_enable_fips(NULL, 0), owner("provider=default"));
    look();
}

/* A provider that makes an SSL_CTX, and a key, while it is loaded. */
static int begins(const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out, void **provctx)
{
    static const OSSL_DISPATCH none[] = {{0, NULL}};
    static int context;
    EVP_PKEY_CTX *key = EVP_PKEY_CTX_new_id(EVP_PKEY_X25519, NULL);
    printf("inside %d %d\n", key != NULL, make());
    EVP_PKEY_CTX_free(key);
    (void)core, (void)in;
    *provctx = &context;
    *out = none;
    return 1;
}

static void recursion(void)
{
    OSSL_PROVIDER_add_builtin(NULL, "begins", begins);
    OSSL_PROVIDER *made = OSSL_PROVIDER_try_load(NULL, "begins", 1);
    printf("loaded %d made %d\n", made != NULL, make());
    OSSL_PROVIDER_unload(made);
}

static void *idle(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void start_idle(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, idle, NULL);
}

/* A child that has this memory gives up privileges, as before it starts another program. */
static void vforks(void)
{
    int status;
    const pid_t child = vfork();
    if (child == 0)
        _exit(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : 3);
    waitpid(child, &status, 0);
    printf("child %d\n", status);
    start_idle();
    printf("made %d\n", make());
}

/* From now on a file that is opened, or looked for, ends the process. OpenSSL has read its configuration before. */
static void sandboxed(bool with_thread)
{
#define ENDS(name)                                                                                                     \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                 ENDS(open),
                                 ENDS(openat),
                                 ENDS(stat),
                                 ENDS(newfstatat),
                                 ENDS(readlink),
                                 ENDS(lstat),
                                 ENDS(access),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {sizeof code / sizeof code[0], code};
    OPENSSL_init_ssl(0, NULL);
    RAND_status();
    tzset();
    fflush(stdout);
    if (with_thread)
        start_idle();
    printf("ready\n");
    printf("forbidden %d\n",
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) | prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
    printf("key %d\n", key != NULL);
    EVP_PKEY_free(key);
    printf("made %d\n", make());
    fflush(stdout);
}

static void sandbox(void)
{
    sandboxed(false);
}

static void sandbox_among_threads(void)
{
    sandboxed(true);
}

/* It enters a jail with its first SSL_CTX made, or with OpenSSL in the process and none made, or that among threads. */
static void jail(const char *folder, const char *how)
{
    if (strcmp(how, "jail") == 0)
        printf("made %d\n", make());
    else
        OPENSSL_init_ssl(0, NULL);
    if (strcmp(how, "jail-among-threads") == 0)
        start_idle();
    if (chroot(folder) != 0 || chdir("/") != 0)
        exit(77);
    printf("made in the jail %d\n", make());
}

/* It goes to another folder before its first SSL_CTX. */
static void moves(const char *folder)
{
    if (chdir(folder) != 0)
        exit(77);
    printf("made there %d\n", make());
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*live)(void);
    } lives[] = {{"cleanup", cleanup},
                 {"cleanup-first", cleanup_first},
                 {"forks", forks},
                 {"threads", threads},
                 {"forks-among-threads", forks_among_threads},
                 {"unloads", unloads},
                 {"other-default", other_default},
                 {"later", later},
                 {"no-config", no_config},
                 {"own-config", own_config},
                 {"queries", queries},
                 {"properties-first", properties_first},
                 {"fips-first", fips_first},
                 {"recursion", recursion},
                 {"vforks", vforks},
                 {"sandbox", sandbox},
                 {"sandbox-among-threads", sandbox_among_threads}};
    for (size_t i = 0; argc == 2 && i < sizeof lives / sizeof lives[0]; i++)
        if (strcmp(argv[1], lives[i].name) == 0)
            lives[i].live();
    if (argc == 3 && strcmp(argv[1], "moves") == 0)
        moves(argv[2]);
    else if (argc == 3)
        jail(argv[2], argv[1]);
    printf("ours %d\n", ours);
    return 0;
}
