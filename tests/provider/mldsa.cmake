# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Tests of ML-DSA in the provider. They are skipped before OpenSSL 3.5.
foreach(name mldsa mldsa_key mldsa_lanes)
  add_executable(test_provider_${name} test_${name}.c mldsa_keys.c)
  target_link_libraries(test_provider_${name} PRIVATE provider_test_common)
  add_dependencies(test_provider_${name} octuple_provider)
  oct_provider_ctest(${name} test_provider_${name})
endforeach()
