/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The native methods of octuple.Lanes: liboctuple.so.0, looked up at run time. No Java memory is held on to while lanes
 * run or threads wait, so the garbage collector never waits for them; copies are cleared.
 */
#include <jni.h>
#include <octuple/octuple.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define FUNCTIONS(F)                                                                                                   \
    F(oct_counters_note_batch)                                                                                         \
    F(oct_ec_bytes)                                                                                                    \
    F(oct_ec_keygen_x8)                                                                                                \
    F(oct_ed25519_key_free)                                                                                            \
    F(oct_ed25519_key_new)                                                                                             \
    F(oct_op_is_on)                                                                                                    \
    F(oct_queue_combine)                                                                                               \
    F(oct_queue_run_now)                                                                                               \
    F(oct_queue_thread)                                                                                                \
    F(oct_rsa_key_free)                                                                                                \
    F(oct_rsa_key_new)                                                                                                 \
    F(oct_x25519_public_x8)

/* The longest input but Ed25519's, whose messages Java keeps below MAX_MESSAGE: RSA-4096's. And outputs. */
#define MAX_OUT     512
#define MAX_MESSAGE 4096
#define MAX_IN      (MAX_MESSAGE + OCT_ED25519_PUBLIC_BYTES + OCT_ED25519_SIGNATURE_BYTES)

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_octuple_Lanes_##name

/* The library's functions, by their own names and types. */
static struct {
#define MEMBER(name) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
} lib;

/* ISO C has no conversion of dlsym()'s pointer to one of a function; POSIX has it by the bytes. */
static int find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

/* The soname says that the ABI is the one of the headers. The library stays for the life of the process. */
NATIVE(jboolean, open)(JNIEnv *env, jclass class)
{
    void *handle = dlopen("liboctuple.so.0", RTLD_NOW | RTLD_LOCAL);

    (void)env;
    (void)class;
#define FIND(name) &&find(handle, #name, &lib.name)
    return handle != NULL FUNCTIONS(FIND);
}

NATIVE(jboolean, isOn)(JNIEnv *env, jclass class, jint op)
{
    (void)env;
    (void)class;
    return lib.oct_op_is_on(op) != 0;
}

static void *pointer(jlong key)
{
    return (void *)(intptr_t)key;
}

/* n of `modulus` bytes; p, q, dp, dq, qinv of half as many each; e of 8. */
NATIVE(jlong, rsaKey)(JNIEnv *env, jclass class, jbyteArray numbers, jint modulus)
{
    const size_t size = (size_t)modulus, half = size / 2;
    uint8_t bytes[MAX_OUT * 7 / 2 + 8];
    const uint8_t *p = bytes + size;
    const struct oct_rsa_numbers parts = {.n = {bytes, size},
                                          .p = {p, half},
                                          .q = {p + half, half},
                                          .dp = {p + 2 * half, half},
                                          .dq = {p + 3 * half, half},
                                          .qinv = {p + 4 * half, half},
                                          .e = {p + 5 * half, 8}};
    struct oct_rsa_key *key = NULL;

    (void)class;
    (*env)->GetByteArrayRegion(env, numbers, 0, (jsize)(size + 5 * half + 8), (jbyte *)bytes);
    if (lib.oct_rsa_key_new(&key, &parts) != OCT_OK)
        key = NULL;
    explicit_bzero(bytes, sizeof(bytes));
    return (jlong)(intptr_t)key;
}

NATIVE(jlong, ed25519Key)(JNIEnv *env, jclass class, jbyteArray seed)
{
    uint8_t bytes[OCT_ED25519_SEED_BYTES];
    struct oct_ed25519_key *key = NULL;

    (void)class;
    (*env)->GetByteArrayRegion(env, seed, 0, sizeof(bytes), (jbyte *)bytes);
    if (lib.oct_ed25519_key_new(&key, bytes) != OCT_OK)
        key = NULL;
    explicit_bzero(bytes, sizeof(bytes));
    return (jlong)(intptr_t)key;
}

NATIVE(void, rsaKeyFree)(JNIEnv *env, jclass class, jlong key)
{
    (void)env;
    (void)class;
    lib.oct_rsa_key_free(pointer(key));
}

NATIVE(void, ed25519KeyFree)(JNIEnv *env, jclass class, jlong key)
{
    (void)env;
    (void)class;
    lib.oct_ed25519_key_free(pointer(key));
}

static void fill_ecdsa(struct oct_job *job, int verify, size_t bytes, const uint8_t *in, size_t in_len, uint8_t *out)
{
    if (verify)
        job->ecdsa_verify = (struct oct_ecdsa_verify_lane){
            .public_key = in, .signature = in + 2 * bytes, .digest = in + 4 * bytes, .digest_len = in_len - 4 * bytes};
    else
        job->ecdsa_sign = (struct oct_ecdsa_sign_lane){
            .private_key = in, .digest = in + bytes, .digest_len = in_len - bytes, .signature = out};
}

static void fill_ed25519_verify(struct oct_job *job, const uint8_t *in, size_t in_len)
{
    const size_t head = OCT_ED25519_PUBLIC_BYTES + OCT_ED25519_SIGNATURE_BYTES;

    job->ed25519_verify = (struct oct_ed25519_verify_lane){.public_key = in,
                                                           .signature = in + OCT_ED25519_PUBLIC_BYTES,
                                                           .message = in + head,
                                                           .message_len = in_len - head};
}

/* Inputs stand one after the other, as Lanes.java says of each operation. 0 for an operation that is not served. */
static int fill(struct oct_job *job, int op, void *key, const uint8_t *in, size_t in_len, uint8_t *out)
{
    memset(job, 0, sizeof(*job));
    job->op = op;
    switch (op) {
    case OCT_OP_RSA2048_PRIVATE:
    case OCT_OP_RSA3072_PRIVATE:
    case OCT_OP_RSA4096_PRIVATE:
        job->rsa = (struct oct_rsa_lane){.key = key, .in = in, .out = out};
        return key != NULL;
    case OCT_OP_X25519_DERIVE:
        job->x25519 = (struct oct_x25519_lane){.scalar = in, .peer = in + OCT_X25519_BYTES, .out = out};
        return 1;
    case OCT_OP_P256_DERIVE:
    case OCT_OP_P384_DERIVE:
        job->ec_derive = (struct oct_ec_derive_lane){.private_key = in, .peer = in + in_len / 3, .secret = out};
        return 1;
    case OCT_OP_P256_SIGN:
    case OCT_OP_P256_VERIFY:
        fill_ecdsa(job, op == OCT_OP_P256_VERIFY, 32, in, in_len, out);
        return 1;
    case OCT_OP_P384_SIGN:
    case OCT_OP_P384_VERIFY:
        fill_ecdsa(job, op == OCT_OP_P384_VERIFY, 48, in, in_len, out);
        return 1;
    case OCT_OP_ED25519_SIGN:
        job->ed25519_sign =
            (struct oct_ed25519_sign_lane){.key = key, .message = in, .message_len = in_len, .signature = out};
        return key != NULL;
    case OCT_OP_ED25519_VERIFY:
        fill_ed25519_verify(job, in, in_len);
        return 1;
    default:
        return 0;
    }
}

/* Jobs of one operation, in lanes. Without a queue there is no memory for one. */
static int run_now(struct oct_job *const job[], unsigned jobs)
{
    struct oct_queue *queue = lib.oct_queue_thread();

    return queue == NULL ? OCT_ERR_MEMORY : lib.oct_queue_run_now(queue, job, jobs);
}

/* With the jobs of other threads that block. A thread that meets none runs at once, and in lanes, too: a vector costs
 * less than Java's own code does once. */
static int run_one(struct oct_job *job)
{
    int status = lib.oct_queue_combine(job);

    if (status == OCT_ERR_PLAIN)
        status = run_now(&job, 1);
    return status == OCT_OK ? job->status : status;
}

/* A job with memory of its own, for what Java gives and gets. */
struct lane {
    uint8_t in[MAX_IN], out[MAX_OUT];
    struct oct_job job;
};

/* OCT_OK, or why it cannot be run. */
static int load(JNIEnv *env, struct lane *lane, int op, jlong key, jbyteArray in, jbyteArray out)
{
    const jsize len = (*env)->GetArrayLength(env, in);

    if (len > (jsize)sizeof(lane->in) || (*env)->GetArrayLength(env, out) > (jsize)sizeof(lane->out))
        return OCT_ERR_LENGTH;
    (*env)->GetByteArrayRegion(env, in, 0, len, (jbyte *)lane->in);
    return fill(&lane->job, op, pointer(key), lane->in, (size_t)len, lane->out) ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

static void store(JNIEnv *env, struct lane *lane, int status, jbyteArray in, jbyteArray out)
{
    const jsize in_len = (*env)->GetArrayLength(env, in), out_len = (*env)->GetArrayLength(env, out);

    if (status == OCT_OK)
        (*env)->SetByteArrayRegion(env, out, 0, out_len, (jbyte *)lane->out);
    if (status == OCT_ERR_LENGTH)
        return; /* nothing was copied */
    explicit_bzero(lane->in, (size_t)in_len);
    explicit_bzero(lane->out, (size_t)out_len);
}

NATIVE(jint, runOne)(JNIEnv *env, jclass class, jint op, jlong key, jbyteArray in, jbyteArray out)
{
    struct lane lane;
    int status = load(env, &lane, op, key, in, out);

    (void)class;
    if (status == OCT_OK)
        status = run_one(&lane.job);
    store(env, &lane, status, in, out);
    return status;
}

/* Lanes that could be loaded, together. */
static void run_loaded(struct lane lanes[], int status[], jsize count)
{
    struct oct_job *job[OCT_LANES];
    unsigned jobs = 0;
    int result = OCT_OK;

    for (jsize i = 0; i < count; i++)
        if (status[i] == OCT_OK)
            job[jobs++] = &lanes[i].job;
    if (jobs > 0)
        result = run_now(job, jobs);
    for (jsize i = 0; i < count; i++)
        if (status[i] == OCT_OK)
            status[i] = result == OCT_OK ? lanes[i].job.status : result;
}

NATIVE(void, runBatch)
(JNIEnv *env, jclass class, jint op, jlongArray keys, jobjectArray in, jobjectArray out, jintArray statuses)
{
    const jsize count = (*env)->GetArrayLength(env, keys);
    struct lane *lanes = calloc(OCT_LANES, sizeof(*lanes));
    jint status[OCT_LANES];
    jlong key[OCT_LANES];

    (void)class;
    if (lanes == NULL || count > OCT_LANES || (*env)->EnsureLocalCapacity(env, 4 * OCT_LANES) != JNI_OK) {
        free(lanes);
        return; /* the statuses say that nothing was run */
    }
    (*env)->GetLongArrayRegion(env, keys, 0, count, key);
    for (jsize i = 0; i < count; i++)
        status[i] = load(env, &lanes[i], op, key[i], (*env)->GetObjectArrayElement(env, in, i),
                         (*env)->GetObjectArrayElement(env, out, i));
    run_loaded(lanes, status, count);
    for (jsize i = 0; i < count; i++)
        store(env, &lanes[i], status[i], (*env)->GetObjectArrayElement(env, in, i),
              (*env)->GetObjectArrayElement(env, out, i));
    (*env)->SetIntArrayRegion(env, statuses, 0, count, status);
    free(lanes);
}

static uint64_t nanoseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int x25519_pairs(uint8_t *out, struct oct_lanes *result)
{
    struct oct_x25519_lane lane[OCT_LANES];
    uint8_t scalars[OCT_LANES * OCT_X25519_BYTES];
    int status = OCT_ERR_UNSUPPORTED;

    if (getrandom(scalars, sizeof(scalars), 0) == (ssize_t)sizeof(scalars)) {
        for (size_t i = 0; i < OCT_LANES; i++) {
            uint8_t *pair = out + 2 * i * OCT_X25519_BYTES;
            memcpy(pair, scalars + i * OCT_X25519_BYTES, OCT_X25519_BYTES);
            lane[i] = (struct oct_x25519_lane){.scalar = pair, .out = pair + OCT_X25519_BYTES};
        }
        status = lib.oct_x25519_public_x8(lane, OCT_LANES, result);
    }
    explicit_bzero(scalars, sizeof(scalars));
    return status;
}

static int ec_pairs(int curve, uint8_t *out, struct oct_lanes *result)
{
    const size_t bytes = lib.oct_ec_bytes(curve);
    struct oct_ec_keygen_lane lane[OCT_LANES];

    for (size_t i = 0; i < OCT_LANES; i++) {
        uint8_t *pair = out + 3 * i * bytes;
        lane[i] = (struct oct_ec_keygen_lane){.private_key = pair, .public_key = pair + bytes};
    }
    return lib.oct_ec_keygen_x8(curve, lane, OCT_LANES, result);
}

/* Eight new key pairs, each the private key and then the public one. */
NATIVE(jboolean, keyPairs)(JNIEnv *env, jclass class, jint op, jbyteArray out)
{
    uint8_t pairs[OCT_LANES * 3 * OCT_EC_MAX_BYTES];
    const jsize len = (*env)->GetArrayLength(env, out);
    struct oct_lanes result = {0, 0};
    const uint64_t begin = nanoseconds();
    int status, good;

    (void)class;
    if (op == OCT_OP_X25519_KEYGEN)
        status = x25519_pairs(pairs, &result);
    else
        status = ec_pairs(op == OCT_OP_P256_KEYGEN ? OCT_EC_P256 : OCT_EC_P384, pairs, &result);
    good = status == OCT_OK && result.ok == 0xff && len <= (jsize)sizeof(pairs);
    if (status == OCT_OK)
        lib.oct_counters_note_batch(op, OCT_LANES, (unsigned)__builtin_popcount(result.ok), nanoseconds() - begin);
    if (good)
        (*env)->SetByteArrayRegion(env, out, 0, len, (jbyte *)pairs);
    explicit_bzero(pairs, sizeof(pairs));
    return good != 0;
}
