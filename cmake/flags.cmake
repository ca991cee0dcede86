# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Flags that every target shares: octuple_base_flags, and with the sanitizers of the build octuple_flags.
add_library(octuple_base_flags INTERFACE)
add_library(octuple_flags INTERFACE)
target_link_libraries(octuple_flags INTERFACE octuple_base_flags)
# One workspace is words to one kernel and vectors to the next, keys are expanded in callers' bytes, and counters are
# read as rows of words. So no compiler may conclude from two types that two pointers differ.
target_compile_options(octuple_base_flags INTERFACE
  -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings
  -Wno-unknown-pragmas
  -fno-strict-aliasing)
target_compile_options(octuple_flags INTERFACE -fstack-protector-strong)
if(OCT_WERROR)
  target_compile_options(octuple_base_flags INTERFACE -Werror)
endif()
if(OCT_SANITIZE)
  # Reports want lines and no more, which compiles in two thirds of the time.
  target_compile_options(octuple_flags INTERFACE -fsanitize=${OCT_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all -g1)
  target_link_options(octuple_flags INTERFACE -fsanitize=${OCT_SANITIZE})
else()
  target_link_options(octuple_flags INTERFACE -Wl,-z,defs -Wl,-z,relro -Wl,-z,now)
endif()
target_include_directories(octuple_base_flags INTERFACE ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(octuple_base_flags INTERFACE _GNU_SOURCE)
# What is shipped names no folder of the machine that built it: the same source gives the same bytes anywhere.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(octuple_base_flags INTERFACE "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=."
    "-ffile-prefix-map=${CMAKE_BINARY_DIR}=build")
endif()

# For libraries that are loaded into programs: octuple_loaded. With OCT_OLD_GLIBC they need no newer glibc than 2.25,
# and before 2.34 they ask the two libraries that had these functions then.
option(OCT_OLD_GLIBC "Libraries load on older releases of glibc than this system's" OFF)
add_library(octuple_loaded INTERFACE)
if(OCT_OLD_GLIBC)
  target_compile_options(octuple_loaded INTERFACE -include ${CMAKE_SOURCE_DIR}/cmake/portable/old_glibc.h)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libc.so.6 OUTPUT_VARIABLE libc
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(libc ${libc} DIRECTORY)
  target_link_libraries(octuple_loaded INTERFACE -Wl,--push-state,--no-as-needed ${libc}/libpthread.so.0
    ${libc}/libdl.so.2 -Wl,--pop-state)
endif()
add_library(octuple_unwind OBJECT EXCLUDE_FROM_ALL cmake/portable/unwind.c)
target_link_libraries(octuple_unwind PRIVATE octuple_flags octuple_loaded)
if(OCT_OLD_GLIBC OR OCT_LIBC STREQUAL "musl")
  set(OCT_UNWIND $<TARGET_OBJECTS:octuple_unwind>)
endif()

# The features of the avx512 backend, and of nothing else.
set(OCT_AVX512_FLAGS -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512ifma -mbmi2)

# Those of the other backends. AVX-IFMA is new to compilers: without it ifma256 is built in the form of AVX-512, with
# the sixteen registers that it would have, for tests.
include(CheckCCompilerFlag)
check_c_compiler_flag(-mavxifma OCT_HAVE_AVXIFMA_FLAG)
set(OCT_AVX2_FLAGS -mavx2 -mfma -mbmi2)
set(OCT_AVX512F_FLAGS -mavx512f -mavx512bw -mavx512dq -mavx512vl -mbmi2)
if(OCT_HAVE_AVXIFMA_FLAG)
  set(OCT_IFMA256_FLAGS -mavx2 -mbmi2 -mavxifma)
else()
  set(OCT_IFMA256_FLAGS -mavx2 -mbmi2 -mavx512f -mavx512vl -mavx512ifma -mprefer-vector-width=256)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    foreach(number RANGE 16 31)
      list(APPEND OCT_IFMA256_FLAGS -ffixed-xmm${number})
    endforeach()
    # And nothing is moved by what that CPU has not.
    check_c_compiler_flag(-mmove-max=256 OCT_HAVE_MOVE_MAX_FLAG)
    if(OCT_HAVE_MOVE_MAX_FLAG)
      list(APPEND OCT_IFMA256_FLAGS -mmove-max=256 -mstore-max=256)
    endif()
  endif()
endif()

# Kernels on lanes of 16 bits have these besides (src/vec/lattice/i16x32.h).
set(OCT_LATTICE_AVX512_FLAGS ${OCT_AVX512_FLAGS} -mavx512vbmi -mavx512vbmi2 -mavx512vnni)

# The features of the tiers of AES-GCM.
set(OCT_GCM_XMM_FLAGS -mavx2 -mbmi2 -maes -mpclmul)
set(OCT_GCM_YMM_FLAGS ${OCT_GCM_XMM_FLAGS} -mvaes -mvpclmulqdq)
set(OCT_GCM_ZMM_FLAGS ${OCT_GCM_YMM_FLAGS} -mavx512f -mavx512bw -mavx512dq -mavx512vl)

# Those of SM4 have the maps of bits besides (src/vec/cipher/affine.h).
set(OCT_SM4_YMM_FLAGS ${OCT_GCM_YMM_FLAGS} -mgfni)
set(OCT_SM4_ZMM_FLAGS ${OCT_GCM_ZMM_FLAGS} -mgfni)
