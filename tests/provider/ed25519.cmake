# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Tests of Ed25519 in the provider.
foreach(name ed25519_key ed25519_sign ed25519_context ed25519_lanes ed25519_odd_keys)
  add_executable(test_provider_${name} test_${name}.c ed25519_keys.c)
  target_link_libraries(test_provider_${name} PRIVATE provider_test_common)
  add_dependencies(test_provider_${name} octuple_provider)
  oct_provider_ctest(${name} test_provider_${name})
endforeach()

# Keys of both families.
add_executable(test_provider_dump test_dump.c ed25519_keys.c)
target_link_libraries(test_provider_dump PRIVATE provider_test_common)
add_dependencies(test_provider_dump octuple_provider)
oct_provider_ctest(dump test_provider_dump)
oct_provider_command(ed25519_command)
