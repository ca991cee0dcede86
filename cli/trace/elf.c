/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What a library defines and needs, which probe points it has, and its build-id. The file may be a container's, so
 * every offset is held against its size.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "trace.h"

struct trace_elf {
    const unsigned char *at;
    size_t size;
};

/* `count` things of `each` bytes at `offset`, or NULL where the file does not have them, aligned for words. */
static const void *part(const struct trace_elf *elf, uint64_t offset, uint64_t count, uint64_t each)
{
    if (offset > elf->size || offset % 4 != 0 || (each != 0 && count > (elf->size - offset) / each))
        return NULL;
    return elf->at + offset;
}

struct trace_elf *trace_elf_open(const char *path)
{
    struct trace_elf elf = {NULL, 0}, *kept = NULL;
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        elf = (struct trace_elf){at != MAP_FAILED ? at : NULL, (size_t)st.st_size};
    }
    if (fd >= 0)
        close(fd);
    const Elf64_Ehdr *head = elf.at != NULL ? part(&elf, 0, 1, sizeof *head) : NULL;
    if (head != NULL && !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == ELFCLASS64 &&
        head->e_shentsize == sizeof(Elf64_Shdr) && (kept = malloc(sizeof *kept)) != NULL)
        *kept = elf;
    else if (elf.at != NULL)
        munmap((void *)(uintptr_t)elf.at, elf.size);
    return kept;
}

void trace_elf_close(struct trace_elf *elf)
{
    if (elf != NULL) {
        munmap((void *)(uintptr_t)elf->at, elf->size);
        free(elf);
    }
}

static const Elf64_Shdr *sections(const struct trace_elf *elf, unsigned *count)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)elf->at;
    *count = head->e_shnum;
    return part(elf, head->e_shoff, head->e_shnum, sizeof(Elf64_Shdr));
}

/* The symbol is in the dynamic table: defined there, or undefined as asked for. */
static bool has_symbol(const struct trace_elf *elf, const char *symbol, int defined)
{
    unsigned count;
    const Elf64_Shdr *all = sections(elf, &count);
    for (unsigned i = 0; all != NULL && i < count; i++) {
        if (all[i].sh_type != SHT_DYNSYM || all[i].sh_link >= count)
            continue;
        const Elf64_Shdr *names = &all[all[i].sh_link];
        const Elf64_Sym *sym = part(elf, all[i].sh_offset, all[i].sh_size / sizeof *sym, sizeof *sym);
        if (sym == NULL || names->sh_offset > elf->size || names->sh_size > elf->size - names->sh_offset)
            continue;
        const char *text = (const char *)elf->at + names->sh_offset;
        for (size_t j = 0; j < all[i].sh_size / sizeof *sym; j++) {
            size_t room = sym[j].st_name < names->sh_size ? names->sh_size - sym[j].st_name : 0;
            if (strlen(symbol) < room && !strncmp(text + sym[j].st_name, symbol, room) &&
                (sym[j].st_shndx != SHN_UNDEF) == defined)
                return 1;
        }
    }
    return 0;
}

int trace_elf_defines(const struct trace_elf *elf, const char *symbol)
{
    return has_symbol(elf, symbol, 1);
}

int trace_elf_imports(const struct trace_elf *elf, const char *symbol)
{
    return has_symbol(elf, symbol, 0);
}

/* Calls see() for each note with that owner, until it returns 1; that is then the result. */
static int each_note(const struct trace_elf *elf, const char *owner, unsigned type,
                     int (*see)(void *arg, const char *text, size_t size), void *arg)
{
    unsigned count;
    const Elf64_Shdr *all = sections(elf, &count);
    for (unsigned i = 0; all != NULL && i < count; i++) {
        uint64_t at = all[i].sh_offset, left = all[i].sh_size;
        const Elf64_Nhdr *note;
        while (all[i].sh_type == SHT_NOTE && left >= sizeof *note && (note = part(elf, at, 1, left)) != NULL) {
            uint64_t name = ((uint64_t)note->n_namesz + 3) & ~3ul, text = ((uint64_t)note->n_descsz + 3) & ~3ul;
            uint64_t whole = sizeof *note + name + text;
            if (whole > left)
                break;
            const char *words = (const char *)(note + 1);
            if (note->n_type == type && note->n_namesz == strlen(owner) + 1 && !memcmp(words, owner, note->n_namesz) &&
                see(arg, words + name, note->n_descsz))
                return 1;
            at += whole;
            left -= whole;
        }
    }
    return 0;
}

/* Three addresses, then the provider's name, the probe's and its arguments as strings. */
static int is_probe(void *arg, const char *text, size_t size)
{
    static const char provider[] = "octuple";
    const size_t before = 3 * sizeof(uint64_t), name_len = strlen(arg) + 1;
    return size > before + sizeof provider + name_len && !memcmp(text + before, provider, sizeof provider) &&
           !memcmp(text + before + sizeof provider, arg, name_len);
}

bool trace_elf_has_probe(const struct trace_elf *elf, const char *name)
{
    return each_note(elf, "stapsdt", 3, is_probe, (void *)(uintptr_t)name);
}

static int write_hex(void *arg, const char *text, size_t size)
{
    char *hex = arg;
    for (size_t i = 0; i < size && i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned char)text[i]);
    return 1;
}

void trace_elf_build_id(const struct trace_elf *elf, char hex[65])
{
    hex[0] = '\0';
    each_note(elf, ELF_NOTE_GNU, NT_GNU_BUILD_ID, write_hex, hex);
}
