# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Flags that every target shares: octuple_base_flags, and with the sanitizers of the build octuple_flags.
add_library(octuple_base_flags INTERFACE)
add_library(octuple_flags INTERFACE)
target_link_libraries(octuple_flags INTERFACE octuple_base_flags)
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

# The features of the avx512 backend, and of nothing else.
set(OCT_AVX512_FLAGS -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512ifma -mbmi2)

# Kernels on lanes of 16 bits have these besides (src/vec/w32.h).
set(OCT_W32_FLAGS ${OCT_AVX512_FLAGS} -mavx512vbmi -mavx512vbmi2 -mavx512vnni)

# The features of the tiers of AES-GCM.
set(OCT_GCM_XMM_FLAGS -mavx2 -mbmi2 -maes -mpclmul)
set(OCT_GCM_YMM_FLAGS ${OCT_GCM_XMM_FLAGS} -mvaes -mvpclmulqdq)
set(OCT_GCM_ZMM_FLAGS ${OCT_GCM_YMM_FLAGS} -mavx512f -mavx512bw -mavx512dq -mavx512vl)

# Those of SM4 have the maps of bits besides (src/vec/affine.h).
set(OCT_SM4_YMM_FLAGS ${OCT_GCM_YMM_FLAGS} -mgfni)
set(OCT_SM4_ZMM_FLAGS ${OCT_GCM_ZMM_FLAGS} -mgfni)
