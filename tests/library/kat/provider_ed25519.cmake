# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Known answers of Ed25519 through the provider, with and without fibres, on every table.
if(TARGET octuple_provider)
  add_executable(kat_provider_ed25519 test_provider_ed25519.c records.c fibres.c vectors.c)
  target_link_libraries(kat_provider_ed25519 PRIVATE octuple_flags octuple OpenSSL::Crypto)
  add_dependencies(kat_provider_ed25519 octuple_provider)
  foreach(table ${OCT_SERVED_TABLES})
    add_test(NAME kat.provider_ed25519.${table} COMMAND kat_provider_ed25519 ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}
      ${OCT_VECTORS_DIR}/ed25519.txt)
    set_tests_properties(kat.provider_ed25519.${table} PROPERTIES LABELS kat TIMEOUT 900 SKIP_RETURN_CODE 77
      ENVIRONMENT "OCTUPLE_TABLE=${table};OPENSSL_CONF=/dev/null")
  endforeach()
endif()
