# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Builds against musl by Debian's musl-gcc, where the system's own C library is glibc. On a system whose library is musl
# nothing of this is needed. OCT_MUSL_PREFIX is a folder with what musl-tools does not have: OpenSSL, Jansson and cmocka
# built against musl (tests/places/run musl makes it).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER musl-gcc)
set(OCT_LIBC musl)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OCT_MUSL_PREFIX OCT_MUSL_KERNEL)

# The kernel's headers lie among those of glibc, which must not be found.
if(NOT DEFINED OCT_MUSL_KERNEL)
  set(OCT_MUSL_KERNEL ${CMAKE_BINARY_DIR}/kernel-headers)
  file(MAKE_DIRECTORY ${OCT_MUSL_KERNEL})
  foreach(folder linux asm-generic x86_64-linux-gnu/asm)
    get_filename_component(name ${folder} NAME)
    file(CREATE_LINK /usr/include/${folder} ${OCT_MUSL_KERNEL}/${name} SYMBOLIC)
  endforeach()
endif()
set(CMAKE_C_FLAGS_INIT "-idirafter ${OCT_MUSL_KERNEL} -isystem ${OCT_MUSL_PREFIX}/include")
# musl-gcc leaves out the table by which an unwinder finds frames, and the provider asks who is on a stack.
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
    "-Wl,--eh-frame-hdr -L${OCT_MUSL_PREFIX}/lib -Wl,-rpath-link,${OCT_MUSL_PREFIX}/lib")
endforeach()

set(CMAKE_FIND_ROOT_PATH ${OCT_MUSL_PREFIX})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(OPENSSL_ROOT_DIR ${OCT_MUSL_PREFIX})
set(ENV{PKG_CONFIG_LIBDIR} ${OCT_MUSL_PREFIX}/lib/pkgconfig)
set(CMAKE_BUILD_RPATH ${OCT_MUSL_PREFIX}/lib)
