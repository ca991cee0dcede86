// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//
// A server in C++ whose callbacks throw, through libssl, to where the program called SSL_accept().
//
// usage: throws CALLBACK main|thread PORT KEYS
//
// CALLBACK is the one that throws, for clients that ask for a name beginning with "other"; "destroys" throws inside of
// objects whose destructors count, in a callback that has one of its own to catch as well.
#include "echo.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace
{
struct refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

unsigned thrown, caught, alive, inside;
SSL_CTX *outer;
int listener;

struct counted {
    counted()
    {
        alive++;
    }
    ~counted()
    {
        alive--;
    }
};

[[noreturn]] void refuse(const SSL *ssl, int depth)
{
    counted here;
    std::string text = "not for " + std::to_string(depth);
    if (depth > 0)
        refuse(ssl, depth - 1);
    thrown++;
    throw refused(text);
}

void consider(const SSL *ssl)
{
    counted here;
    try {
        throw std::logic_error("caught in the callback itself");
    } catch (const std::logic_error &) {
        inside++;
    }
    if (echo_asks_for(ssl, "other"))
        refuse(ssl, 10);
}

int on_name(SSL *ssl, int *, void *)
{
    consider(ssl);
    return SSL_TLSEXT_ERR_OK;
}

int on_alpn(SSL *ssl, const unsigned char **out, unsigned char *length, const unsigned char *in, unsigned, void *)
{
    consider(ssl);
    *out = in + 1;
    *length = in[0];
    return SSL_TLSEXT_ERR_OK;
}

int on_certificate(SSL *ssl, void *)
{
    consider(ssl);
    return 1;
}

int on_hello(SSL *ssl, int *, void *)
{
    const unsigned char *names;
    size_t length;
    counted here;
    if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &names, &length) == 1 &&
        memmem(names, length, "other", 5) != nullptr)
        refuse(ssl, 3);
    return SSL_CLIENT_HELLO_SUCCESS;
}

// At the end of the handshake, when its signature has long been made.
void on_info(const SSL *ssl, int where, int)
{
    if (where & SSL_CB_HANDSHAKE_DONE)
        consider(ssl);
}

void on_message(int writes, int, int type, const void *bytes, size_t length, SSL *ssl, void *)
{
    const auto *message = static_cast<const unsigned char *>(bytes);
    if (writes && type == SSL3_RT_HANDSHAKE && length > 0 && message[0] == SSL3_MT_CERTIFICATE)
        consider(ssl);
}

int on_verify(int, X509_STORE_CTX *store)
{
    consider(static_cast<SSL *>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx())));
    return 1;
}

void on_keys(const SSL *ssl, const char *)
{
    consider(ssl);
}

int on_ticket(SSL *ssl, void *)
{
    consider(ssl);
    return 1;
}

void install(const std::string &callback, const char *keys)
{
    outer = echo_context(keys, "rsa2048");
    if (callback == "servername")
        SSL_CTX_set_tlsext_servername_callback(outer, on_name);
    else if (callback == "alpn")
        SSL_CTX_set_alpn_select_cb(outer, on_alpn, nullptr);
    else if (callback == "certificate")
        SSL_CTX_set_cert_cb(outer, on_certificate, nullptr);
    else if (callback == "hello")
        SSL_CTX_set_client_hello_cb(outer, on_hello, nullptr);
    else if (callback == "info")
        SSL_CTX_set_info_callback(outer, on_info);
    else if (callback == "message")
        SSL_CTX_set_msg_callback(outer, on_message);
    else if (callback == "verify")
        SSL_CTX_set_verify(outer, SSL_VERIFY_PEER, on_verify);
    else if (callback == "keylog")
        SSL_CTX_set_keylog_callback(outer, on_keys);
    else if (callback == "ticket")
        SSL_CTX_set_session_ticket_cb(outer, on_ticket, nullptr, nullptr);
}

int handshake(SSL *ssl)
{
    counted here;
    std::vector<int> before(100, SSL_is_server(ssl));
    try {
        return SSL_accept(ssl);
    } catch (const refused &error) {
        caught += std::strncmp(error.what(), "not for 0", 9) == 0 && before[99] == 1;
        return ECHO_LEFT;
    }
}

void serve()
{
    echo_serve(outer, listener, handshake);
}
} // namespace

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    install(argv[1], argv[4]);
    listener = echo_listen(argv[3]);
    if (std::strcmp(argv[2], "main") == 0)
        serve();
    else
        std::thread(serve).join();
    std::printf("{\"thrown\": %u, \"caught\": %u, \"alive\": %u, \"called\": %d}\n", thrown, caught, alive, inside > 0);
    std::fflush(stdout);
    _exit(0); // handshakes that were left keep what they held
}
