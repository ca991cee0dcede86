# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Tests of Ed25519 in the provider.
foreach(name ed25519_key ed25519_sign ed25519_context ed25519_lanes ed25519_odd_keys)
  add_executable(test_provider_${name} test_${name}.c ed25519_keys.c)
  target_link_libraries(test_provider_${name} PRIVATE provider_test_common)
  add_dependencies(test_provider_${name} octuple_provider)
  oct_provider_ctest(${name} test_provider_${name})
endforeach()
if(NOT OCT_SANITIZE)
  oct_provider_ctest(ed25519_command /usr/bin/python3 -m pytest -q -p no:cacheprovider -rs
    ${CMAKE_CURRENT_SOURCE_DIR}/test_ed25519_command.py)
endif()
