# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Published answers of SM4, by the C API, on every tier. Portable code takes a minute for a million blocks: there a
# thousand do, unless OCT_TEST_DEPTH is exhaustive.
add_executable(kat_sm4 test_sm4.c)
target_link_libraries(kat_sm4 PRIVATE octuple_flags octuple)
foreach(width ${OCT_WIDTHS})
  set(environment "OCTUPLE_WIDTH=${width}")
  set(blocks 1000000)
  if(width STREQUAL c)
    set(environment "OCTUPLE_TABLE=c")
    if(NOT OCT_TEST_DEPTH STREQUAL "exhaustive")
      set(blocks 1000)
    endif()
  endif()
  add_test(NAME kat.sm4.${width} COMMAND kat_sm4 ${blocks})
  set_tests_properties(kat.sm4.${width} PROPERTIES LABELS kat TIMEOUT 1500 SKIP_RETURN_CODE 77
    ENVIRONMENT "${environment}")
endforeach()
