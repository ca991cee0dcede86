/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Included before everything else where objects have to load on a glibc that is older than the one they are built on
 * (OCT_OLD_GLIBC): these functions moved into libc.so with new versions of their symbols. The old ones are the same
 * code. A preloaded library that asks for a version which is not there would end every program before it starts.
 */
#if defined(__GLIBC__) || __has_include(<gnu/libc-version.h>)
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#define OCT_OLDER(function, version) __asm__(".symver " #function "," #function "@GLIBC_" #version)
/* The shim has it itself: no version of the C library's is meant there. */
#if defined(OCT_IS_SHIM)
#define OCT_OLDER_OUTSIDE(function, version) _Static_assert(1, "")
#else
#define OCT_OLDER_OUTSIDE(function, version) OCT_OLDER(function, version)
#endif
OCT_OLDER(pthread_once, 2.2.5);
OCT_OLDER(pthread_key_create, 2.2.5);
OCT_OLDER(pthread_setspecific, 2.2.5);
OCT_OLDER(pthread_sigmask, 2.2.5);
OCT_OLDER(pthread_attr_setstacksize, 2.2.5);
OCT_OLDER(pthread_attr_getstack, 2.2.5);
OCT_OLDER(pthread_getattr_np, 2.2.5);
OCT_OLDER(pthread_getcpuclockid, 2.2.5);
OCT_OLDER(dlopen, 2.2.5);
OCT_OLDER(dlclose, 2.2.5);
OCT_OLDER(dlerror, 2.2.5);
OCT_OLDER_OUTSIDE(dlsym, 2.2.5);
OCT_OLDER(dladdr, 2.2.5);
OCT_OLDER(dladdr1, 2.3.3);
/* What stat() and fstat() were before 2.33: calls of these, with the number of the structure's form. */
extern int __xstat(int form, const char *path, struct stat *found);
extern int __fxstat(int form, int fd, struct stat *found);
OCT_OLDER(__xstat, 2.2.5);
OCT_OLDER(__fxstat, 2.2.5);
#define stat(path, found) __xstat(1, path, found)
#define fstat(fd, found)  __fxstat(1, fd, found)
/* Before 2.30 it has no name. */
#define gettid() ((pid_t)syscall(SYS_gettid))
#undef OCT_OLDER_OUTSIDE
#undef OCT_OLDER
#endif
