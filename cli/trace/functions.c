/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The functions of OpenSSL that are traced. Those of libssl are what programs call; those of libcrypto are few, and of
 * a kind that is called once or twice in a handshake, so that tracing does not change what it measures. `snoop` shows
 * more of them.
 */
#include <stdbool.h>
#include <string.h>
#include "trace.h"

const struct trace_function trace_functions[] = {
    {"SSL_do_handshake", TRACE_HANDSHAKE},  {"SSL_accept", TRACE_HANDSHAKE},
    {"SSL_connect", TRACE_HANDSHAKE},       {"SSL_read", TRACE_READ},
    {"SSL_read_ex", TRACE_READ_EX},         {"SSL_write", TRACE_WRITE},
    {"SSL_write_ex", TRACE_WRITE_EX},       {"SSL_read_early_data", TRACE_READ_EX},
    {"SSL_shutdown", TRACE_CLOSE},          {"EVP_DigestSign", TRACE_ANSWER},
    {"EVP_DigestVerify", TRACE_OPERATION},  {"EVP_PKEY_derive", TRACE_ANSWER},
    {"EVP_PKEY_decrypt", TRACE_ANSWER},     {"EVP_PKEY_generate", TRACE_OPERATION},
    {"EVP_PKEY_encapsulate", TRACE_ANSWER}, {"EVP_PKEY_decapsulate", TRACE_ANSWER},
    {"RSA_private_encrypt", TRACE_DETAIL},  {"RSA_private_decrypt", TRACE_DETAIL},
    {"ECDSA_sign_ex", TRACE_DETAIL},        {"EVP_KDF_derive", TRACE_DETAIL},
};
const unsigned trace_function_count = sizeof trace_functions / sizeof trace_functions[0];

bool trace_is_outer(const struct trace_function *function)
{
    return function->kind < TRACE_OPERATION;
}

bool trace_is_wanted(enum trace_tool tool, const struct trace_function *function)
{
    switch (tool) {
    case TRACE_SNIFF:
        return function->kind < TRACE_CLOSE;
    case TRACE_LATENCY:
        return function->kind != TRACE_DETAIL && function->kind != TRACE_CLOSE;
    default:
        return 1;
    }
}

void trace_key_name(unsigned key, const char **function, const char **operation)
{
    *operation = NULL;
    if (key < TRACE_KEY_OPERATION) {
        *function = key < trace_function_count ? trace_functions[key].name : "unknown";
        return;
    }
    if (key >= TRACE_KEY_DEVICE) {
        static const char *const parts[] = {"in all", "line", "device"};
        *function = "octuple:key";
        *operation = key - TRACE_KEY_DEVICE < 3 ? parts[key - TRACE_KEY_DEVICE] : "other";
        return;
    }
    *function = key < TRACE_KEY_BATCH ? "octuple:operation" : "octuple:flush";
    *operation = oct_op_name((int)(key % TRACE_KEY_OPERATION) - 1);
    if (*operation == NULL)
        *operation = "other"; /* none that lanes serve */
}
