# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Known answers of RSA, by the C API and through the provider, on every table.
if(NOT OCT_WITH_OPENSSL)
  return()
endif()
file(GLOB OCT_RSA_VECTORS ${OCT_VECTORS_DIR}/rsa_*.txt)

add_executable(kat_api_rsa test_api_rsa.c vectors.c padding.c)
target_link_libraries(kat_api_rsa PRIVATE oct_test_support octuple_flags octuple OpenSSL::Crypto)

function(oct_kat_test name table)
  add_test(NAME kat.${name}.${table} COMMAND ${ARGN} ${OCT_RSA_VECTORS})
  set_tests_properties(kat.${name}.${table} PROPERTIES LABELS kat TIMEOUT 900 SKIP_RETURN_CODE 77
    ENVIRONMENT "OCTUPLE_TABLE=${table}")
endfunction()
set(tables ${OCT_TABLES})
if(TARGET oct_rows_avx512)
  list(APPEND tables avx512s)
endif()
foreach(table ${tables})
  oct_kat_test(api_rsa ${table} kat_api_rsa)
endforeach()

if(TARGET octuple_provider)
  add_executable(kat_provider_rsa test_provider_rsa.c evp_rsa.c fibres.c vectors.c)
  target_link_libraries(kat_provider_rsa PRIVATE octuple_flags octuple OpenSSL::Crypto)
  add_dependencies(kat_provider_rsa octuple_provider)
  foreach(table ${OCT_SERVED_TABLES})
    oct_kat_test(provider_rsa ${table} kat_provider_rsa ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  endforeach()
endif()
