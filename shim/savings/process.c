/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * libcrypto asks for the process's number before it draws random bytes, to learn of a fork: a system call each time,
 * some eight in a handshake. Here the number lies on a page that the kernel empties in the child of a fork, so the
 * child asks anew. A child that shares its parent's memory, as that of vfork(), shares libcrypto's state too: there it
 * finds what its parent has found.
 */
#include "libssl/resolve.h"
#include "libssl/slots.h"
#include "savings/savings.h"

#include <sys/mman.h>

static pid_t *number;

static pid_t process(void)
{
    pid_t pid = __atomic_load_n(number, __ATOMIC_RELAXED);
    if (__builtin_expect(pid == 0, 0)) {
        pid = getpid();
        __atomic_store_n(number, pid, __ATOMIC_RELAXED);
    }
    return pid;
}

void oct_process_setup(void)
{
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        return;
    if (madvise(page, size, MADV_WIPEONFORK) != 0) {
        munmap(page, size);
        return;
    }
    number = page;
    (void)oct_slot_set((const void *)oct_ssl()->CRYPTO_malloc, "getpid", (void *)process);
}
