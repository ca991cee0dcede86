# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Tests of the AEADs in the provider, on every width of vector and on portable code.
function(oct_provider_aead_test name)
  foreach(tier ${OCT_WIDTHS})
    set(choice "OCTUPLE_CIPHERS=on;OCTUPLE_WIDTH=${tier}")
    if(tier STREQUAL c)
      set(choice "OCTUPLE_CIPHERS=on;OCTUPLE_TABLE=c")
    endif()
    add_test(NAME provider/${name}/${tier} COMMAND ${ARGN})
    set_tests_properties(provider/${name}/${tier} PROPERTIES
      LABELS provider FIXTURES_REQUIRED provider_keys SKIP_RETURN_CODE 77 TIMEOUT 600
      ENVIRONMENT "${choice};${environment}")
  endforeach()
endfunction()

foreach(name text context params tls)
  add_executable(test_provider_aead_${name} test_aead_${name}.c aead_peer.c)
  target_link_libraries(test_provider_aead_${name} PRIVATE provider_test_common)
  add_dependencies(test_provider_aead_${name} octuple_provider)
  oct_provider_aead_test(aead_${name} test_provider_aead_${name})
endforeach()

# libssl on top; this one puts functions of its own in the place of liboctuple's.
add_executable(test_provider_aead_libssl test_aead_libssl.c)
target_link_libraries(test_provider_aead_libssl PRIVATE provider_test_common OpenSSL::SSL)
set_target_properties(test_provider_aead_libssl PROPERTIES ENABLE_EXPORTS ON)
add_dependencies(test_provider_aead_libssl octuple_provider)
oct_provider_aead_test(aead_libssl test_provider_aead_libssl)

# The counter alone: 2^64 records take too long.
add_executable(test_provider_aead_iv test_aead_iv.c ${CMAKE_SOURCE_DIR}/provider/aead/iv.c)
target_link_libraries(test_provider_aead_iv PRIVATE octuple_flags octuple OpenSSL::Crypto PkgConfig::CMOCKA)
target_include_directories(test_provider_aead_iv PRIVATE ${CMAKE_SOURCE_DIR})
add_test(NAME provider/aead_iv COMMAND test_provider_aead_iv)
set_tests_properties(provider/aead_iv PROPERTIES LABELS provider)

# SM4 in all modes, also where OpenSSL has none of its own to compare with.
add_executable(test_provider_sm4 test_sm4.c ${CMAKE_SOURCE_DIR}/tests/diff/sm4_ref.c)
target_link_libraries(test_provider_sm4 PRIVATE provider_test_common)
target_include_directories(test_provider_sm4 PRIVATE ${CMAKE_SOURCE_DIR}/tests/diff)
add_dependencies(test_provider_sm4 octuple_provider)
oct_provider_aead_test(sm4 test_provider_sm4)

oct_provider_command(aead_command)
