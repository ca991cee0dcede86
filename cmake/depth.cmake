# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# How much tests do, and with that what is built for them. The variable OCT_TEST_DEPTH says it to tests as they run.
# For a quick run the library has less in it: no tables between others whose steps they share, ciphers on the widest
# vectors of this CPU only, and by clang portable kernels at -O1, in half the time. A build without tests has all.
set(OCT_TEST_DEPTH full CACHE STRING "How much tests do: quick, full or exhaustive")
if(NOT OCT_TEST_DEPTH MATCHES "^(quick|full|exhaustive)$")
  message(FATAL_ERROR "OCT_TEST_DEPTH is quick, full or exhaustive, not ${OCT_TEST_DEPTH}")
endif()
set(OCT_MIDDLE_TABLES ON)   # avx512f and ifma256, for CPUs between those of avx2 and of avx512
set(OCT_NARROW_TIERS ON)    # ciphers on narrower vectors too, which CPUs without AVX-512 need
set(OCT_PORTABLE_QUICKLY OFF)
if(OCT_TESTS AND OCT_TEST_DEPTH STREQUAL "quick")
  set(OCT_MIDDLE_TABLES OFF)
  if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND NOT OCT_SANITIZE) # which set a level of their own
    set(OCT_PORTABLE_QUICKLY ON)
  endif()
  file(STRINGS /proc/cpuinfo flags LIMIT_COUNT 1 REGEX "^flags.* avx512ifma .* vaes ")
  if(flags)
    set(OCT_NARROW_TIERS OFF)
  endif()
endif()
