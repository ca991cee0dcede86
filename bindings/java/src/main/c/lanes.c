/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The native methods of octuple.Lanes, over the loader that all bindings share. No Java memory is held on to while
 * lanes run or threads wait, so the garbage collector never waits for them; copies are cleared.
 */
#include "load.h"

#include <jni.h>
#include <stdlib.h>
#include <string.h>

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_octuple_Lanes_##name

/* What became of an operation, as Lanes.java has it. */
enum { OK = 0, INVALID = 1, FAILED = 2 };

NATIVE(jboolean, open)(JNIEnv *env, jclass class)
{
    (void)env;
    (void)class;
    return octuple_load() != 0;
}

static jint limited(size_t size)
{
    return size < INT32_MAX ? (jint)size : INT32_MAX;
}

NATIVE(jint, find)(JNIEnv *env, jclass class, jstring name, jintArray sizes)
{
    const char *text = (*env)->GetStringUTFChars(env, name, NULL);
    struct oct_flat_form form;
    int op;

    (void)class;
    if (text == NULL)
        return -1;
    op = octuple_find(text, &form);
    (*env)->ReleaseStringUTFChars(env, name, text);
    if (op >= 0) {
        const jint all[] = {limited(form.lanes), limited(form.key), limited(form.in), limited(form.more),
                            limited(form.out)};
        (*env)->SetIntArrayRegion(env, sizes, 0, sizeof(all) / sizeof(*all), all);
    }
    return op;
}

NATIVE(jboolean, isOn)(JNIEnv *env, jclass class, jint op)
{
    (void)env;
    (void)class;
    return octuple_is_on(op) != 0;
}

static struct oct_flat_key *pointer(jlong key)
{
    return (struct oct_flat_key *)(intptr_t)key;
}

NATIVE(jlong, newKey)(JNIEnv *env, jclass class, jint op, jbyteArray bytes)
{
    const jsize len = (*env)->GetArrayLength(env, bytes);
    uint8_t *copy = malloc((size_t)len + 1);
    struct oct_flat_key *key;

    (void)class;
    if (copy == NULL)
        return 0;
    (*env)->GetByteArrayRegion(env, bytes, 0, len, (jbyte *)copy);
    key = octuple_key_new(op, copy, (size_t)len);
    explicit_bzero(copy, (size_t)len);
    free(copy);
    return (jlong)(intptr_t)key;
}

NATIVE(void, freeKey)(JNIEnv *env, jclass class, jlong key)
{
    (void)env;
    (void)class;
    octuple_key_free(pointer(key));
}

static jint became(struct oct_lanes result, jsize lane)
{
    return result.ok >> lane & 1 ? OK : result.invalid >> lane & 1 ? INVALID : FAILED;
}

NATIVE(jint, runOne)(JNIEnv *env, jclass class, jint op, jlong key, jbyteArray in, jbyteArray out)
{
    const jsize in_len = (*env)->GetArrayLength(env, in), out_len = (*env)->GetArrayLength(env, out);
    const size_t whole = (size_t)in_len + (size_t)out_len;
    uint8_t *copy = malloc(whole + 1);
    jint status;

    (void)class;
    if (copy == NULL)
        return FAILED;
    (*env)->GetByteArrayRegion(env, in, 0, in_len, (jbyte *)copy);
    status = became(octuple_combine(op, pointer(key), copy, (size_t)in_len, copy + in_len, (size_t)out_len), 0);
    if (status == OK)
        (*env)->SetByteArrayRegion(env, out, 0, out_len, (jbyte *)copy + in_len);
    explicit_bzero(copy, whole);
    free(copy);
    return status;
}

NATIVE(void, runBatch)
(JNIEnv *env, jclass class, jint op, jlongArray keys, jbyteArray in, jintArray lengths, jbyteArray out,
 jintArray status)
{
    const jsize lanes = (*env)->GetArrayLength(env, keys), in_len = (*env)->GetArrayLength(env, in);
    const jsize out_len = (*env)->GetArrayLength(env, out);
    const size_t bytes = (size_t)in_len + (size_t)out_len;
    /* The larger types first, for their alignment. */
    size_t *len = calloc(1, (size_t)lanes * (sizeof(*len) + sizeof(jlong) + sizeof(jint)) + bytes + 1);
    struct oct_flat_key **key = (struct oct_flat_key **)(len + lanes);
    jint *value = (jint *)(key + lanes);
    uint8_t *copy = (uint8_t *)(value + lanes);
    struct oct_lanes result = {0, 0};
    size_t total = 0;

    (void)class;
    _Static_assert(sizeof(jlong) == sizeof(*key), "keys are pointers in Java's arrays");
    if (len == NULL)
        return; /* the statuses say that nothing was run */
    (*env)->GetIntArrayRegion(env, lengths, 0, lanes, value);
    for (jsize i = 0; i < lanes; i++)
        total += len[i] = (size_t)value[i];
    (*env)->GetLongArrayRegion(env, keys, 0, lanes, (jlong *)key);
    (*env)->GetByteArrayRegion(env, in, 0, in_len, (jbyte *)copy);
    if (total == (size_t)in_len)
        result = octuple_run(op, (unsigned)lanes, key, copy, len, copy + in_len, (size_t)out_len);
    for (jsize i = 0; i < lanes; i++)
        value[i] = became(result, i);
    (*env)->SetIntArrayRegion(env, status, 0, lanes, value);
    (*env)->SetByteArrayRegion(env, out, 0, out_len, (jbyte *)copy + in_len);
    explicit_bzero(copy, bytes);
    free(len);
}
