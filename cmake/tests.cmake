# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Tests are found by their folder: each test_*.c and test_*.py of it is one. What a file needs besides it says
# itself, in a line at its top:
#
#   /* ctest: SOURCES src/batch/engine.c LINKS OpenSSL::SSL RUNS tiers TIMEOUT 900 */
#   # ctest: TIMEOUT 600 COST 30 NOT_WITH address
#
#   SOURCES FILE...     of this source, compiled into the program too
#   LINKS TARGET...     libraries;  OPTIONS OPTION... for the linker
#   RUNS KIND           one of those that the folder's CMakeLists.txt knows: on which tables, how often
#   ENVIRONMENT A=B...  besides the folder's
#   TIMEOUT SECONDS, COST NUMBER, LOCK NAME, SERIAL, EXPORTS (the program's functions stand in front of a library's)
#   NOT_WITH any|KIND   not in builds with a sanitizer, or with this one
#   LONG                not in the quick run of ./check: a label of that name
#   BY_HAND             the folder's CMakeLists.txt does all of it
set(OCT_TEST_FLAGS SERIAL EXPORTS BY_HAND LONG)
set(OCT_TEST_VALUES RUNS TIMEOUT COST LOCK NOT_WITH MODULE PACKAGE VALGRIND)
set(OCT_TEST_LISTS SOURCES LINKS OPTIONS ENVIRONMENT)

# oct_read_needs(FILE): sets TEST_<WORD> for each word of above, and TEST_SKIP if the file is not for this build.
macro(oct_read_needs file)
  file(STRINGS ${file} needs REGEX "^(/\\*|#) ctest: " LIMIT_COUNT 1)
  if(needs)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endif()
  string(REGEX REPLACE "^(/\\*|#) ctest: | \\*/$" "" needs "${needs}")
  separate_arguments(needs)
  cmake_parse_arguments(TEST "${OCT_TEST_FLAGS}" "${OCT_TEST_VALUES}" "${OCT_TEST_LISTS}" ${needs})
  if(TEST_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${file}: nobody knows what ${TEST_UNPARSED_ARGUMENTS} is in its ctest line")
  endif()
  list(TRANSFORM TEST_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/)
  set(TEST_SKIP ${TEST_BY_HAND})
  if(OCT_SANITIZE AND (TEST_NOT_WITH STREQUAL "any" OR (TEST_NOT_WITH AND OCT_SANITIZE MATCHES "${TEST_NOT_WITH}")))
    set(TEST_SKIP TRUE)
  endif()
endmacro()

# oct_find_tests(RESULT FOLDER PATTERN): the names of a folder's files, without suffix.
function(oct_find_tests result folder pattern)
  file(GLOB found CONFIGURE_DEPENDS ${folder}/${pattern})
  set(names)
  foreach(file ${found})
    get_filename_component(name ${file} NAME_WE)
    list(APPEND names ${name})
  endforeach()
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# oct_test_helpers(TARGET FOLDER LIBRARY...): what the tests of a folder share, its other C files, as a library to link.
function(oct_test_helpers target folder)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "/test_[^/]*$")
  if(sources)
    add_library(${target} STATIC ${sources})
    set(kind PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(kind INTERFACE)
  endif()
  target_link_libraries(${target} ${kind} ${ARGN})
  target_include_directories(${target} ${kind} ${folder})
endfunction()

# oct_test_program(PROGRAM SOURCE LIBRARY...): builds what the test file needs, after oct_read_needs().
function(oct_test_program program source)
  add_executable(${program} ${source} ${TEST_SOURCES})
  target_link_libraries(${program} PRIVATE ${ARGN} ${TEST_LINKS})
  target_link_options(${program} PRIVATE ${TEST_OPTIONS})
  if(TEST_EXPORTS)
    set_target_properties(${program} PROPERTIES ENABLE_EXPORTS ON)
  endif()
endfunction()

# Seconds are said for a machine that does nothing else. One that is busy takes several times as long.
set(OCT_TEST_PATIENCE 5)

# oct_set_needs(TEST LABEL TIMEOUT VARIABLE=VALUE...): the properties, after oct_read_needs(). 77 says "skipped".
function(oct_set_needs test label timeout)
  if(TEST_TIMEOUT)
    set(timeout ${TEST_TIMEOUT})
  endif()
  math(EXPR timeout "${timeout} * ${OCT_TEST_PATIENCE}")
  set_tests_properties(${test} PROPERTIES LABELS ${label} TIMEOUT ${timeout} SKIP_RETURN_CODE 77)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ${ARGN} ${TEST_ENVIRONMENT})
  if(TEST_COST)
    set_property(TEST ${test} PROPERTY COST ${TEST_COST})
  endif()
  if(TEST_LOCK)
    set_property(TEST ${test} PROPERTY RESOURCE_LOCK ${TEST_LOCK})
  endif()
  if(TEST_LONG)
    set_property(TEST ${test} APPEND PROPERTY LABELS long)
  endif()
  if(TEST_SERIAL)
    set_property(TEST ${test} PROPERTY RUN_SERIAL ON)
  endif()
endfunction()

# The packages of this source (lab, bench, tests) are found from its top.
set(OCT_PYTHON_ENVIRONMENT "PYTHONPATH=${CMAKE_SOURCE_DIR}" "PYTHONDONTWRITEBYTECODE=1")
if(NOT OCT_SANITIZE MATCHES "address")  # whose runtime would have to be preloaded
  list(APPEND OCT_PYTHON_ENVIRONMENT "OCTUPLE_BUILD=${CMAKE_BINARY_DIR}")
endif()

# oct_python_tests(FOLDER PREFIX LABEL TIMEOUT VARIABLE=VALUE...): each test_*.py of a folder by pytest, as
# PREFIX<name>; with OCT_PYTHON_FILES set, those of that pattern.
# Sets OCT_PYTHON_TESTS to the names of the tests.
function(oct_python_tests folder prefix label timeout)
  set(pattern test_*.py)
  if(OCT_PYTHON_FILES)
    set(pattern ${OCT_PYTHON_FILES})
  endif()
  oct_find_tests(names ${folder} ${pattern})
  set(tests)
  foreach(name ${names})
    oct_read_needs(${folder}/${name}.py)
    if(NOT TEST_SKIP)
      string(REGEX REPLACE "^test_" "${prefix}" test ${name})
      add_test(NAME ${test} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
        COMMAND /usr/bin/python3 -m pytest -q -rs -p no:cacheprovider ${folder}/${name}.py)
      oct_set_needs(${test} ${label} ${timeout} ${OCT_PYTHON_ENVIRONMENT} ${ARGN})
      list(APPEND tests ${test})
    endif()
  endforeach()
  set(OCT_PYTHON_TESTS ${tests} PARENT_SCOPE)
endfunction()

# oct_python_program(TEST LABEL TIMEOUT MODULE ARGUMENT...): a program of this source's packages as a test.
function(oct_python_program test label timeout module)
  add_test(NAME ${test} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMAND /usr/bin/python3 -m ${module} ${ARGN})
  math(EXPR timeout "${timeout} * ${OCT_TEST_PATIENCE}")
  set_tests_properties(${test} PROPERTIES LABELS ${label} TIMEOUT ${timeout} SKIP_RETURN_CODE 77
    ENVIRONMENT "${OCT_PYTHON_ENVIRONMENT}")
endfunction()

# oct_test_folders(RESULT PATTERN): the folders right below this one that have such files.
function(oct_test_folders result pattern)
  file(GLOB found CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*/${pattern})
  list(TRANSFORM found REPLACE "/.*" "")
  list(REMOVE_DUPLICATES found)
  set(${result} ${found} PARENT_SCOPE)
endfunction()
