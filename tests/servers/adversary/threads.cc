// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//
// A server whose thread returns while handshakes are under way. Callbacks use an object that is the thread's
// (thread_local), which must not be used when it has ended.
//
// usage: threads before|inside|after joins|ends WANT PORT KEYS
//
// The object is made before the thread's first handshake, in a callback of that one, or after its first call. The
// thread stops in a round in which WANT handshakes or more want to read. Connections are freed when it has been joined,
// or by the object's destructor.
#include "host.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace
{
constexpr int events_max = 64;
constexpr int wait_ms = 50;

unsigned late;
thread_local bool works; // from the thread's function to the end of its object
bool frees_at_end;
SSL_CTX *ctx;
int listener, wanted;
std::string when;
std::vector<SSL *> connections;

void free_all()
{
    for (SSL *ssl : connections) {
        int fd = SSL_get_fd(ssl);
        SSL_free(ssl);
        close(fd);
    }
    connections.clear();
}

struct counts {
    std::unique_ptr<std::map<int, int>> calls = std::make_unique<std::map<int, int>>();
    ~counts()
    {
        if (frees_at_end)
            free_all();
        works = false;
    }
};

thread_local counts own;
thread_local bool made;

void touch()
{
    late += !works;
    made = true;
    (*own.calls)[0]++;
}

void on_info(const SSL *, int where, int)
{
    if (!made && when == "after")
        return;
    touch();
    (*own.calls)[where]++;
}

int on_verify(int, X509_STORE_CTX *)
{
    if (made || when != "after")
        touch();
    return 1;
}

void add(int epfd, int fd, SSL *ssl)
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = ssl;
    if (epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) != 0)
        host_fail("epoll_ctl");
}

void welcome(int epfd)
{
    int fd;
    while ((fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        SSL *ssl = SSL_new(ctx);
        if (ssl == nullptr || SSL_set_fd(ssl, fd) != 1)
            host_fail("SSL_new");
        connections.push_back(ssl);
        add(epfd, fd, ssl);
    }
}

// True if it wants to read.
bool step(SSL *ssl)
{
    int value = SSL_accept(ssl);
    bool wants = host_wants(ssl, value);
    if (!wants)
        shutdown(SSL_get_fd(ssl), SHUT_RDWR);
    if (when == "after")
        touch();
    return wants;
}

void work()
{
    int epfd = epoll_create1(EPOLL_CLOEXEC), wants = 0;
    works = true;
    add(epfd, listener, nullptr);
    if (when == "before")
        touch();
    while (wants < wanted && !host_ends(0)) {
        epoll_event events[events_max];
        int count = epoll_wait(epfd, events, events_max, wait_ms);
        wants = 0;
        for (int i = 0; i < count; i++) {
            SSL *ssl = static_cast<SSL *>(events[i].data.ptr);
            if (ssl == nullptr)
                welcome(epfd);
            else
                wants += step(ssl);
        }
    }
    close(epfd);
}

// One thread after the other.
void serve()
{
    while (!host_ends(0)) {
        std::thread(work).join();
        free_all();
    }
}
} // namespace

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    when = argv[1];
    frees_at_end = std::strcmp(argv[2], "ends") == 0;
    wanted = std::atoi(argv[3]);
    ctx = echo_context(argv[5], "rsa2048");
    SSL_CTX_set_info_callback(ctx, on_info);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, on_verify);
    listener = echo_listen(argv[4]);
    serve();
    std::printf("{\"late\": %u}\n", late);
    return 0;
}
