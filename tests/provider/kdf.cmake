# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Tests of the key derivations in the provider. They use no lanes, so one table will do.
foreach(name values random context memory)
  add_executable(test_provider_kdf_${name} test_kdf_${name}.c kdf_peer.c)
  target_link_libraries(test_provider_kdf_${name} PRIVATE provider_test_common)
  add_dependencies(test_provider_kdf_${name} octuple_provider)
  add_test(NAME provider/kdf_${name} COMMAND test_provider_kdf_${name})
  set_tests_properties(provider/kdf_${name} PROPERTIES LABELS provider TIMEOUT 300
    ENVIRONMENT "OCTUPLE_TABLE=c;${environment}")
endforeach()
