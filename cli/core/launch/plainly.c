/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Programs that are started plainly for what they are.
 *
 * Those that were built with a sanitizer: its runtime has to be the first library of all, and one that finds another
 * before it ends the program; or it takes memory that uninstrumented code has written for unwritten. And those that
 * have a process for each connection, which lose by Octuple (base/one_each.def).
 *
 * Both stand in a program's dynamic string table: a shared runtime as a library that it needs, a static one as symbols
 * that it offers, and other programs by a symbol that none else has.
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "launch.h"

struct image {
    const unsigned char *data;
    size_t size;
};

/* size bytes of the file at an offset, NULL if it has fewer. Offsets are of files from anywhere. */
static const void *part(const struct image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset ? image->data + offset : NULL;
}

/* The program header of this type that covers an address; any of the type if `address` is NULL. */
static bool segment(const struct image *image, uint32_t type, const uint64_t *address, Elf64_Phdr *found)
{
    const Elf64_Ehdr *header = part(image, 0, sizeof *header);
    for (unsigned i = 0; header != NULL && i < header->e_phnum; i++) {
        const void *at = part(image, header->e_phoff + (uint64_t)i * sizeof *found, sizeof *found);
        if (at == NULL)
            return false;
        memcpy(found, at, sizeof *found);
        if (found->p_type == type && (address == NULL || *address - found->p_vaddr < found->p_filesz))
            return true;
    }
    return false;
}

static bool has(const char *table, size_t size, const char *name)
{
    return name != NULL && memmem(table, size, name, strlen(name)) != NULL;
}

static const char *reason_of(const struct image *image)
{
    static const struct {
        const char *library, *symbol, *reason, *named;
    } known[] = {
        {"libasan.so", "__asan_init", "it was built with AddressSanitizer, which bears no preload", NULL},
        {"libhwasan.so", "__hwasan_init", "it was built with HWAddressSanitizer, which bears no preload", NULL},
        {"libtsan.so", "__tsan_init", "it was built with ThreadSanitizer, which bears no preload", NULL},
        {"libclang_rt.msan", "__msan_init", "it was built with MemorySanitizer, which knows nothing of Octuple's code",
         NULL},
#define OCT_ONE_EACH(symbol, named, program)                                                                           \
    {NULL, symbol, program " has a process for each connection, so no two handshakes meet", named},
#include "src/base/one_each.def"
#undef OCT_ONE_EACH
    };
    Elf64_Phdr dynamic, load;
    Elf64_Dyn entry;
    uint64_t table = 0, size = 0;
    if (!segment(image, PT_DYNAMIC, NULL, &dynamic))
        return NULL;
    /* Where the dynamic string table is, and how long. */
    for (uint64_t at = 0; at + sizeof entry <= dynamic.p_filesz; at += sizeof entry) {
        const void *from = part(image, dynamic.p_offset + at, sizeof entry);
        if (from == NULL)
            return NULL;
        memcpy(&entry, from, sizeof entry);
        table = entry.d_tag == DT_STRTAB ? entry.d_un.d_ptr : table;
        size = entry.d_tag == DT_STRSZ ? entry.d_un.d_val : size;
    }
    if (!segment(image, PT_LOAD, &table, &load))
        return NULL;
    const char *strings = part(image, load.p_offset + (table - load.p_vaddr), size);
    for (size_t i = 0; strings != NULL && i < sizeof known / sizeof known[0]; i++) {
        const bool groups = has(strings, size, known[i].named) && launch_needs_groups();
        const bool found = has(strings, size, known[i].library) || has(strings, size, known[i].symbol);
        if (found && !groups)
            return known[i].reason;
    }
    return NULL;
}

const char *launch_plainly(const char *path)
{
    const char *reason = NULL;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(Elf64_Ehdr)) {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            const struct image image = {data, (size_t)st.st_size};
            if (memcmp(data, ELFMAG, SELFMAG) == 0 && image.data[EI_CLASS] == ELFCLASS64)
                reason = reason_of(&image);
            munmap(data, image.size);
        }
    }
    if (fd >= 0)
        close(fd);
    return reason;
}
