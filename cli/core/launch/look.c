/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What a program's file says: whether a preload can reach it at all, which is only a warning, for such a program may
 * well start others; and whether it is to be started plainly.
 *
 * That are those that were built with a sanitizer: its runtime has to be the first library of all, and one that finds
 * another before it ends the program; or it takes memory that uninstrumented code has written for unwritten. And those
 * that have a process for each connection, which lose by Octuple (base/one_each.def).
 *
 * Both stand in a program's dynamic string table: a shared runtime as a library that it needs, a static one as symbols
 * that it offers, and other programs by a symbol that none else has. There it also stands whether it needs OpenSSL.
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "cli/core/facts/facts.h"
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

/* The dynamic string table, and the section that points into it. */
struct dynamic {
    const char *strings;
    uint64_t size;
    const unsigned char *entries;
    uint64_t count;
};

static Elf64_Dyn entry_of(const struct dynamic *dynamic, uint64_t i)
{
    Elf64_Dyn entry;
    memcpy(&entry, dynamic->entries + i * sizeof entry, sizeof entry);
    return entry;
}

static bool read_dynamic(const struct image *image, struct dynamic *dynamic)
{
    Elf64_Phdr section, load;
    uint64_t table = 0;
    if (!segment(image, PT_DYNAMIC, NULL, &section))
        return false;
    *dynamic = (struct dynamic){.entries = part(image, section.p_offset, section.p_filesz),
                                .count = section.p_filesz / sizeof(Elf64_Dyn)};
    for (uint64_t i = 0; dynamic->entries != NULL && i < dynamic->count; i++) {
        const Elf64_Dyn entry = entry_of(dynamic, i);
        table = entry.d_tag == DT_STRTAB ? entry.d_un.d_ptr : table;
        dynamic->size = entry.d_tag == DT_STRSZ ? entry.d_un.d_val : dynamic->size;
    }
    if (!segment(image, PT_LOAD, &table, &load))
        return false;
    dynamic->strings = part(image, load.p_offset + (table - load.p_vaddr), dynamic->size);
    return dynamic->strings != NULL;
}

static bool has(const struct dynamic *dynamic, const char *name)
{
    return name != NULL && memmem(dynamic->strings, dynamic->size, name, strlen(name)) != NULL;
}

static const char *reason_of(const struct dynamic *dynamic)
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
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const bool groups = has(dynamic, known[i].named) && launch_needs_groups();
        const bool found = has(dynamic, known[i].library) || has(dynamic, known[i].symbol);
        if (found && !groups)
            return known[i].reason;
    }
    return NULL;
}

/* By the names that the provider is bound to, and where the loader looks for them for this command too: a path of the
 * program's own may lead to another library. */
static bool needs_openssl(const struct dynamic *dynamic)
{
    bool needs = false;
    for (uint64_t i = 0; i < dynamic->count; i++) {
        const Elf64_Dyn entry = entry_of(dynamic, i);
        const uint64_t at = entry.d_un.d_val;
        if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH)
            return false;
        if (entry.d_tag == DT_NEEDED && at < dynamic->size && dynamic->size - at >= sizeof FACTS_LIBCRYPTO)
            needs |= !strcmp(dynamic->strings + at, FACTS_LIBSSL) || !strcmp(dynamic->strings + at, FACTS_LIBCRYPTO);
    }
    return needs;
}

static const char raised[] = "runs with raised privileges (setuid, setgid or capabilities): ld.so ignores the preload; "
                             "start it as the user that it becomes",
                  complete[] = "is statically linked: the preload cannot reach it, only programs that it starts";

const char launch_foreign[] = "is not a 64-bit x86 program: the preload cannot reach it";

const char *launch_advice(const char *obstacle)
{
    if (obstacle == launch_foreign)
        return "use its build for 64-bit x86 (amd64)";
    return obstacle == raised ? "use a build without raised privileges" : "use a dynamically linked build";
}

/* AT_SECURE: then ld.so ignores LD_PRELOAD. */
static bool is_raised(const char *path, const struct stat *st)
{
    return ((st->st_mode & S_ISUID) && st->st_uid != getuid()) || ((st->st_mode & S_ISGID) && st->st_gid != getgid()) ||
           (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

static void look_at(struct launch_program *program, const struct image *image)
{
    const Elf64_Ehdr *header = part(image, 0, sizeof *header);
    struct dynamic dynamic;
    Elf64_Phdr interpreter;
    if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return;
    const bool is_ours = header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_X86_64;
    if (program->obstacle == NULL && !is_ours)
        program->obstacle = launch_foreign;
    else if (program->obstacle == NULL && !segment(image, PT_INTERP, NULL, &interpreter))
        program->obstacle = complete;
    if (is_ours && read_dynamic(image, &dynamic)) {
        program->plainly = reason_of(&dynamic);
        program->has_openssl = needs_openssl(&dynamic);
    }
}

struct launch_program launch_look(const char *path)
{
    struct launch_program program = {0};
    struct stat st;
    if (stat(path, &st) == 0 && is_raised(path, &st))
        program.obstacle = raised;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data != MAP_FAILED) {
            look_at(&program, &(struct image){data, (size_t)st.st_size});
            munmap(data, (size_t)st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return program;
}
