/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which TLS library a file is, by its name, and by words that every build of it has in its constants.
 */
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <openssl/crypto.h>
#include "facts.h"

struct bytes {
    const char *at;
    size_t len;
};

static void keep(char to[PATH_MAX], const char *path)
{
    if (to[0] == '\0')
        snprintf(to, PATH_MAX, "%s", path);
}

void facts_note_library(struct facts_libraries *libraries, const char *path)
{
    static const char gone[] = " (deleted)";
    static const char *const others[][2] = {
        {"libgnutls.so", "GnuTLS"},    {"libssl3.so", "NSS"},        {"libnss3.so", "NSS"},
        {"libmbedtls.so", "Mbed TLS"}, {"libwolfssl.so", "wolfSSL"}, {"libbotan-", "Botan"},
    };
    char clean[PATH_MAX];
    snprintf(clean, sizeof clean, "%s", path);
    size_t len = strlen(clean);
    int stale = len >= sizeof gone && !strcmp(clean + len - (sizeof gone - 1), gone);
    if (stale)
        clean[len - (sizeof gone - 1)] = '\0';
    const char *slash = strrchr(clean, '/');
    const char *file = slash != NULL ? slash + 1 : clean;
    if (!strncmp(file, "libssl.so", 9)) {
        keep(libraries->ssl, clean);
    } else if (!strncmp(file, "libcrypto.so", 12)) {
        keep(libraries->crypto, clean);
    } else if (!strncmp(file, "liboctuple-async.so", 19)) {
        keep(libraries->shim, clean);
    } else if (!strcmp(file, "octuple.so")) {
        keep(libraries->provider, clean);
    } else if (!strncmp(file, "liboctuple.so", 13)) {
        keep(libraries->octuple, clean);
    } else {
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            if (!strncmp(file, others[i][0], strlen(others[i][0])))
                libraries->other = others[i][1];
        stale = 0;
    }
    if (stale)
        keep(libraries->stale, clean);
}

static struct bytes map_file(const char *file)
{
    struct bytes bytes = {NULL, 0};
    struct stat st;
    int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED)
            bytes = (struct bytes){at, (size_t)st.st_size};
    }
    if (fd >= 0)
        close(fd);
    return bytes;
}

static void unmap(struct bytes bytes)
{
    if (bytes.at != NULL)
        munmap((void *)(uintptr_t)bytes.at, bytes.len);
}

/* Behind the mark, or NULL. */
static const char *find(struct bytes in, const char *mark)
{
    const char *found = in.at != NULL ? memmem(in.at, in.len, mark, strlen(mark)) : NULL;
    return found != NULL ? found + strlen(mark) : NULL;
}

/* What stands from `at` to the first byte of `end`, cut to the room there is. */
static void copy_until(char *to, size_t room, struct bytes in, const char *at, const char *end)
{
    size_t n = 0;
    while (n + 1 < room && at + n < in.at + in.len && isprint((unsigned char)at[n]) && strchr(end, at[n]) == NULL) {
        to[n] = at[n];
        n++;
    }
    to[n] = '\0';
}

/* Forks of OpenSSL, which name themselves; they keep the names of its libraries. AWS-LC names BoringSSL too. */
static const char *fork_name(struct bytes in)
{
    static const char *const forks[] = {FACTS_AWSLC, "LibreSSL", "BoringSSL"};
    for (size_t i = 0; i < sizeof forks / sizeof forks[0]; i++)
        if (find(in, forks[i]) != NULL)
            return forks[i];
    return NULL;
}

/* The file of the libcrypto that this command runs on. */
static int find_own(struct dl_phdr_info *object, size_t size, void *vown)
{
    const uintptr_t inside = (uintptr_t)OpenSSL_version;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD &&
            inside - object->dlpi_addr - object->dlpi_phdr[i].p_vaddr < object->dlpi_phdr[i].p_memsz)
            *(const char **)vown = object->dlpi_name;
    return 0;
}

/* Then it says of itself what else is searched for in megabytes. */
static bool is_own(const char *file)
{
    const char *own = "";
    struct stat a, b;
    dl_iterate_phdr(find_own, &own);
    return stat(file, &a) == 0 && stat(own, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void facts_read_openssl(struct facts_openssl *openssl, const char *file)
{
    static const char mark[] = "OpenSSL ";
    if (is_own(file)) {
        const char *own_folder = OPENSSL_info(OPENSSL_INFO_CONFIG_DIR);
        *openssl = (struct facts_openssl){.major = OPENSSL_version_major()};
        snprintf(openssl->version, sizeof openssl->version, "%s", OpenSSL_version(OPENSSL_VERSION));
        snprintf(openssl->folder, sizeof openssl->folder, "%s", own_folder != NULL ? own_folder : "");
        return;
    }
    struct bytes in = map_file(file);
    const char *fork = fork_name(in);
    const char *folder = find(in, "OPENSSLDIR: \"");
    const char *version = NULL, *at;
    *openssl = (struct facts_openssl){0};
    /* "OpenSSL N.N.N date", which is not every sentence that begins with the name. */
    for (struct bytes rest = in; version == NULL && (at = find(rest, mark)) != NULL;) {
        rest = (struct bytes){at, in.len - (size_t)(at - in.at)};
        if (rest.len > 4 && isdigit((unsigned char)at[0]) && at[1] == '.' && isdigit((unsigned char)at[2]))
            version = at - strlen(mark);
    }
    if (fork != NULL) {
        snprintf(openssl->version, sizeof openssl->version, "%s", fork);
        openssl->other = fork;
    } else if (version != NULL) {
        copy_until(openssl->version, sizeof openssl->version, in, version, "\n");
        openssl->major = (unsigned)strtoul(openssl->version + strlen(mark), NULL, 10);
    }
    if (folder != NULL)
        copy_until(openssl->folder, sizeof openssl->folder, in, folder, "\"");
    unmap(in);
}

/* `size` bytes at this offset; NULL where the file has not so many. */
static const void *part(struct bytes in, uint64_t at, uint64_t size)
{
    return at <= in.len && size <= in.len - at && at % 4 == 0 ? in.at + at : NULL;
}

int facts_read_copy(struct facts_copy *copy, const char *file)
{
    struct bytes in = map_file(file);
    int readable = in.len > SELFMAG && !memcmp(in.at, ELFMAG, SELFMAG);
    const Elf64_Ehdr *head = readable ? part(in, 0, sizeof *head) : NULL;
    const Elf64_Shdr *all = head != NULL ? part(in, head->e_shoff, (uint64_t)head->e_shnum * sizeof *all) : NULL;
    for (unsigned i = 0; all != NULL && i < head->e_shnum; i++) {
        const Elf64_Shdr *words = all[i].sh_link < head->e_shnum ? &all[all[i].sh_link] : NULL;
        if (all[i].sh_type != SHT_DYNAMIC || words == NULL || words->sh_offset > in.len ||
            words->sh_size > in.len - words->sh_offset)
            continue;
        /* What the file is called, and which libcrypto it needs: entries whose words are in the section linked to. */
        const struct bytes rest = {in.at + words->sh_offset, words->sh_size};
        const uint64_t count = all[i].sh_size / sizeof(Elf64_Dyn);
        const Elf64_Dyn *entry = part(in, all[i].sh_offset, count * sizeof *entry);
        for (uint64_t k = 0; entry != NULL && k < count; k++) {
            const char *word = entry[k].d_un.d_val < rest.len ? rest.at + entry[k].d_un.d_val : rest.at + rest.len;
            if (entry[k].d_tag == DT_SONAME)
                copy_until(copy->soname, sizeof copy->soname, rest, word, "");
            else if (entry[k].d_tag == DT_NEEDED && rest.at + rest.len - word > 9 && !memcmp(word, "libcrypto", 9))
                copy_until(copy->crypto, sizeof copy->crypto, rest, word, "");
        }
    }
    if (readable) {
        copy->other = fork_name(in);
        /* A file of libssl's source, which its errors name in every build, and forks' too: "ssl_lib.cc". */
        copy->inside = find(in, "ssl_lib.c") != NULL && (copy->other != NULL || find(in, "OPENSSLDIR: \"") != NULL);
    }
    unmap(in);
    return readable;
}

const char *facts_library_inside(const char *file)
{
    /* Programs name libraries in their messages, so the marks are what only the library itself has. */
    static const char *const marks[][2] = {
        {"OPENSSLDIR: \"", "a copy of OpenSSL"}, {"crypto/tls.(*Conn)", "Go's crypto/tls"}, {"rustls", "rustls"}};
    struct bytes in = map_file(file);
    const bool is_program = in.len > SELFMAG && !memcmp(in.at, ELFMAG, SELFMAG);
    const char *found = is_program ? fork_name(in) : NULL;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && is_program && found == NULL; i++)
        found = find(in, marks[i][0]) != NULL ? marks[i][1] : NULL;
    unmap(in);
    return found;
}
