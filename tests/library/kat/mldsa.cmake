# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Known answers of ML-DSA, by the kernels, on every table.
add_executable(kat_mldsa test_mldsa.c records.c)
target_link_libraries(kat_mldsa PRIVATE oct_test_support octuple_internal)
foreach(table ${OCT_SERVED_TABLES})
  foreach(vectors 44_sign_noseed 44_sign_seed 44_verify 65_sign_noseed 65_sign_seed 65_verify)
    add_test(NAME kat.mldsa_${vectors}.${table} COMMAND kat_mldsa
      ${OCT_VECTORS_DIR}/mldsa_${vectors}.txt)
    set_tests_properties(kat.mldsa_${vectors}.${table} PROPERTIES LABELS kat TIMEOUT 1500 SKIP_RETURN_CODE 77
      ENVIRONMENT "OCTUPLE_TABLE=${table}")
  endforeach()
endforeach()
