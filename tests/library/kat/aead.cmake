# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Known answers of the AEADs, by the C API, on every tier.
add_executable(kat_api_aead test_api_aead.c records.c)
target_link_libraries(kat_api_aead PRIVATE octuple_flags octuple)
function(oct_kat_aead name vectors)
  foreach(width ${OCT_WIDTHS} avx2)
    set(environment "OCTUPLE_WIDTH=${width}")
    if(width MATCHES "^(c|avx2)$")
      set(environment "OCTUPLE_TABLE=${width}")
    endif()
    add_test(NAME kat.${name}.${width} COMMAND kat_api_aead ${OCT_VECTORS_DIR}/${vectors})
    set_tests_properties(kat.${name}.${width} PROPERTIES LABELS kat TIMEOUT 1500 SKIP_RETURN_CODE 77
      ENVIRONMENT "${environment}")
  endforeach()
endfunction()
oct_kat_aead(aes_gcm aes_gcm.txt)
oct_kat_aead(aes_gcm_spec aes_gcm_spec.txt)
oct_kat_aead(chacha20_poly1305 chacha20_poly1305.txt)
